import type { MessagePort } from 'node:worker_threads';
import { type CaptureReceiver, joinedSamples } from '@jackfield/media';
import type { AgreedKeys, MediaNotice, SoundClip, StreamNotice } from '@jackfield/ports';
import { createMediaWorker, type MediaWorker, type MediaWorkerOptions } from '../media-worker.ts';
import { closeAbandoned } from './abandoned-descriptors.ts';

/** A pool: as many workers as given, each with its part of the ports. */
export interface MediaPoolOptions extends MediaWorkerOptions {
  readonly workers: number;
  /** A worker died; a new one replaces it. */
  readonly onWorkerDeath?: (worker: number, error: Error) => void;
  /** Workers die again and again, or a new one does not start: the process should end. */
  readonly onFatal?: (error: Error) => void;
}

/** Events of the workers of a pool. */
export interface WorkerEvents {
  readonly noticed: (notice: MediaNotice) => void;
  readonly streamNoticed: (notice: StreamNotice) => void;
  /** The handshake of a leg that another worker has is over. */
  readonly secured: (leg: string, keys: AgreedKeys) => void;
  /** The worker is gone. Returns the RTP ports that were lost with it. */
  readonly died: (worker: number) => ReadonlySet<number>;
  /** Whether a leg has this RTP port. */
  readonly isPortInUse: (port: number) => boolean;
  /** The worker may get rooms again. */
  readonly started: (worker: number) => void;
}

/** More deaths than this within a minute mean a fault that restarts do not cure. */
const mostDeaths = 5;
const deathsWithinMs = 60_000;

/** The running workers of a pool: it starts them, and a successor for each that dies. */
export class PoolWorkers {
  readonly #options: MediaPoolOptions;
  readonly #events: WorkerEvents;
  readonly #workers: (MediaWorker | undefined)[] = [];
  readonly #clips = new Map<string, SoundClip>();
  /** Clips that are not complete yet, in their pieces. */
  readonly #growing = new Map<string, SoundClip[]>();
  readonly #openCapturePorts = new Map<CaptureReceiver, () => MessagePort>();
  #deaths: number[] = [];
  #died = 0;
  #isClosing = false;
  readonly #restarting = new Set<Promise<void>>();

  constructor(options: MediaPoolOptions, events: WorkerEvents) {
    this.#options = options;
    this.#events = events;
  }

  async start(): Promise<void> {
    const numbers = Array.from({ length: this.#options.workers }, (_, worker) => worker);
    const started = await Promise.allSettled(numbers.map((worker) => this.#startOne(worker)));
    const failed = started.find(({ status }) => status === 'rejected');
    if (failed === undefined) return;
    await this.closeAll();
    throw (failed as PromiseRejectedResult).reason;
  }

  /** The worker with this number; undefined while its successor is starting. */
  at(worker: number): MediaWorker | undefined {
    return this.#workers[worker];
  }

  /** The running workers. */
  get all(): readonly MediaWorker[] {
    return this.#workers.filter((worker) => worker !== undefined);
  }

  numberOf(worker: MediaWorker): number {
    return this.#workers.indexOf(worker);
  }

  /** The numbers of the other running workers. */
  othersThan(worker: number): readonly number[] {
    return [...this.#workers.keys()].filter((each) => each !== worker && this.#workers[each] !== undefined);
  }

  /** The share of the pairs of RTP ports in use; 1 when fewer are left than two phones need. */
  portLoad(used: number): number {
    const { first, last } = this.#options.ports;
    const pairs = Math.floor((last - first - (first % 2) + 1) / 2);
    return pairs - used < Math.min(2, pairs) ? 1 : used / pairs;
  }

  /** Workers that died so far. */
  get died(): number {
    return this.#died;
  }

  /** A leg that moved has given its port back: the worker that the port belongs to may use it again. */
  freePort(port: number, inWorker: number): void {
    const owner = this.#workers.findIndex((_, worker) => isWithin(port, this.#portsOf(worker)));
    if (owner >= 0 && owner !== inWorker) this.#workers[owner]?.freePort(port);
  }

  async loadClip(name: string, clip: SoundClip): Promise<void> {
    const before = this.#clips.get(name);
    // Kept for a worker that starts later.
    this.#clips.set(name, clip);
    try {
      await this.#atEach((worker) => worker.loadClip(name, clip));
    } catch (error) {
      if (this.#clips.get(name) === clip) {
        if (before === undefined) this.dropClip(name);
        else this.#clips.set(name, before);
      }
      throw error;
    }
  }

  async growClip(name: string, piece: SoundClip, isLast: boolean): Promise<void> {
    const known = this.#growing.get(name) ?? [];
    known.push(piece);
    this.#growing.set(name, known);
    if (isLast) {
      this.#growing.delete(name);
      this.#clips.set(name, joined(known));
    }
    await this.#atEach((worker) => worker.growClip(name, piece, isLast));
  }

  dropClip(name: string): void {
    this.#growing.delete(name);
    this.#clips.delete(name);
    for (const worker of this.all) worker.dropClip(name);
  }

  sendCapturesTo(openPort: () => MessagePort, receiver: CaptureReceiver): void {
    this.#openCapturePorts.set(receiver, openPort);
    for (const worker of this.all) worker.sendCapturesTo(openPort(), receiver);
  }

  /** Resolves when every worker that died has its successor. */
  async restarted(): Promise<void> {
    await Promise.allSettled(this.#restarting);
  }

  async closeAll(): Promise<void> {
    this.#isClosing = true;
    await this.restarted();
    await Promise.all(this.all.map((worker) => worker.closeAll()));
  }

  /** Rejects as soon as one worker does. A worker that dies meanwhile does not count: its successor starts with every clip. */
  async #atEach(order: (worker: MediaWorker) => Promise<void>): Promise<void> {
    const carryOut = async (worker: MediaWorker): Promise<void> => {
      try {
        await order(worker);
      } catch (error) {
        const death = await Promise.race([worker.died, Promise.resolve(undefined)]);
        if (death === undefined) throw error;
      }
    };
    await Promise.all(this.all.map(carryOut));
  }

  async #startOne(worker: number): Promise<void> {
    const { workers: _, onWorkerDeath: __, onFatal: ___, webrtcPort, ...options } = this.#options;
    const started = await createMediaWorker({
      ...options,
      ports: this.#portsOf(worker),
      onSecured: this.#events.secured,
      // Each worker has a port for its browsers.
      ...(webrtcPort === undefined ? {} : { webrtcPort: webrtcPort + worker }),
    });
    started.subscribe(this.#events.noticed);
    started.streams.subscribe(this.#events.streamNoticed);
    for (const [receiver, openPort] of this.#openCapturePorts) started.sendCapturesTo(openPort(), receiver);
    for (const [name, clip] of this.#clips) started.loadClip(name, clip).catch(() => {});
    for (const [name, pieces] of this.#growing) started.growClip(name, joined(pieces), false).catch(() => {});
    this.#workers[worker] = started;
    this.#events.started(worker);
    // Last: a thread may be dead already.
    void started.died.then((error) => this.#lose(worker, started, error));
  }

  #lose(worker: number, dead: MediaWorker, error: Error): void {
    if (this.#isClosing) return;
    this.#workers[worker] = undefined;
    this.#died++;
    const lost = this.#events.died(worker);
    this.#options.onWorkerDeath?.(worker, error);
    const now = performance.now();
    this.#deaths = [...this.#deaths.filter((at) => now - at < deathsWithinMs), now];
    if (this.#deaths.length > mostDeaths) {
      this.#options.onFatal?.(error);
      return;
    }
    const restarting = this.#restart(worker, dead, lost).catch((fault: unknown) => {
      this.#options.onFatal?.(fault instanceof Error ? fault : new Error(String(fault)));
    });
    this.#restarting.add(restarting);
    void restarting.finally(() => this.#restarting.delete(restarting));
  }

  async #restart(worker: number, dead: MediaWorker, lost: ReadonlySet<number>): Promise<void> {
    const ports = this.#portsOf(worker);
    const isAbandoned = (port: number): boolean => {
      const rtpPort = port - (port % 2);
      if (lost.has(rtpPort)) return true;
      const { webrtcPort } = this.#options;
      const isShared = webrtcPort !== undefined && port === webrtcPort + worker;
      return isShared || (isWithin(rtpPort, ports) && !this.#events.isPortInUse(rtpPort));
    };
    await closeAbandoned(isAbandoned, dead.pollDescriptor);
    for (const port of lost) this.freePort(port, worker);
    if (this.#isClosing) return;
    await this.#startOne(worker);
  }

  /** An equal part of the range for each worker, in pairs. */
  #portsOf(worker: number): { readonly first: number; readonly last: number } {
    const { workers, ports } = this.#options;
    const first = ports.first + (ports.first % 2);
    const pairs = Math.floor((ports.last - first + 1) / 2 / workers);
    const begin = first + 2 * pairs * worker;
    return { first: begin, last: worker === workers - 1 ? ports.last : begin + 2 * pairs - 1 };
  }
}

function isWithin(port: number, { first, last }: { readonly first: number; readonly last: number }): boolean {
  return port >= first && port <= last;
}

function joined(pieces: readonly SoundClip[]): SoundClip {
  const samples = joinedSamples(pieces.map((piece) => piece.samples));
  return { sampleRate: pieces[0]?.sampleRate ?? 8_000, samples };
}
