import assert from 'node:assert/strict';
import { createMetrics } from '@jackfield/adapters/metrics';
import {
  type Carrier,
  type CarrierAccount,
  createPlatform,
  type KeptRecords,
  type OutboxEvent,
  type Platform,
  type PlatformDeps,
  type RateTable,
} from '@jackfield/platform';
import type {
  Database,
  NumberRoutes,
  SignallingPorts,
  SoundDecoder,
  Speech,
  SpeechRequest,
  Telephony,
} from '@jackfield/ports';
import { createSignalling, type SenderLimits, type SipEdge } from '@jackfield/signalling';
import type { TransportListener, Transports } from '@jackfield/sip/transport';
import { type AnswerJudge, holdToDocument } from './answered-as-documented.ts';
import { createEventEmitter } from './event-emitter.ts';
import type { RecordedFiles } from './recorded-files.ts';
import type { createRecordingLog } from './recording-log.ts';
import { createSeededSecrets } from './seeded-secrets.ts';
import type { Settling } from './settling.ts';
import type { SimulatedCustomer } from './simulated-customer.ts';
import { type Incarnation, incarnationOn } from './simulated-incarnation.ts';
import { createSimulatedMedia, type SimulatedMedia } from './simulated-media.ts';
import type { DatagramNetwork, NetworkAddress } from './simulated-network.ts';
import { type Recognition, recognitionOf } from './simulated-recognition.ts';
import { createSimulatedRecorder } from './simulated-recorder.ts';
import {
  createSimulatedSpeech,
  type SimulatedSpeech,
  simulatedDecoder,
  spokenTo,
} from './simulated-sounds.ts';
import { createSimulatedStreams, type SimulatedStreams } from './simulated-streams.ts';
import { createSimulatedTelephony, type SimulatedTelephony } from './simulated-telephony.ts';
import { openSimulatedTransports } from './simulated-transports.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Settings of an operator that a test may want to change. */
export type PlatformSettings = Partial<
  Pick<
    PlatformDeps,
    | 'domains'
    | 'sms'
    | 'egress'
    | 'httpLimits'
    | 'soundLimits'
    | 'liveEventsLimits'
    | 'trustedSources'
    | 'metricsAccess'
    | 'docs'
    | 'guidePages'
    | 'turn'
    | 'hasOperatorListener'
    | 'signaturePrefixes'
    | 'keepsCalls'
    | 'node'
    | 'joinBus'
    | 'onIncarnationEnded'
    | 'sandboxNetwork'
    | 'transcription'
    | 'maxCalls'
    | 'mediaLoad'
    | keyof KeptRecords
  >
>;

export interface SimulatedPlatformOptions {
  readonly clock: VirtualClock;
  readonly network: DatagramNetwork;
  readonly random: () => number;
  readonly settling: Settling;
  readonly log: ReturnType<typeof createRecordingLog>;
  readonly sip: NetworkAddress;
  readonly domain: string;
  /** The server behind the URLs of callbacks and documents. */
  readonly customer: SimulatedCustomer;
  readonly account: Caller;
  /** The operator's carriers and their logins. */
  readonly operated: { readonly carriers: readonly Carrier[]; readonly accounts: readonly CarrierAccount[] };
  readonly rates?: RateTable;
  readonly limits?: SenderLimits;
  /** Without phones the test moves the legs. */
  readonly phones: boolean;
  readonly database: Database;
  /** Wraps the database, for tests of events between two transactions. */
  readonly interpose?: (database: Database) => Database;
  /** Routes of the public network; none when absent. */
  readonly numbers?: NumberRoutes;
  /** What turns texts and files into sound, in place of the tones of this world. */
  readonly sounds?: { readonly speech: Speech; readonly decoder: SoundDecoder };
  /** What recognises speech, or what makes it from the captures of each process; nothing when absent. */
  readonly recognition?: Recognition;
  /** The real recorder, to which the test gives the audio; what the media engine captures is kept in memory when absent. */
  readonly recorder?: RecordedFiles;
  /** What the platform gets in place of the settings of this world. */
  readonly settings?: PlatformSettings;
}

/** An answer of the HTTP interface: its body is any JSON, and a test asserts on the parts that it needs. */
export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a black box test knows none of our types
  readonly body: any;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The credentials of an account. */
export interface Caller {
  readonly authId: string;
  readonly authToken: string;
}

export interface CallOptions {
  readonly body?: unknown;
  /** The first account when absent. */
  readonly as?: Caller;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Call = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  options?: CallOptions,
) => Promise<ApiAnswer>;

/** Signalling over SIP, or without it. */
export interface SimulatedEdge extends Pick<SipEdge, 'telephony' | 'bannedSources' | 'close'> {
  census(): object;
  routedLegs(): object;
}

/** The whole product over simulated ports: one process of it. */
export interface SimulatedPlatform {
  readonly platform: Platform;
  readonly edge: SimulatedEdge;
  /** Undefined in a world with phones. */
  readonly telephony: SimulatedTelephony | undefined;
  readonly media: SimulatedMedia;
  /** Servers of audio streams, configured by the test. */
  readonly streams: SimulatedStreams;
  /** The speech that the media engine was ordered to play to this leg, in order. */
  spokenTo(leg: string): readonly SpeechRequest[];
  /** The text that a clip of the media engine speaks; undefined for a file. */
  speechIn(clip: string): SpeechRequest | undefined;
  /** For data that no interface shows yet, such as the record of a call. */
  readonly database: Database;
  /** What the platform provides to signalling. */
  readonly ports: SignallingPorts;
  /**
   * A request to the HTTP interface; `path` is below the caller's account, or absolute. Fails with the log after a fault of the server; 502
   * when the process ends before its answer.
   */
  readonly call: Call;
  /** Emits events that no feature emits, in one transaction. */
  emit(...events: readonly OutboxEvent[]): Promise<void>;
  /** Ends the process between two instructions: no BYE, no message, no timer. */
  kill(): void;
  /** Releases what a killed process holds in this one. */
  release(): Promise<void>;
  close(): Promise<void>;
}

/** The platform created, signalling created from its ports, and both started: as the server does, over adapters in this process. */
export async function startSimulatedPlatform(options: SimulatedPlatformOptions): Promise<SimulatedPlatform> {
  const incarnation = incarnationOn(options.clock);
  const adapters = await createAdapters(options, incarnation);
  const { database, media, speech, streams } = adapters;
  const created = createPlatform({
    ...adapters,
    ...options.operated,
    domains: domainsOf(options),
    numbers: options.numbers ?? (options.phones ? noNumbers : anyNumber),
    sms: 'sandbox-inbox',
    publicUrl: 'https://api.example.com',
    firstAccount: options.account,
    httpLimits: { requests: 1_000_000, strangerRequests: 1_000_000 },
    ...options.settings,
    ...(options.rates === undefined ? {} : { rates: options.rates }),
  });
  const speechIn = (clip: string) => speech.requestOf(media.clipOf(clip));
  const telephony = options.phones ? undefined : telephonyOf(options, adapters);
  const edge: SimulatedEdge =
    telephony === undefined
      ? signallingOf(options, adapters, incarnation, created.signalling)
      : edgeOf(telephony);
  const platform = await created.start(whileAlive(edge.telephony, incarnation));
  const broken = new Promise<ApiAnswer>((resolve) => incarnation.atEnd(() => resolve(badGateway)));
  holdToDocument(platform.http, judgesOf(options.settings));
  incarnation.atEnd(() => media.stop());
  incarnation.atEnd(() => streams.stop());

  return {
    platform,
    edge,
    telephony,
    media,
    streams,
    spokenTo: (leg) => spokenTo(leg, media, speechIn),
    speechIn,
    database,
    ports: created.signalling,
    call: (...request) => Promise.race([answerOf(platform, options, ...request), broken]),
    emit: emitterOf(platform, options),
    kill: () => incarnation.end(),
    release: () => platform.close(),
    async close() {
      await platform.close();
      await edge.close();
      incarnation.end();
    },
  };
}

type Adapters = Awaited<ReturnType<typeof createAdapters>>;

const noNumbers: NumberRoutes = { targetsFor: () => undefined };
/** Without signalling nothing is sent to the target. */
const anyNumber: NumberRoutes = { targetsFor: (number) => [{ uri: `sip:${number}@192.0.2.1` }] };

function signallingOf(
  options: SimulatedPlatformOptions,
  adapters: Adapters,
  incarnation: Incarnation,
  ports: SignallingPorts,
): SipEdge {
  return createSignalling({
    ...adapters,
    ports,
    domains: domainsOf(options),
    operated: options.operated,
    openTransports: async (listener) => openTransports(options, incarnation, listener),
    // The server's default: a challenge of two algorithms is larger than the requests of simple phones.
    digest: ['MD5'],
    addressFor: () => options.sip.address,
    mayReach: (to) => to.startsWith(customersNetwork),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
}

function telephonyOf({ settling }: SimulatedPlatformOptions, { mediaLegs, secrets }: Adapters) {
  const { touched } = settling;
  return createSimulatedTelephony({ mediaLegs, touched, newUuid: () => secrets.randomUuid() });
}

function edgeOf(telephony: SimulatedTelephony): SimulatedEdge {
  const { census } = telephony;
  return { telephony, census, routedLegs: () => ({}), bannedSources: () => 0, close: async () => {} };
}

function domainsOf({ settings, domain }: SimulatedPlatformOptions): readonly [string, ...string[]] {
  return settings?.domains ?? [domain];
}

/** What stands in for the outside systems, the database apart: that is the real one. */
async function createAdapters(options: SimulatedPlatformOptions, incarnation: Incarnation) {
  const { network, random, settling, log } = options;
  const { interpose = (database: Database) => database } = options;
  const { address } = options.sip;
  const media = createSimulatedMedia({
    clock: incarnation.clock,
    network,
    address,
    random,
    touched: settling.touched,
  });
  const streams = createSimulatedStreams(incarnation.clock, settling.touched);
  return {
    clock: settling.clock(incarnation.clock),
    secrets: createSeededSecrets(random),
    log,
    database: settling.database(interpose(options.database)),
    metrics: createMetrics({ process: false }),
    media,
    mediaLegs: media,
    clips: media,
    speech: speechOf(options),
    decoder: options.sounds?.decoder ?? simulatedDecoder,
    ...recognitionOf(options.recognition, media),
    linkedAudio: { legs: media, address },
    ...(await recorderOf(options, media)),
    egress: options.customer,
    streams,
    audioStreams: streams,
  };
}

async function recorderOf(
  { recorder, settling }: SimulatedPlatformOptions,
  media: SimulatedMedia,
): Promise<Pick<PlatformDeps, 'recorder' | 'recordingFiles'>> {
  if (recorder !== undefined) return recorder.open(settling);
  const simulated = createSimulatedRecorder(media);
  return { recorder: simulated, recordingFiles: simulated.files };
}

/** Only speech of this world is known by its clips. */
function speechOf({ sounds }: SimulatedPlatformOptions): SimulatedSpeech {
  if (sounds === undefined) return createSimulatedSpeech();
  return { ...sounds.speech, requestOf: () => undefined };
}

function openTransports(
  { network, sip, settling }: SimulatedPlatformOptions,
  incarnation: Incarnation,
  listener: TransportListener,
): Transports {
  const transports = openSimulatedTransports(network, sip, {
    ...listener,
    onMessage(text, flow) {
      settling.touched();
      listener.onMessage(text, flow);
    },
  });
  incarnation.atEnd(() => void transports.close());
  return { ...transports, send: (target, text) => incarnation.isOn() && transports.send(target, text) };
}

/** A dead process has no timer that would end its requests to carriers; they end at once. */
function whileAlive(telephony: Telephony, incarnation: Incarnation): Telephony {
  const { carriers } = telephony;
  if (carriers === undefined) return telephony;
  return {
    ...telephony,
    carriers: {
      ...carriers,
      register: (order, done) =>
        incarnation.isOn()
          ? carriers.register(order, done)
          : queueMicrotask(() => done({ type: 'unanswered' })),
    },
  };
}

async function answerOf(
  { http }: Platform,
  { settling, account, log }: SimulatedPlatformOptions,
  method: Parameters<Call>[0],
  path: string,
  { body, as = account, headers = {} }: CallOptions = {},
): Promise<ApiAnswer> {
  settling.touched();
  const answer = await http.inject({
    method,
    url: path.startsWith('/') ? path : `/v1/Account/${as.authId}/${path}`,
    headers: { authorization: basic(as), ...headers },
    ...(body === undefined ? {} : { payload: body as object }),
  });
  if (answer.statusCode === 500)
    assert.fail(`a fault of the server: ${JSON.stringify(log.lines, errorsToo)}`);
  await settling.settle();
  return {
    status: answer.statusCode,
    body: answer.body === '' ? undefined : JSON.parse(answer.body),
    headers: answer.headers,
  };
}

/** A load balancer's answer for a node whose process ends before its own: the request may have had its effect. */
const badGateway: ApiAnswer = { status: 502, body: undefined, headers: {} };

const errorsToo = (_: string, value: unknown) => (value instanceof Error ? value.stack : value);

type Judges = { judge?: AnswerJudge };

/** Those with gateways for messages have no inbox. */
const sharedJudges: Readonly<Record<'inbox' | 'gateways', Judges>> = { inbox: {}, gateways: {} };

/** All simulated platforms of each kind have the same operations, but for those with a sandbox. */
function judgesOf({ sandboxNetwork, sms = 'sandbox-inbox' }: PlatformSettings = {}): Judges {
  if (sandboxNetwork !== undefined) return {};
  return sharedJudges[sms === 'sandbox-inbox' ? 'inbox' : 'gateways'];
}

/** Where origination URIs may lead: the network of the phones, but not that of the platform. */
const customersNetwork = '10.0.1.';

/** The kind of session that emits is defined at the first event: few worlds emit any. */
function emitterOf({ runner }: Platform, { settling }: SimulatedPlatformOptions): SimulatedPlatform['emit'] {
  let emit: ReturnType<typeof createEventEmitter> | undefined;
  return async (...events) => {
    emit ??= createEventEmitter(runner);
    await emit(...events);
    await settling.settle();
  };
}

/** The value of Authorization. */
export function basic({ authId, authToken }: Caller): string {
  return `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
}
