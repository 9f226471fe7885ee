import { randomBytes } from 'node:crypto';
import type { TakeCaptured } from '../capture/capture.ts';
import type {
  AgreedKeys,
  AgreedMedia,
  LegStatistics,
  MediaNotice,
  MixCommand,
  SoundClip,
} from '../engine/commands.ts';
import type { MediaEngine } from '../engine/engine-interface.ts';
import type { EngineCensus, EngineCounters, EngineLimits } from '../engine/engine-limits.ts';
import { createMediaEngine } from '../engine/media-engine.ts';
import type { MovedNames } from '../engine/moves.ts';
import type { IceCredentials } from '../ice/ice-agent.ts';
import type { SrtpCiphers } from '../rtp/srtp-suite.ts';
import type { EngineStreams } from '../stream/engine-streams.ts';
import type { WebrtcCounters, WebrtcLegs } from '../webrtc/webrtc-legs.ts';
import { Arrivals } from './arrivals.ts';
import { createClipLoader } from './clip-loader.ts';
import { createHostLegs, type OpenedLeg } from './host-legs.ts';
import type { MovedLegs } from './host-moves.ts';
import type { LegSockets, OpenLegSockets, SocketCounters } from './leg-sockets.ts';
import type { OpenOpus } from './opus.ts';
import { createRandomNumbers } from './random-numbers.ts';
import { RelayedLegs } from './relayed-legs.ts';
import { nodeCiphers } from './srtp-ciphers.ts';
import { createTickLoop, type TickLoopDeps, type TickStats } from './tick-loop.ts';
import type { WebrtcPort } from './webrtc-port.ts';

/** An engine with sockets and a clock, as it runs in a media thread. */
export interface MediaHost {
  /**
   * Binds a port pair, or shares the port of WebRTC with these credentials of ICE. Rejects with NoPortLeftError, or with an Error when the
   * name is in use, the limit of legs is reached or WebRTC is off. A leg of WebRTC may be opened again without credentials.
   */
  open(leg: string, ice?: IceCredentials): Promise<OpenedLeg>;
  /** For a leg of WebRTC that another thread has: what its handshake must prove, see `MediaHostOptions.secured`. */
  connect(leg: string, agreed: AgreedMedia): void;
  /** The handshake of a leg of WebRTC that another thread had opened is over there, with these keys. */
  secure(leg: string, keys: AgreedKeys): void;
  /** Returns zeros when the leg is not open. */
  close(leg: string): Promise<LegStatistics>;
  /** The counters of legs until now; undefined for a leg that is not open. */
  measure(legs: readonly string[]): readonly (LegStatistics | undefined)[];
  /** Takes legs out, with the mixes and captures that follow them: another thread of this process continues them. */
  release(names: MovedNames): Promise<MovedLegs>;
  adopt(moved: MovedLegs): Promise<void>;
  /** A port pair of this host that a leg had taken along to another thread is free again. */
  freePort(port: number): void;
  /** See LegSockets. */
  readonly pollDescriptor: number | undefined;
  apply(command: MixCommand): void;
  /**
   * Converts the clip in small steps between ticks. Rejects with a RangeError when it is too long or its rate is
   * invalid.
   */
  loadClip(name: string, clip: SoundClip): Promise<void>;
  /**
   * Adds to the end of a clip that grows, in the order of the calls; plays of it wait at its end for more. Rejects with a RangeError when it
   * does not fit: the clip ends there.
   */
  growClip(name: string, piece: SoundClip, isLast: boolean): Promise<void>;
  dropClip(name: string): void;
  /** Audio to and from programs in this thread. */
  readonly streams: EngineStreams;
  /** Epoch milliseconds that never decrease: the engine's clock. */
  now(): number;
  census(): HostCensus;
  stats(): HostStats;
  /** Resets the timing statistics, for example after the start. */
  resetStats(): void;
  /** Closes all legs, ends all captures and stops the ticks. */
  closeAll(): Promise<void>;
}

/** Current numbers of objects, including sockets and ciphers outside the heap. The port of WebRTC is open as long as the host. */
export interface HostCensus extends EngineCensus {
  /** Of legs with ports of their own. */
  readonly sockets: number;
  readonly ciphers: number;
  /** Of WebRTC: checked sources, DTLS associations and TCP connections. */
  readonly sources: number;
  readonly handshakes: number;
  readonly connections: number;
}

/** Timing, load and counters of a host, for metrics. */
export interface HostStats {
  readonly participants: number;
  readonly ticks: TickStats;
  readonly engine: EngineCounters;
  readonly network: SocketCounters;
  /** The port of WebRTC; undefined where it is off. */
  readonly webrtc?: SocketCounters & WebrtcCounters;
  /** Sources that reach a leg without an edge; anything but 0 is a bug. */
  readonly leaks: number;
  /** CPU time of this thread since its start, in ms. */
  readonly cpuMs: number;
}

/** The network, callbacks and limits of a host. */
export interface MediaHostOptions {
  /** Address to bind. */
  readonly host: string;
  readonly ports: { readonly first: number; readonly last: number };
  readonly openSockets: OpenLegSockets;
  /** Receives the notices of one turn of the event loop, in order. */
  readonly notify: (notices: readonly MediaNotice[]) => void;
  /** A leg of WebRTC that another thread has: the handshake is over here, and its keys are for that thread. */
  readonly secured?: (leg: string, keys: AgreedKeys) => void;
  /** Receives captured audio, see MediaEngineDeps. */
  readonly captured?: TakeCaptured;
  /** See `loadOpus`; legs have no Opus when left out. */
  readonly openOpus?: OpenOpus;
  /** Ciphers of SRTP; those of node:crypto when left out. */
  readonly ciphers?: SrtpCiphers;
  /** Legs have no WebRTC when left out. The host closes it. */
  readonly webrtc?: WebrtcPort;
  /**
   * See TickLoopDeps. `pauses` is false where a timer paces the thread: then it does not leave its core while the event loop has work
   * again and again.
   */
  readonly resting?: (isResting: boolean, pauses: boolean) => void;
  /** See LatchOptions. */
  readonly isAdmitted?: (address: string) => boolean;
  readonly mediaSilentMs?: number;
  /** Steps in 20 ms, see MediaEngineDeps; default 8. */
  readonly phases?: number;
  readonly limits?: Partial<EngineLimits>;
}

/** Steps of 2.5 ms: fine enough to run soon after the packets of a call; more steps would cost more than they save. */
const PHASES = 8;

const { timeOrigin } = performance;

/** Monotonic, independent of changes of the system clock. */
function now(): number {
  return timeOrigin + performance.now();
}

/** Creates a host; ticks begin with the first leg. */
export function createMediaHost(options: MediaHostOptions): MediaHost {
  const { phases = PHASES, ciphers = nodeCiphers } = options;
  const arrivals = new Arrivals(now);
  const relayed = new RelayedLegs();
  const { engine, sockets, browsers } = connectEngine(options, phases, ciphers, relayed, arrivals);
  const { webrtc, host } = options;
  engine.warmUp();
  const clips = createClipLoader(engine);
  const loop = createTickLoop({
    intervalMs: 20 / phases,
    ticksPerFrame: phases,
    now,
    tick(nowMs, skipped) {
      engine.tick(nowMs, skipped);
      webrtc?.flush();
    },
    // A browser whose leg is in another thread sends through the port of this one.
    isIdle: () => engine.isIdle() && browsers?.isEmpty !== false,
    rested: (frames) => engine.rest(frames),
    resting: (isResting) => options.resting?.(isResting, sockets.wait !== undefined),
    poll: pollOf(sockets, webrtc, arrivals),
    ...waitOf(sockets, clips.isConverting),
    // Each tick polls, so only the remaining polls are needed.
    pollsPerTick: Math.ceil((sockets.pollsPerTick + 1) / phases) - 1,
  });
  loop.start();
  const legs = createHostLegs({
    ...{ engine, sockets, browsers, webrtc, relayed, host, now },
    wake: loop.wake,
  });

  return {
    open: legs.open,
    connect: legs.connect,
    secure: legs.secure,
    close: legs.close,
    measure: (names) => names.map((leg) => engine.measureLeg(leg)),
    release: legs.release,
    adopt: legs.adopt,
    freePort: sockets.freePort,
    pollDescriptor: sockets.pollDescriptor,
    apply(command) {
      loop.wake();
      engine.apply(command, now());
    },
    loadClip: clips.load,
    growClip: clips.grow,
    dropClip(name) {
      clips.drop(name);
      engine.dropClip(name);
    },
    streams: wakingStreams(engine.streams, loop.wake),
    now,
    census: () => ({
      ...engine.census(),
      sockets: sockets.counters.sockets,
      ciphers: ciphers.openCount,
      sources: browsers?.size.sources ?? 0,
      handshakes: 0,
      connections: 0,
      ...webrtc?.census(),
    }),
    stats: () => ({
      participants: engine.census().legs,
      ticks: loop.stats(),
      engine: { ...engine.counters },
      network: { ...sockets.counters },
      ...(webrtc === undefined ? {} : { webrtc: { ...webrtc.network, ...webrtc.counters } }),
      leaks: engine.countLeaks(),
      cpuMs: threadCpuMs(),
    }),
    resetStats: () => loop.resetStats(),
    async closeAll() {
      engine.endCaptures();
      await legs.closeAll();
      loop.stop();
      sockets.end?.();
      await webrtc?.close();
    },
  };
}

/** An engine whose packets pass through sockets, and whose notices leave once a turn of the event loop. */
function connectEngine(
  options: MediaHostOptions,
  phases: number,
  ciphers: SrtpCiphers,
  relayed: RelayedLegs,
  arrivals: Arrivals,
): { readonly engine: MediaEngine; readonly sockets: LegSockets; readonly browsers: WebrtcLegs | undefined } {
  let gathered: MediaNotice[] = [];
  const hand = (): void => {
    const notices = gathered;
    gathered = [];
    options.notify(notices);
  };
  const sockets = options.openSockets({
    host: options.host,
    ports: options.ports,
    receive(leg, bytes, length, address, port, ageMs) {
      if (!relayed.isForeign(leg, address, port))
        engine.receive(leg, bytes, length, address, port, arrivals.msOf(ageMs));
    },
    receiveReport: (leg, bytes, length, address, port, ageMs) =>
      engine.receiveReport(leg, bytes, length, address, port, arrivals.msOf(ageMs)),
  });
  const notify = (notice: MediaNotice): void => {
    if (gathered.push(notice) === 1) queueMicrotask(hand);
  };
  const { mediaSilentMs = 60_000 } = options;
  const browsers = options.webrtc?.serve({
    ciphers,
    now,
    receive: (leg, bytes, length, address, port, ageMs) =>
      engine.receive(leg, bytes, length, address, port, arrivals.msOf(ageMs)),
    secured(leg, keys) {
      if (!engine.secureLeg(leg, keys, now())) options.secured?.(leg, keys);
    },
    silent: (leg, forMs) => notify({ type: 'media-silent', leg, forMs }),
    silentMs: mediaSilentMs,
  });
  const engine: MediaEngine = createMediaEngine({
    send: browsers === undefined ? sockets.send : sendBy(browsers, sockets),
    sendReport: sockets.sendReport,
    notify,
    random: createRandomNumbers(),
    // RFC 7022 §4.2: 96 random bits, which reveal nothing about the machine.
    cname: randomBytes(12).toString('base64'),
    phases,
    ciphers,
    ...(options.captured === undefined ? {} : { captured: options.captured }),
    ...(options.openOpus === undefined ? {} : { openOpus: options.openOpus }),
    ...(options.isAdmitted === undefined ? {} : { isAdmitted: options.isAdmitted }),
    mediaSilentMs,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  return { engine, sockets, browsers };
}

/** Legs of WebRTC send through their common port. */
function sendBy(browsers: WebrtcLegs, sockets: LegSockets): LegSockets['send'] {
  return (leg, bytes, length, address, port) => {
    if (!browsers.send(leg, bytes, length)) sockets.send(leg, bytes, length, address, port);
  };
}

/** Polls, and sends the answers to packets for legs of WebRTC at once. */
function pollOf(sockets: LegSockets, webrtc: WebrtcPort | undefined, arrivals: Arrivals): () => void {
  return () => {
    arrivals.pollBegins();
    sockets.poll();
    if (webrtc !== undefined) {
      arrivals.pollBegins();
      webrtc.poll();
      webrtc.flush();
    }
    arrivals.pollEnds();
  };
}

/** Streams that end the rest of the loop before they give the engine work. */
function wakingStreams(streams: EngineStreams, wake: () => void): EngineStreams {
  return {
    ...streams,
    tap(name, order) {
      wake();
      return streams.tap(name, order);
    },
    openStreamSource(name, order) {
      wake();
      return streams.openStreamSource(name, order);
    },
    openVirtualLeg(name, order) {
      wake();
      return streams.openVirtualLeg(name, order);
    },
  };
}

/** The wait of the sockets, if they have one; not while the event loop has work that it does not see. */
function waitOf({ wait }: LegSockets, isBusy: () => boolean): Pick<TickLoopDeps, 'wait'> {
  if (wait === undefined) return {};
  return { wait: { ...wait, untilWork: (ms) => isBusy() || wait.untilWork(ms) } };
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
