import { createMediaEngine, type EngineCensus, type EngineCounters } from '@jackfield/media';
import { createPortRange, NoPortLeftError } from '@jackfield/media/io';
import type { Clock, Media, MediaClips, MediaLegs, MediaNotice } from '@jackfield/platform';
import type { SimulatedNetwork } from './simulated-network.ts';

export interface SimulatedMediaDeps {
  /** Drives the ticks. */
  readonly clock: Clock;
  readonly network: SimulatedNetwork;
  readonly address: string;
  readonly random: () => number;
  /** RTP ports, inclusive; 40,000–40,999 when left out. */
  readonly ports?: { readonly first: number; readonly last: number };
  readonly mediaSilentMs?: number;
  /** Called before notices go out, because whoever takes them may begin what has to settle. */
  readonly touched?: () => void;
}

/** The real engine without its thread: sockets of a simulated network, ticks of the virtual clock. */
export interface SimulatedMedia extends Media, MediaLegs, MediaClips {
  census(): EngineCensus & { readonly ports: number };
  readonly counters: Readonly<EngineCounters>;
  /** Sources that reach a leg without an edge, at any tick so far; anything but 0 is a fault of the engine. */
  readonly leaks: number;
  /** The port on which a leg takes RTP; undefined when it is not open. */
  portOf(leg: string): number | undefined;
  /** Ends the ticks and gives every port back, as the end of the process does. */
  stop(): void;
}

/** RFC 3551 §4.5.14 and the engine: a frame every 20 ms. */
export const frameMs = 20;

interface OpenLeg {
  readonly index: number;
  readonly port: number;
  readonly detach: () => void;
}

export function createSimulatedMedia(deps: SimulatedMediaDeps): SimulatedMedia {
  const { clock, network, address, random, touched = () => {} } = deps;
  const { first, last } = deps.ports ?? { first: 40_000, last: 40_999 };
  const range = createPortRange(first, last);
  const legs = new Map<string, OpenLeg>();
  const ports: (number | undefined)[] = [];
  const listeners = new Set<(notice: MediaNotice) => void>();
  let gathered: MediaNotice[] = [];
  let leaks = 0;
  let cancelTick: (() => void) | undefined;

  const engine = createMediaEngine({
    send(leg, bytes, length, to, port) {
      const from = ports[leg];
      if (from !== undefined)
        network.send({ address, port: from }, { address: to, port }, bytes.subarray(0, length));
    },
    sendReport(leg, bytes, length, to, port) {
      const from = ports[leg];
      if (from !== undefined) {
        network.send({ address, port: from + 1 }, { address: to, port }, bytes.subarray(0, length));
      }
    },
    notify: (notice) => gathered.push(notice),
    random,
    cname: 'simulated',
    ...(deps.mediaSilentMs === undefined ? {} : { mediaSilentMs: deps.mediaSilentMs }),
  });

  /** Notices leave the engine between ticks, as they do from its thread. */
  function handNotices(): void {
    if (gathered.length === 0) return;
    const notices = gathered;
    gathered = [];
    touched();
    for (const notice of notices) for (const listener of listeners) listener(notice);
  }

  function tick(): void {
    cancelTick = clock.startTimer(clock.now() + frameMs, tick);
    engine.tick(clock.now());
    leaks += engine.countLeaks();
    handNotices();
  }
  cancelTick = clock.startTimer(clock.now() + frameMs, tick);

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
    send: (command) => engine.apply(command, clock.now()),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async open(leg) {
      const port = range.take();
      if (port === undefined) throw new NoPortLeftError(first, last);
      const index = engine.openLeg(leg);
      if (index === undefined) {
        range.release(port);
        throw new Error(`media leg ${leg} is open already, or too many legs are`);
      }
      const now = () => clock.now();
      const detachRtp = network.attach({ address, port }, (bytes, from) =>
        engine.receive(index, bytes, bytes.length, from.address, from.port, now()),
      );
      const detachRtcp = network.attach({ address, port: port + 1 }, (bytes, from) =>
        engine.receiveReport(index, bytes, bytes.length, from.address, from.port, now()),
      );
      ports[index] = port;
      const detach = () => {
        detachRtp();
        detachRtcp();
      };
      legs.set(leg, { index, port, detach });
      return { port };
    },
    connect(leg, agreed) {
      engine.connectLeg(leg, agreed, clock.now());
    },
    close: (leg) => Promise.resolve(close(leg)),
    loadClip(name, clip) {
      if (engine.loadClip(name, clip)) return Promise.resolve();
      return Promise.reject(new RangeError(`clip ${name} exceeds what may be kept`));
    },
    dropClip: (name) => engine.dropClip(name),
    census: () => ({ ...engine.census(), ports: legs.size }),
    get counters() {
      return engine.counters;
    },
    get leaks() {
      return leaks;
    },
    portOf: (leg) => legs.get(leg)?.port,
    stop() {
      cancelTick?.();
      cancelTick = undefined;
      for (const leg of legs.values()) leg.detach();
      legs.clear();
    },
  };
}
