import { createMetrics } from '@jackfield/adapters/metrics';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { Database } from '@jackfield/ports';
import {
  type AnswerJudge,
  type ApiAnswer,
  basic,
  type Caller,
  createRecordingLog,
  createVirtualClock,
  holdToDocument,
  type OpenDatabase,
  type VirtualClock,
} from '@jackfield/testkit';
import type { FastifyInstance } from 'fastify';
import { accepted } from '../../kernel/result.ts';
import { createHttpApi, type HttpApiDeps } from '../http-api.ts';
import { idempotencyTable } from '../index.ts';
import { route } from '../route.ts';

/** The only account behind a shell. */
export const main: Caller = { authId: 'MASHELL0000000000000', authToken: 'a-token-of-the-shell' };

export interface Shell {
  readonly app: FastifyInstance;
  readonly clock: VirtualClock;
  readonly log: ReturnType<typeof createRecordingLog>;
  /** A request of the account, to a path below it. */
  call(
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ApiAnswer>;
  /** As after a restart of the process, on the same data. */
  restart(): Promise<Shell>;
}

export type ShellOptions = Partial<
  Pick<HttpApiDeps, 'features' | 'limits' | 'trustedSources' | 'docs' | 'guidePages'>
>;

const account = { authId: main.authId, isSubaccount: false, parent: null, main: main.authId } as const;

const itself = route({
  method: 'GET',
  path: '',
  operation: 'See the account',
  schema: {},
  success: 200,
  run: async () => accepted({}),
});

/** Shells with the same operations share what judges their answers. */
const judges = new Map<string, { judge?: AnswerJudge }>();

/** The HTTP shell alone: routes of the test, and a route that shows the account; no feature. */
export async function openShell(open: OpenDatabase, options: ShellOptions = {}): Promise<Shell> {
  return shellOn(await open([idempotencyTable]), open, createVirtualClock(), options);
}

async function shellOn(
  database: Database,
  open: OpenDatabase,
  clock: VirtualClock,
  { features = [], limits, ...options }: ShellOptions,
): Promise<Shell> {
  const log = createRecordingLog();
  const groups = [{ name: 'Account', routes: [itself] }, ...features];
  const key = JSON.stringify(groups);
  const judge = judges.get(key) ?? {};
  judges.set(key, judge);
  const app = holdToDocument(
    createHttpApi({
      ...options,
      features: groups,
      accounts: {
        authenticate: async ({ authId, authToken }, actingFor) => {
          if (authId !== main.authId || authToken !== main.authToken) return { outcome: 'wrong-credentials' };
          return actingFor === main.authId ? { outcome: 'accepted', account } : { outcome: 'other-account' };
        },
      },
      database,
      clock,
      log,
      metrics: createMetrics({ process: false }),
      secrets: createSecrets(new Uint8Array(32).fill(7)),
      ready: () => true,
      limits: { requests: 100_000, strangerRequests: 100_000, ...limits },
    }).http,
    judge,
  );
  return {
    app,
    clock,
    log,
    async call(method, path, body, headers = {}) {
      const answer = await app.inject({
        method,
        url: `/v1/Account/${main.authId}/${path}`,
        headers: { authorization: basic(main), ...headers },
        ...(body === undefined ? {} : { payload: body }),
      });
      return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
    },
    async restart() {
      await app.close();
      return shellOn(await open.again(database), open, clock, {
        features,
        ...options,
        ...(limits && { limits }),
      });
    },
  };
}
