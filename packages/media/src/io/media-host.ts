import { randomBytes, randomInt } from 'node:crypto';
import type { TakeCaptured } from '../capture/capture.ts';
import type { AgreedMedia, LegStatistics, MediaNotice, MixCommand, SoundClip } from '../engine/commands.ts';
import type { MediaEngine } from '../engine/engine-interface.ts';
import type { EngineCensus, EngineCounters, EngineLimits } from '../engine/engine-limits.ts';
import { createMediaEngine } from '../engine/media-engine.ts';
import type { SrtpCiphers } from '../rtp/srtp-suite.ts';
import type { EngineStreams } from '../stream/engine-streams.ts';
import { createClipLoader } from './clip-loader.ts';
import type { LegSockets, OpenLegSockets, SocketCounters } from './leg-sockets.ts';
import type { OpenOpus } from './opus.ts';
import { nodeCiphers } from './srtp-ciphers.ts';
import { createTickLoop, type TickLoopDeps, type TickStats } from './tick-loop.ts';

/** An engine with sockets and a clock, as it runs in a media thread. */
export interface MediaHost {
  /**
   * Binds a port pair. Rejects with NoPortLeftError, or with an Error when the name is in use or the limit of legs is
   * reached.
   */
  open(leg: string): Promise<{ port: number }>;
  connect(leg: string, agreed: AgreedMedia): void;
  /** Returns zeros when the leg is not open. */
  close(leg: string): Promise<LegStatistics>;
  apply(command: MixCommand): void;
  /**
   * Converts the clip in small steps between ticks. Rejects with a RangeError when it is too long or its rate is
   * invalid.
   */
  loadClip(name: string, clip: SoundClip): Promise<void>;
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

/** Current numbers of objects, including sockets and ciphers outside the heap. */
export interface HostCensus extends EngineCensus {
  readonly sockets: number;
  readonly ciphers: number;
}

/** Timing, load and counters of a host, for metrics. */
export interface HostStats {
  readonly participants: number;
  readonly ticks: TickStats;
  readonly engine: EngineCounters;
  readonly network: SocketCounters;
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
  /** Receives captured audio, see MediaEngineDeps. */
  readonly captured?: TakeCaptured;
  /** See `loadOpus`; legs have no Opus when left out. */
  readonly openOpus?: OpenOpus;
  /** Ciphers of SRTP; those of node:crypto when left out. */
  readonly ciphers?: SrtpCiphers;
  /** See LatchOptions. */
  readonly isAdmitted?: (address: string) => boolean;
  readonly mediaSilentMs?: number;
  /** Steps in 20 ms, see MediaEngineDeps; default 8. */
  readonly phases?: number;
  readonly limits?: Partial<EngineLimits>;
}

/** Steps of 2.5 ms: fine enough to run soon after the packets of a call; more steps would cost more than they save. */
const PHASES = 8;

/** Creates a host; ticks begin with the first leg. */
export function createMediaHost(options: MediaHostOptions): MediaHost {
  const { phases = PHASES, ciphers = nodeCiphers } = options;
  // Monotonic, independent of changes of the system clock.
  const now = (): number => performance.timeOrigin + performance.now();
  const { engine, sockets } = connectEngine(options, phases, ciphers, now);
  engine.warmUp();
  const clips = createClipLoader(engine);
  const loop = createTickLoop({
    intervalMs: 20 / phases,
    ticksPerFrame: phases,
    now,
    tick: (nowMs, skipped) => engine.tick(nowMs, skipped),
    isIdle: () => engine.isIdle(),
    rested: (frames) => engine.rest(frames),
    poll: sockets.poll,
    ...waitOf(sockets, clips.isConverting),
    // Each tick polls, so only the remaining polls are needed.
    pollsPerTick: Math.ceil((sockets.pollsPerTick + 1) / phases) - 1,
  });
  loop.start();
  const legs = createHostLegs(engine, sockets, now, loop.wake);

  return {
    open: legs.open,
    connect(leg, agreed) {
      engine.connectLeg(leg, agreed, now());
    },
    close: legs.close,
    apply(command) {
      loop.wake();
      engine.apply(command, now());
    },
    loadClip: clips.load,
    dropClip: (name) => engine.dropClip(name),
    streams: wakingStreams(engine.streams, loop.wake),
    now,
    census: () => ({ ...engine.census(), sockets: sockets.counters.sockets, ciphers: ciphers.openCount }),
    stats: () => ({
      participants: engine.census().legs,
      ticks: loop.stats(),
      engine: { ...engine.counters },
      network: { ...sockets.counters },
      leaks: engine.countLeaks(),
      cpuMs: threadCpuMs(),
    }),
    resetStats: () => loop.resetStats(),
    async closeAll() {
      engine.endCaptures();
      await legs.closeAll();
      loop.stop();
      sockets.end?.();
    },
  };
}

/** An engine whose packets pass through sockets, and whose notices leave once a turn of the event loop. */
function connectEngine(
  options: MediaHostOptions,
  phases: number,
  ciphers: SrtpCiphers,
  now: () => number,
): { readonly engine: MediaEngine; readonly sockets: LegSockets } {
  let gathered: MediaNotice[] = [];
  const hand = (): void => {
    const notices = gathered;
    gathered = [];
    options.notify(notices);
  };
  const sockets = options.openSockets({
    host: options.host,
    ports: options.ports,
    receive: (leg, bytes, length, address, port, ageMs) =>
      engine.receive(leg, bytes, length, address, port, now() - ageMs),
    receiveReport: (leg, bytes, length, address, port, ageMs) =>
      engine.receiveReport(leg, bytes, length, address, port, now() - ageMs),
  });
  const engine = createMediaEngine({
    send: sockets.send,
    sendReport: sockets.sendReport,
    notify(notice) {
      if (gathered.push(notice) === 1) queueMicrotask(hand);
    },
    random: () => randomInt(2 ** 47) / 2 ** 47,
    // RFC 7022 §4.2: 96 random bits, which reveal nothing about the machine.
    cname: randomBytes(12).toString('base64'),
    phases,
    ciphers,
    ...(options.captured === undefined ? {} : { captured: options.captured }),
    ...(options.openOpus === undefined ? {} : { openOpus: options.openOpus }),
    ...(options.isAdmitted === undefined ? {} : { isAdmitted: options.isAdmitted }),
    ...(options.mediaSilentMs === undefined ? {} : { mediaSilentMs: options.mediaSilentMs }),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  return { engine, sockets };
}

/** Legs with their ports. */
function createHostLegs(engine: MediaEngine, sockets: LegSockets, now: () => number, wake: () => void) {
  const indexes = new Map<string, number>();
  /** Legs whose ports are being bound; `close` waits for them. */
  const opening = new Map<string, Promise<unknown>>();
  const close = async (leg: string): Promise<LegStatistics> => {
    await opening.get(leg)?.catch(() => {});
    const index = indexes.get(leg);
    indexes.delete(leg);
    const statistics = engine.closeLeg(leg, now());
    if (index !== undefined) await sockets.close(index);
    return statistics;
  };
  return {
    async open(leg: string): Promise<{ port: number }> {
      wake();
      const index = engine.openLeg(leg);
      if (index === undefined) throw new Error(`media leg ${leg} is open, or the limit is reached`);
      indexes.set(leg, index);
      const binding = sockets.open(index);
      opening.set(leg, binding);
      try {
        return { port: await binding };
      } catch (error) {
        indexes.delete(leg);
        engine.closeLeg(leg, now());
        throw error;
      } finally {
        opening.delete(leg);
      }
    },
    close,
    closeAll: () => Promise.all([...indexes.keys()].map(close)),
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
    openFeed(name, order) {
      wake();
      return streams.openFeed(name, order);
    },
    openVirtualLeg(name, order) {
      wake();
      return streams.openVirtualLeg(name, order);
    },
  };
}

/** The wait of the sockets, if they have one; not while the event loop has work that it does not see. */
function waitOf({ wait }: LegSockets, isBusy: () => boolean): Pick<TickLoopDeps, 'wait'> {
  return wait === undefined ? {} : { wait: (ms) => isBusy() || wait(ms) };
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
