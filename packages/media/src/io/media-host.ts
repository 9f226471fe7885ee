import { randomBytes, randomInt } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TakeCaptured } from '../capture/capture.ts';
import { createResampler } from '../dsp/resampler.ts';
import type { AgreedMedia, LegStatistics, MediaNotice, MixCommand, SoundClip } from '../engine/commands.ts';
import type { EngineCensus, EngineCounters, EngineLimits } from '../engine/engine-limits.ts';
import { createMediaEngine } from '../engine/media-engine.ts';
import type { EngineStreams } from '../stream/engine-streams.ts';
import type { OpenLegSockets, SocketCounters } from './leg-sockets.ts';
import type { OpenOpus } from './opus.ts';
import { nodeCiphers } from './srtp-ciphers.ts';
import { createTickLoop, type TickStats } from './tick-loop.ts';

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

/** Current numbers of objects, including sockets. */
export interface HostCensus extends EngineCensus {
  readonly sockets: number;
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
  /** See LatchOptions. */
  readonly isAdmitted?: (address: string) => boolean;
  readonly mediaSilentMs?: number;
  /** Steps in 20 ms, see MediaEngineDeps; default 8. */
  readonly phases?: number;
  readonly limits?: Partial<EngineLimits>;
}

/** Steps of 2.5 ms: fine enough to run soon after the packets of a call; more steps would cost more than they save. */
const PHASES = 8;

/** Rates of stored clips. */
const NARROW = 8000;
const WIDE = 16_000;

/** Samples per conversion step: a few tenths of a millisecond. */
const CLIP_STEP = 2000;

/** Creates a host and starts its ticks. */
export function createMediaHost(options: MediaHostOptions): MediaHost {
  const { phases = PHASES } = options;
  // Monotonic, independent of changes of the system clock.
  const now = (): number => performance.timeOrigin + performance.now();
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
    ciphers: nodeCiphers,
    ...(options.captured === undefined ? {} : { captured: options.captured }),
    ...(options.openOpus === undefined ? {} : { openOpus: options.openOpus }),
    ...(options.isAdmitted === undefined ? {} : { isAdmitted: options.isAdmitted }),
    ...(options.mediaSilentMs === undefined ? {} : { mediaSilentMs: options.mediaSilentMs }),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  engine.warmUp();
  const loop = createTickLoop({
    intervalMs: 20 / phases,
    ticksPerFrame: phases,
    now,
    tick: engine.tick,
    poll: sockets.poll,
    // Each tick polls, so only the remaining polls are needed.
    pollsPerTick: Math.ceil((sockets.pollsPerTick + 1) / phases) - 1,
  });
  loop.start();

  const indexes = new Map<string, number>();
  /** Legs whose ports are being bound; `close` waits for them. */
  const opening = new Map<string, Promise<unknown>>();

  const host: MediaHost = {
    async open(leg) {
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
    connect(leg, agreed) {
      engine.connectLeg(leg, agreed, now());
    },
    async close(leg) {
      await opening.get(leg)?.catch(() => {});
      const index = indexes.get(leg);
      indexes.delete(leg);
      const statistics = engine.closeLeg(leg, now());
      if (index !== undefined) await sockets.close(index);
      return statistics;
    },
    apply: (command) => engine.apply(command, now()),
    async loadClip(name, clip) {
      const narrow = await convert(clip, NARROW);
      const kept =
        clip.sampleRate > NARROW
          ? { sampleRate: WIDE, samples: await convert(clip, WIDE) }
          : { sampleRate: NARROW, samples: narrow };
      if (!engine.loadClip(name, kept, narrow)) {
        throw new RangeError(`clip ${name} does not fit: the limit of samples of all clips is reached`);
      }
    },
    dropClip: (name) => engine.dropClip(name),
    streams: engine.streams,
    now,
    census: () => ({ ...engine.census(), sockets: sockets.counters.sockets }),
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
      await Promise.all([...indexes.keys()].map((leg) => host.close(leg)));
      loop.stop();
    },
  };
  return host;
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

async function convert({ sampleRate, samples }: SoundClip, rate: number): Promise<Int16Array> {
  if (sampleRate === rate) return samples;
  const resampler = createResampler({ from: sampleRate, to: rate });
  const length = Math.round((samples.length * rate) / sampleRate);
  // Silence after the end flushes the last samples out of the filter.
  const tail = new Int16Array(resampler.delaySamples + 1);
  const out = new Int16Array(resampler.outputBound(samples.length + tail.length));
  let written = 0;
  for (let at = 0; at < samples.length; at += CLIP_STEP) {
    const count = Math.min(CLIP_STEP, samples.length - at);
    written += resampler.process(samples, at, count, out, written);
    await nextTurn();
  }
  resampler.process(tail, 0, tail.length, out, written);
  return out.slice(0, length);
}
