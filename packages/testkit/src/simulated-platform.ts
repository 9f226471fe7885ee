import { cpSync } from 'node:fs';
import { createSqliteDatabase } from '@jackfield/adapters/database-sqlite';
import { createMetrics } from '@jackfield/adapters/metrics';
import { createPlatform, type Platform } from '@jackfield/platform';
import type { Clock, Database, Logger } from '@jackfield/ports';
import {
  createAccountAdmission,
  createDigestAdmission,
  createSipEdge,
  createTokenAdmission,
  createTrunkAdmission,
  type SipEdge,
} from '@jackfield/signalling';
import { type AnswerJudge, holdToDocument } from './answered-as-documented.ts';
import { createSeededSecrets } from './seeded-secrets.ts';
import type { Settling } from './settling.ts';
import type { SimulatedCustomer } from './simulated-customer.ts';
import { createSimulatedMedia, type SimulatedMedia } from './simulated-media.ts';
import type { NetworkAddress, SimulatedNetwork } from './simulated-network.ts';
import { createSimulatedRecorder } from './simulated-recorder.ts';
import { simulatedDecoder, simulatedSpeech } from './simulated-sounds.ts';
import { createSimulatedStreams, type SimulatedStreams } from './simulated-streams.ts';
import { openSimulatedTransports } from './simulated-transports.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface SimulatedPlatformOptions {
  readonly clock: VirtualClock;
  readonly network: SimulatedNetwork;
  readonly random: () => number;
  readonly settling: Settling;
  readonly log: Logger;
  readonly sip: NetworkAddress;
  readonly domain: string;
  /** The server behind the URLs of callbacks and documents. */
  readonly customer: SimulatedCustomer;
  readonly account: { readonly authId: string; readonly authToken: string };
  /** The directory of the database. */
  readonly directory: string;
  /** Wraps the database, for tests of events between two transactions. */
  readonly interpose?: (database: Database) => Database;
}

/** An answer of the HTTP interface: its body is any JSON, and a test asserts on the parts that it needs. */
export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a black box test knows no type of ours
  readonly body: any;
}

/** The whole product over simulated ports: one process of it. */
export interface SimulatedPlatform {
  readonly platform: Platform;
  readonly edge: SipEdge;
  readonly media: SimulatedMedia;
  /** Servers of audio streams, configured by the test. */
  readonly streams: SimulatedStreams;
  /** For data that no interface shows yet, such as the record of a call. */
  readonly database: Database;
  api(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<ApiAnswer>;
  /**
   * Ends the process between two instructions: no BYE, no commit, no closing of files. `copyTo` then has the content of its disk at that
   * moment.
   */
  kill(copyTo: string): Promise<void>;
  close(): Promise<void>;
}

export async function startSimulatedPlatform(options: SimulatedPlatformOptions): Promise<SimulatedPlatform> {
  const { network, random, settling, log, domain, account } = options;
  const { address } = options.sip;
  const life = lifeOf(options.clock);
  const clock = settling.clock(life.clock);
  const secrets = createSeededSecrets(random);
  const { interpose = (database: Database) => database } = options;
  const database = settling.database(interpose(createSqliteDatabase({ directory: options.directory, log })));
  const media = createSimulatedMedia({
    clock: life.clock,
    network,
    address,
    random,
    touched: settling.touched,
  });
  const recorder = createSimulatedRecorder(media);
  const streams = createSimulatedStreams(life.clock, settling.touched);
  const sounds = { clips: media, speech: simulatedSpeech, decoder: simulatedDecoder };
  const shared = { clock, secrets, log, media, mediaLegs: media, ...sounds };

  const created = createPlatform({
    ...shared,
    database,
    metrics: createMetrics({ process: false }),
    domains: [domain],
    numbers: { targetsFor: () => undefined },
    sms: 'sandbox-inbox',
    egress: options.customer,
    audioStreams: streams,
    recorder,
    recordingFiles: recorder.files,
    publicUrl: 'https://api.example.com',
    firstAccount: account,
    httpLimits: { requests: 1_000_000 },
  });
  const { registrations, trunks, clientTokens, accounts, routes } = created.signalling;
  const digest = { ...shared, algorithms: ['SHA-256', 'MD5'] as const };
  const endpoints = createDigestAdmission({ ...digest, registrations, realm: domain });
  const passwords = createTrunkAdmission({ ...digest, trunks, domains: [domain], otherwise: endpoints });
  const edge = createSipEdge({
    ...shared,
    openTransports: async (listener) => {
      const transports = openSimulatedTransports(network, options.sip, {
        ...listener,
        onMessage(text, flow) {
          settling.touched();
          listener.onMessage(text, flow);
        },
      });
      life.atEnd(() => void transports.close());
      return { ...transports, send: (target, text) => life.isOn() && transports.send(target, text) };
    },
    admission: createAccountAdmission({
      isActive: accounts.isActive,
      otherwise: createTokenAdmission({ tokens: clientTokens, otherwise: passwords }),
    }),
    registrations,
    routes,
    // docs/interface/applications.md#fields: applications have addresses below `app.`.
    domains: [domain, `app.${domain}`],
    publicAddress: address,
    userAgentName: 'Jackfield',
    trunkLogin: trunks.loginOf,
    mayReach: (to) => to.startsWith(customersNetwork),
  });
  const platform = await created.start(edge.telephony);
  holdToDocument(platform.http, sharedJudge);
  life.atEnd(() => media.stop());
  life.atEnd(() => streams.stop());

  return {
    platform,
    edge,
    media,
    streams,
    database,
    async api(method, path, body) {
      settling.touched();
      const answer = await platform.http.inject({
        method,
        url: path.startsWith('/') ? path : `/v1/Account/${account.authId}/${path}`,
        headers: { authorization: basic(account) },
        ...(body === undefined ? {} : { payload: body as object }),
      });
      await settling.settle();
      return {
        status: answer.statusCode,
        body: answer.body === '' ? undefined : JSON.parse(answer.body),
      };
    },
    async kill(copyTo) {
      life.end();
      // Of a killed process the operating system keeps the written pages of a write-ahead log.
      cpSync(options.directory, copyTo, { recursive: true, filter: (path) => !/\.lock|-shm$/.test(path) });
      await platform.close();
      await database.close();
    },
    async close() {
      await edge.close();
      await platform.close();
      life.end();
      await database.close();
    },
  };
}

/** All simulated platforms have the same operations. */
const sharedJudge: { judge?: AnswerJudge } = {};

/** Where origination URIs may lead: the network of the phones, but not that of the platform. */
const customersNetwork = '10.0.1.';

/** Everything that a process holds outside: its timers and its ports. */
function lifeOf(clock: Clock) {
  const timers = new Set<() => void>();
  const endings: (() => void)[] = [];
  let isOn = true;
  // Like every process it counts from the wall clock at its start.
  const aheadMs = clock.wallNow() - clock.now();
  const lived: Clock = {
    now: () => clock.now() + aheadMs,
    wallNow: () => clock.wallNow(),
    startTimer(at, fire) {
      if (!isOn) return () => {};
      const stop = clock.startTimer(at - aheadMs, () => {
        timers.delete(cancel);
        fire();
      });
      const cancel = () => {
        timers.delete(cancel);
        stop();
      };
      timers.add(cancel);
      return cancel;
    },
  };
  return {
    clock: lived,
    isOn: () => isOn,
    atEnd: (end: () => void) => endings.push(end),
    end() {
      isOn = false;
      for (const cancel of [...timers]) cancel();
      for (const end of endings.splice(0)) end();
    },
  };
}

function basic({ authId, authToken }: SimulatedPlatformOptions['account']): string {
  return `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
}
