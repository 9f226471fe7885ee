import {
  type CaptureMessage,
  createMediaEngine,
  type EngineCensus,
  type EngineCounters,
  type MediaEngine,
  resample,
} from '@jackfield/media';
import { createPortRange, NoPortLeftError, nodeCiphers } from '@jackfield/media/io';
import type {
  Clock,
  LegMeasures,
  Media,
  MediaClips,
  MediaLegs,
  MediaNotice,
  SoundClip,
} from '@jackfield/ports';
import type { DatagramNetwork } from './simulated-network.ts';
import { createMediaOrders, type MediaOrders } from './simulated-orders.ts';

export interface SimulatedMediaDeps {
  /** Drives the ticks. */
  readonly clock: Clock;
  readonly network: DatagramNetwork;
  readonly address: string;
  readonly random: () => number;
  /** RTP ports, inclusive; 40,000–40,999 by default. */
  readonly ports?: { readonly first: number; readonly last: number };
  readonly mediaSilentMs?: number;
  /** Called before notifications go out, because their listeners may begin work that has to settle. */
  readonly touched?: () => void;
}

/** The real engine without its thread: sockets of a simulated network, ticks of the virtual clock. */
export interface SimulatedMedia extends Media, MediaLegs, LegMeasures, MediaClips {
  census(): EngineCensus & { readonly ports: number };
  readonly counters: Readonly<EngineCounters>;
  /** Sources that reach a leg without an edge, summed over all ticks; anything but 0 is a fault of the engine. */
  readonly leaks: number;
  readonly orders: MediaOrders;
  /** Sends a notice as the engine does, for events in audio that a world without phones has not. */
  report(notice: MediaNotice): void;
  /** The sound loaded under this name last; undefined where there was none. */
  clipOf(name: string): SoundClip | undefined;
  /** The RTP port of a leg; undefined when it is not open. */
  portOf(leg: string): number | undefined;
  /** The audio captured under this name so far, ended or not; undefined without a capture. */
  capturedOf(capture: string): CapturedAudio | undefined;
  /** Messages from the port of a media thread, as they arrive; for recorders. */
  onCaptured(listener: (message: CaptureMessage) => void): () => void;
  /** Stops the ticks and frees every port, as the end of the process does. */
  stop(): void;
}

/** All audio of a capture. */
export interface CapturedAudio {
  readonly tracks: number;
  readonly sampleRate: number;
  /** One array for each track. */
  readonly samples: readonly Int16Array[];
  readonly ended: boolean;
}

/** RFC 3551 §4.5.14 and the engine: a frame every 20 ms. */
export const frameMs = 20;

interface OpenLeg {
  readonly index: number;
  readonly port: number;
  readonly detach: () => void;
}

export function createSimulatedMedia(deps: SimulatedMediaDeps): SimulatedMedia {
  const { clock, touched = () => {} } = deps;
  const { first, last } = deps.ports ?? { first: 40_000, last: 40_999 };
  const range = createPortRange(first, last);
  const legs = new Map<string, OpenLeg>();
  const ports: (number | undefined)[] = [];
  const orders = createMediaOrders();
  const notices = createNotices(touched);
  const captures = createCaptureStore();
  let leaks = 0;

  const engine = engineOf(deps, ports, {
    notify(notice) {
      orders.noticed(notice);
      notices.add(notice);
    },
    captured: captures.add,
  });

  const ticks = createTicks(clock, engine, () => {
    leaks += engine.countLeaks();
    notices.send();
  });

  const close = (name: string) => {
    const leg = legs.get(name);
    const statistics = engine.closeLeg(name, clock.now());
    if (leg !== undefined) {
      legs.delete(name);
      ports[leg.index] = undefined;
      leg.detach();
      range.release(leg.port);
    }
    return statistics;
  };

  return {
    send(command) {
      ticks.wake();
      orders.commanded(command);
      engine.apply(command, clock.now());
    },
    subscribe: notices.subscribe,
    orders,
    report(notice) {
      notices.add(notice);
      notices.send();
    },
    async open(leg) {
      const port = range.take();
      if (port === undefined) throw new NoPortLeftError(first, last);
      ticks.wake();
      const index = engine.openLeg(leg);
      if (index === undefined) {
        range.release(port);
        throw new Error(`media leg ${leg} is open already, or too many legs are`);
      }
      ports[index] = port;
      const detach = attach(engine, deps, index, port);
      legs.set(leg, { index, port, detach });
      return { port };
    },
    connect(leg, agreed) {
      engine.connectLeg(leg, agreed, clock.now());
    },
    close: (leg) => Promise.resolve(close(leg)),
    measure: async (names) => names.map((leg) => engine.measureLeg(leg)),
    ...clipsOf(engine, orders),
    census: () => ({ ...engine.census(), ports: legs.size }),
    get counters() {
      return engine.counters;
    },
    get leaks() {
      return leaks;
    },
    capturedOf: captures.of,
    onCaptured: captures.listen,
    portOf: (leg) => legs.get(leg)?.port,
    stop() {
      ticks.stop();
      for (const leg of legs.values()) leg.detach();
      legs.clear();
    },
  };
}

/** An engine whose legs send from these ports of RTP. */
function engineOf(
  { network, address, random, mediaSilentMs }: SimulatedMediaDeps,
  ports: readonly (number | undefined)[],
  on: Pick<Parameters<typeof createMediaEngine>[0], 'notify' | 'captured'>,
): MediaEngine {
  const sendFrom =
    (above: number) => (leg: number, bytes: Uint8Array, length: number, to: string, port: number) => {
      const from = ports[leg];
      if (from === undefined) return;
      network.send({ address, port: from + above }, { address: to, port }, bytes.subarray(0, length));
    };
  return createMediaEngine({
    ...on,
    send: sendFrom(0),
    // RFC 3550 §11: reports have the port above.
    sendReport: sendFrom(1),
    // Captured audio is available after each frame.
    limits: { captureChunkMs: frameMs },
    random,
    cname: 'simulated',
    ciphers: nodeCiphers,
    ...(mediaSilentMs === undefined ? {} : { mediaSilentMs }),
  });
}

/** A tick for each frame. An idle engine rests, as in its thread: days may pass in a test. */
function createTicks(clock: Clock, engine: MediaEngine, ticked: () => void) {
  let lastAt = clock.now();
  let isStopped = false;
  let cancel: (() => void) | undefined;

  function tick(): void {
    lastAt = clock.now();
    cancel = clock.startTimer(lastAt + frameMs, tick);
    engine.tick(lastAt);
    ticked();
    if (engine.isIdle()) rest();
  }

  function rest(): void {
    cancel?.();
    cancel = undefined;
  }

  return {
    wake(): void {
      if (isStopped || cancel !== undefined) return;
      const rested = Math.floor((clock.now() - lastAt) / frameMs);
      engine.rest(rested);
      lastAt += rested * frameMs;
      cancel = clock.startTimer(lastAt + frameMs, tick);
    },
    stop(): void {
      isStopped = true;
      rest();
    },
  };
}

/** Notifications leave the engine between ticks, as they leave its thread. */
function createNotices(touched: () => void) {
  const listeners = new Set<(notice: MediaNotice) => void>();
  let gathered: MediaNotice[] = [];
  return {
    add: (notice: MediaNotice) => void gathered.push(notice),
    send(): void {
      if (gathered.length === 0) return;
      const notices = gathered;
      gathered = [];
      touched();
      for (const notice of notices) for (const listener of listeners) listener(notice);
    },
    subscribe(listener: (notice: MediaNotice) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Opens the ports of RTP and RTCP; the returned function closes both. */
function attach(
  engine: ReturnType<typeof createMediaEngine>,
  { clock, network, address }: SimulatedMediaDeps,
  index: number,
  port: number,
): () => void {
  const detachRtp = network.attach({ address, port }, (bytes, from) =>
    engine.receive(index, bytes, bytes.length, from.address, from.port, clock.now()),
  );
  const detachRtcp = network.attach({ address, port: port + 1 }, (bytes, from) =>
    engine.receiveReport(index, bytes, bytes.length, from.address, from.port, clock.now()),
  );
  return () => {
    detachRtp();
    detachRtcp();
  };
}

interface Capture {
  readonly tracks: number;
  readonly sampleRate: number;
  readonly chunks: Int16Array[];
  ended: boolean;
}

/** Keeps captured audio by name, and passes it on as a media thread does. */
function createCaptureStore() {
  const listeners = new Set<(message: CaptureMessage) => void>();
  const captures = new Map<string, Capture>();

  function send(message: CaptureMessage): void {
    for (const listener of listeners) listener(message);
  }

  /** A name that has ended begins anew. */
  function keep(name: string, { tracks, sampleRate }: Pick<Capture, 'tracks' | 'sampleRate'>): Capture {
    const known = captures.get(name);
    if (known !== undefined && !known.ended) return known;
    const begun: Capture = { tracks, sampleRate, chunks: [], ended: false };
    captures.set(name, begun);
    return begun;
  }

  return {
    add(capture: string, tracks: number, samples: Int16Array, isLast: boolean, sampleRate: number): void {
      if (tracks > 0) {
        const kept = keep(capture, { tracks, sampleRate });
        kept.chunks.push(samples);
        kept.ended = isLast;
      }
      if (samples.length > 0) {
        send({ type: 'audio', capture, tracks, sampleRate, samples: samples.slice() });
      }
      if (isLast) send({ type: 'ended', capture });
    },
    of(name: string): CapturedAudio | undefined {
      const capture = captures.get(name);
      if (capture === undefined) return undefined;
      const { tracks, sampleRate, chunks, ended } = capture;
      return { tracks, sampleRate, samples: split(chunks, tracks), ended };
    },
    listen(listener: (message: CaptureMessage) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Separates interleaved tracks. */
function split(chunks: readonly Int16Array[], tracks: number): Int16Array[] {
  const all = Int16Array.from(chunks.flatMap((chunk) => [...chunk]));
  return Array.from({ length: tracks }, (_, track) => all.filter((_, at) => at % tracks === track));
}

/** Keeps the clips of the engine, so that a test finds what was loaded. */
function clipsOf(
  engine: MediaEngine,
  orders: Pick<ReturnType<typeof createMediaOrders>, 'clipLoaded' | 'clipDropped'>,
): MediaClips & Pick<SimulatedMedia, 'clipOf'> {
  const clips = new Map<string, SoundClip>();
  return {
    clipOf: (name) => clips.get(name),
    loadClip(name, clip) {
      clips.set(name, clip);
      orders.clipLoaded(name);
      if (engine.loadClip(name, clip)) return Promise.resolve();
      return Promise.reject(new RangeError(`clip ${name} exceeds what may be kept`));
    },
    growClip(name, piece, isLast) {
      if (!clips.has(name)) orders.clipLoaded(name);
      return growClip(engine, clips, name, piece, isLast);
    },
    dropClip(name) {
      orders.clipDropped(name);
      engine.dropClip(name);
    },
  };
}

async function growClip(
  engine: Pick<MediaEngine, 'growClip'>,
  clips: Map<string, SoundClip>,
  name: string,
  { sampleRate, samples }: SoundClip,
  isLast: boolean,
): Promise<void> {
  const before = clips.get(name)?.samples ?? new Int16Array(0);
  clips.set(name, { sampleRate, samples: Int16Array.from([...before, ...samples]) });
  const narrow = resample(samples, sampleRate, 8_000);
  const wide = sampleRate > 8_000 ? resample(samples, sampleRate, 16_000) : undefined;
  if (!engine.growClip(name, { narrow, wide, isLast })) {
    throw new RangeError(`clip ${name} exceeds what may be kept`);
  }
}
