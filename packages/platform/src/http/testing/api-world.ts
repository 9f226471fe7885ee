import assert from 'node:assert/strict';
import { createMetrics } from '@jackfield/adapters/metrics';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { Database } from '@jackfield/ports';
import {
  type AnswerJudge,
  createRecordingLog,
  createVirtualClock,
  holdToDocument,
  type OpenDatabase,
  type VirtualClock,
} from '@jackfield/testkit';
import type { FastifyInstance } from 'fastify';
import type { AccountResources } from '../../feature.ts';
import { type AccountsFeature, createAccounts } from '../../features/accounts/index.ts';
import { attachableApplications, createApplications } from '../../features/applications/index.ts';
import { createSipEndpoints, type SipEndpointsFeature } from '../../features/sip-endpoints/index.ts';
import {
  createHttpApi,
  type HttpApiDeps,
  type HttpLimits,
  idempotencyTable,
  type RouteGroup,
} from '../index.ts';

export interface Caller {
  readonly authId: string;
  readonly authToken: string;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly as?: Caller;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly body: any;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface ApiWorld {
  readonly app: FastifyInstance;
  readonly clock: VirtualClock;
  readonly log: ReturnType<typeof createRecordingLog>;
  readonly database: Database;
  readonly accounts: AccountsFeature;
  readonly sipEndpoints: SipEndpointsFeature;
  readonly main: Caller;
  ready: boolean;
  /** `path` below the caller's account, or absolute. The answer is held against the document, as all that `app.inject` gives. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, options?: CallOptions): Promise<ApiAnswer>;
  subaccount(name?: string): Promise<Caller>;
  /** As after a restart of the process, on the same data. */
  restart(): Promise<ApiWorld>;
}

export interface ApiWorldOptions
  extends Pick<HttpApiDeps, 'trustedSources' | 'metricsAccess' | 'docs' | 'guidePages'> {
  readonly limits?: Partial<HttpLimits>;
  readonly routes?: readonly RouteGroup[];
  /** The clock of the features behind the routes; a new one when absent. */
  readonly clock?: VirtualClock;
}

/** The HTTP interface with the real accounts, applications and endpoints over a real database, on a clock that the test moves. */
export async function openApi(open: OpenDatabase, options: ApiWorldOptions = {}): Promise<ApiWorld> {
  return worldOn(await open(), options.clock ?? createVirtualClock(), open, options);
}

const domains: readonly [string, ...string[]] = ['sip.example.com', 'alias.example.com'];

/** Interfaces with the same operations share what judges their answers. */
const judges = new Map<string, { judge?: AnswerJudge }>();

function judgesOf(features: readonly RouteGroup[]): { judge?: AnswerJudge } {
  const key = JSON.stringify(features);
  const known = judges.get(key) ?? {};
  judges.set(key, known);
  return known;
}

async function worldOn(
  database: Database,
  clock: VirtualClock,
  open: OpenDatabase,
  options: ApiWorldOptions,
): Promise<ApiWorld> {
  const secrets = createSecrets(new Uint8Array(32).fill(7));
  const log = createRecordingLog();
  const sipEndpoints = createSipEndpoints({
    database,
    clock,
    secrets,
    domains,
    applications: attachableApplications(database),
  });
  const resources: AccountResources[] = [sipEndpoints.resources];
  const accounts = createAccounts({ database, clock, secrets, resources });
  const applications = createApplications({
    database,
    secrets,
    domains,
    endpoints: sipEndpoints.attached,
    isWithin: accounts.isWithin,
  });
  resources.push(applications.resources);
  await database.migrate([
    idempotencyTable,
    ...accounts.migrations,
    ...sipEndpoints.migrations,
    ...applications.migrations,
  ]);
  const { authId, authToken } = await accounts.ensureFirstAccount();
  const main = { authId, authToken };
  const features = [
    ...accounts.routes,
    ...applications.routes,
    ...sipEndpoints.routes,
    ...(options.routes ?? []),
  ];
  const app = holdToDocument(
    createHttpApi({
      features,
      accounts,
      database,
      clock,
      log,
      metrics: createMetrics({ process: false }),
      secrets,
      ready: () => world.ready,
      limits: { requests: 100_000, strangerRequests: 100_000, ...options.limits },
      ...(options.trustedSources === undefined ? {} : { trustedSources: options.trustedSources }),
      ...(options.metricsAccess === undefined ? {} : { metricsAccess: options.metricsAccess }),
      ...(options.docs === undefined ? {} : { docs: options.docs }),
      ...(options.guidePages === undefined ? {} : { guidePages: options.guidePages }),
    }).http,
    judgesOf(features),
  );

  const world: ApiWorld = {
    app,
    clock,
    log,
    database,
    accounts,
    sipEndpoints,
    main,
    ready: true,
    async call(method, path, { body, as = main, headers = {} } = {}) {
      const answer = await app.inject({
        method,
        url: path.startsWith('/') ? path : `/v1/Account/${as.authId}/${path}`,
        headers: { authorization: basic(as), ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      });
      const status = answer.statusCode;
      // Written out only where it is read: the log has a line for every request.
      if (status === 500) assert.fail(`a fault of the server: ${JSON.stringify(log.lines, errorsToo)}`);
      return {
        status,
        body: answer.body === '' ? undefined : answer.json(),
        headers: answer.headers,
      };
    },
    async subaccount(name = 'Branch') {
      const { body } = await world.call('POST', 'Subaccount/', { body: { name } });
      return { authId: body.auth_id, authToken: body.auth_token };
    },
    async restart() {
      await app.close();
      return worldOn(await open.again(database), clock, open, options);
    },
  };
  return world;
}

export function basic({ authId, authToken }: Caller): string {
  return `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
}

const errorsToo = (_: string, value: unknown) => (value instanceof Error ? value.stack : value);
