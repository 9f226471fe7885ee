import type {
  AudioStreams,
  Bus,
  CallTracing,
  Clock,
  Database,
  Egress,
  EgressAddresses,
  LegMeasures,
  Logger,
  Media,
  MediaClips,
  Metrics,
  NumberRoutes,
  Recorder,
  RecordingFiles,
  Secrets,
  SignallingPorts,
  SoundDecoder,
  Speech,
  SpeechRecognition,
  Telephony,
  Transcription,
} from '@jackfield/ports';
import type { FastifyInstance } from 'fastify';
import type { FirstAccount } from './features/accounts/index.ts';
import type { Carrier } from './features/carriers/index.ts';
import type { TurnServer } from './features/client-tokens/index.ts';
import type { ConsoleIdentity } from './features/console-sessions/index.ts';
import type { LiveEventsLimits } from './features/live-events/index.ts';
import type { LinkedAudio } from './features/media-links/index.ts';
import type { LinkedGateway } from './features/message-gateways/index.ts';
import type { Recordings } from './features/recordings/index.ts';
import type { SandboxNetwork } from './features/sandbox-calls/index.ts';
import type { FaultyNetwork } from './features/sandbox-faults/index.ts';
import type { SoundLimits, Sounds } from './features/sounds/index.ts';
import type { RateTable } from './features/usage/index.ts';
import type { HttpApiDeps, HttpLimits } from './http/index.ts';
import type { LoggedEvent } from './kernel/event-log.ts';
import type { SessionRunner } from './kernel/session-runner.ts';

/** How long records are kept after the end of what they describe; for ever where left out, except the first. */
export interface KeptRecords {
  /** The log of callbacks and the event stream. */
  readonly keepCallbacksMs?: number;
  /** How many events the event stream keeps at most. */
  readonly keepEvents?: number;
  readonly keepRecordingsMs?: number;
  readonly keepCallsMs?: number;
  readonly keepMultipartyCallsMs?: number;
  readonly keepVerifySessionsMs?: number;
}

export interface PlatformDeps
  extends KeptRecords,
    Pick<
      HttpApiDeps,
      | 'trustedSources'
      | 'proxies'
      | 'certificate'
      | 'metricsAccess'
      | 'docs'
      | 'guidePages'
      | 'consolePages'
      | 'hasOperatorListener'
    > {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly secrets: Secrets;
  readonly media: Media & LegMeasures;
  readonly clips: MediaClips;
  readonly speech: Speech;
  readonly decoder: SoundDecoder;
  /** Absent without a speech engine: documents cannot ask for speech. */
  readonly recognition?: SpeechRecognition;
  /** As `recognition`, for the files of recordings. */
  readonly transcription?: Transcription;
  readonly recorder: Recorder;
  readonly recordingFiles: RecordingFiles;
  readonly numbers: NumberRoutes;
  /** People of the operator log in to the console through it; tokens and links alone when absent. */
  readonly identity?: ConsoleIdentity;
  /** The operator's TURN server, for pages whose network lets nothing but TLS through; none when absent. */
  readonly turn?: TurnServer;
  /** Routes for numbers that `numbers` does not know. */
  readonly carriers?: readonly Carrier[];
  /** Gateways for messages to phones, or the inbox of the sandbox; without them every message is refused. */
  readonly sms?: readonly LinkedGateway[] | 'sandbox-inbox';
  /** The sandbox's phones, which call on request; absent outside of the sandbox. */
  readonly sandboxNetwork?: SandboxNetwork & FaultyNetwork;
  /** Requests to URLs of customers. */
  readonly egress: Egress & EgressAddresses;
  /** Sockets of audio streams. */
  readonly audioStreams: AudioStreams;
  /** SIP domains of the platform, lower case; the first is the realm. */
  readonly domains: readonly [string, ...string[]];
  /** Addresses at which phones reach the platform, as hosts of SIP URIs: those of IPv6 in brackets. `sip:<user>@<address>` names a user of the platform. */
  readonly addresses?: readonly string[];
  readonly firstAccount?: { readonly authId: string; readonly authToken: string };
  readonly httpLimits?: Partial<HttpLimits>;
  readonly soundLimits?: Partial<SoundLimits>;
  readonly liveEventsLimits?: Partial<LiveEventsLimits>;
  /** Where customers reach the HTTP interface: scheme, host and port. */
  readonly publicUrl: string;
  /** Spans of documents and callbacks; none when left out. */
  readonly tracing?: Pick<CallTracing, 'happened'>;
  /** Whether SIP messages and documents of calls are kept; false when left out. */
  readonly keepsCalls?: boolean;
  /** Prices of calls; calls are free when left out. */
  readonly rates?: RateTable;
  /** The most legs of calls at once; no limit when left out. */
  readonly maxCalls?: number;
  /** The share of the media's ports in use, 1 where a new call gets none; without such a limit when left out. */
  readonly mediaLoad?: () => number;
  /** The name of this machine among those that share the database. */
  readonly node?: string;
  /** The release of this process. */
  readonly version?: string;
  /** Joins the nodes that share the database, under the token of the incarnation; left out where no other process uses it. */
  readonly joinBus?: (incarnation: string) => Bus;
  /** Audio between these nodes; without it calls join only conversations of their own node. */
  readonly linkedAudio?: LinkedAudio;
  /** Another process has ended this one on their database: this process has to end. */
  readonly onIncarnationEnded?: () => void;
  /** Prefixes of the signature headers, e.g. `X-Service-`. */
  readonly signaturePrefixes?: readonly string[];
}

/** The platform before its start: it has read nothing, and nothing runs. */
export interface CreatedPlatform {
  /** This run of the process, in names of connections. */
  readonly incarnation: string;
  /** The answers to signalling; available after the start. */
  readonly signalling: SignallingPorts;
  /** Ends the sessions of the last process, opens signalling after all other parts, and serves. Callable once. */
  start(telephony: Telephony): Promise<Platform>;
}

export interface Platform {
  readonly account: FirstAccount;
  readonly runner: SessionRunner;
  /** The HTTP interface; the caller of `createPlatform` listens. */
  readonly http: FastifyInstance;
  /** The operator's part of it, where that has a listener apart. */
  readonly operatorHttp?: FastifyInstance;
  readonly recordings: Recordings;
  readonly sounds: Sounds;
  /** The account of a live call; undefined for any other. */
  accountOfCall(call: string): string | undefined;
  /** By feature: open resources that are no sessions of the runner. */
  census(): Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Calls the listener with every later event of the first account and its subaccounts; resolves with a function that stops it. */
  followEvents(listener: (event: LoggedEvent) => void): Promise<() => void>;
  /** A token that logs in to the console once, as owner of the first account. */
  createConsoleLink(): Promise<string>;
  /** The process ends soon: from now on `/readyz` answers 503, and new work is refused. */
  drain(): void;
  /** Waits for pending writes, then stops; the caller of `createPlatform` closes the database. */
  close(): Promise<void>;
}
