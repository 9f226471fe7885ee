import { cpSync } from 'node:fs';
import { createSqliteDatabase } from '@jackfield/adapters/database-sqlite';
import { createMetrics } from '@jackfield/adapters/metrics';
import {
  type Carrier,
  type CarrierAccount,
  createPlatform,
  type Platform,
  type RateTable,
} from '@jackfield/platform';
import type { Clock, Database, Logger, Telephony } from '@jackfield/ports';
import { createSignalling, type SenderLimits, type SipEdge } from '@jackfield/signalling';
import type { TransportListener, Transports } from '@jackfield/sip/transport';
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
  /** The operator's carriers and their logins. */
  readonly operated: { readonly carriers: readonly Carrier[]; readonly accounts: readonly CarrierAccount[] };
  readonly rates?: RateTable;
  readonly limits?: SenderLimits;
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

/** The platform created, signalling created from its ports, and both started: as the server does, over adapters in this process. */
export async function startSimulatedPlatform(options: SimulatedPlatformOptions): Promise<SimulatedPlatform> {
  const life = lifeOf(options.clock);
  const adapters = createAdapters(options, life);
  const { database, media, streams } = adapters;
  const created = createPlatform({
    ...adapters,
    ...options.operated,
    domains: [options.domain],
    numbers: { targetsFor: () => undefined },
    sms: 'sandbox-inbox',
    publicUrl: 'https://api.example.com',
    firstAccount: options.account,
    httpLimits: { requests: 1_000_000 },
    ...(options.rates === undefined ? {} : { rates: options.rates }),
  });
  const edge = createSignalling({
    ...adapters,
    ports: created.signalling,
    domains: [options.domain],
    operated: options.operated,
    openTransports: async (listener) => openTransports(options, life, listener),
    // The server's default: a challenge of two algorithms is larger than the requests of simple phones.
    digest: ['MD5'],
    publicAddress: options.sip.address,
    mayReach: (to) => to.startsWith(customersNetwork),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  const platform = await created.start(whileAlive(edge.telephony, life));
  holdToDocument(platform.http, sharedJudge);
  life.atEnd(() => media.stop());
  life.atEnd(() => streams.stop());

  return {
    platform,
    edge,
    media,
    streams,
    database,
    api: (method, path, body) => answerOf(platform, options, method, path, body),
    async kill(copyTo) {
      life.end();
      // Of a killed process the operating system keeps the written pages of a write-ahead log.
      cpSync(options.directory, copyTo, { recursive: true, filter: (path) => !/\.lock|-shm$/.test(path) });
      await platform.close();
      await database.close();
    },
    async close() {
      await platform.close();
      await edge.close();
      life.end();
      await database.close();
    },
  };
}

type Life = ReturnType<typeof lifeOf>;

/** What stands in for the outside systems, the database apart: that is the real one. */
function createAdapters(options: SimulatedPlatformOptions, life: Life) {
  const { network, random, settling, log } = options;
  const { interpose = (database: Database) => database } = options;
  const { address } = options.sip;
  const media = createSimulatedMedia({
    clock: life.clock,
    network,
    address,
    random,
    touched: settling.touched,
  });
  const recorder = createSimulatedRecorder(media);
  const streams = createSimulatedStreams(life.clock, settling.touched);
  return {
    clock: settling.clock(life.clock),
    secrets: createSeededSecrets(random),
    log,
    database: settling.database(interpose(createSqliteDatabase({ directory: options.directory, log }))),
    metrics: createMetrics({ process: false }),
    media,
    mediaLegs: media,
    clips: media,
    speech: simulatedSpeech,
    decoder: simulatedDecoder,
    recorder,
    recordingFiles: recorder.files,
    egress: options.customer,
    streams,
    audioStreams: streams,
  };
}

function openTransports(
  { network, sip, settling }: SimulatedPlatformOptions,
  life: Life,
  listener: TransportListener,
): Transports {
  const transports = openSimulatedTransports(network, sip, {
    ...listener,
    onMessage(text, flow) {
      settling.touched();
      listener.onMessage(text, flow);
    },
  });
  life.atEnd(() => void transports.close());
  return { ...transports, send: (target, text) => life.isOn() && transports.send(target, text) };
}

/** A dead process has no timer that would end its requests to carriers; they end at once. */
function whileAlive(telephony: Telephony, life: Life): Telephony {
  const { carriers } = telephony;
  if (carriers === undefined) return telephony;
  return {
    ...telephony,
    carriers: {
      ...carriers,
      register: (order, done) =>
        life.isOn() ? carriers.register(order, done) : queueMicrotask(() => done({ type: 'unanswered' })),
    },
  };
}

async function answerOf(
  { http }: Platform,
  { settling, account }: SimulatedPlatformOptions,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body: unknown,
): Promise<ApiAnswer> {
  settling.touched();
  const answer = await http.inject({
    method,
    url: path.startsWith('/') ? path : `/v1/Account/${account.authId}/${path}`,
    headers: { authorization: basic(account) },
    ...(body === undefined ? {} : { payload: body as object }),
  });
  await settling.settle();
  return { status: answer.statusCode, body: answer.body === '' ? undefined : JSON.parse(answer.body) };
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
