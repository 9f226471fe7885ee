import type { MessagePort } from 'node:worker_threads';
import { type CaptureReceiver, noStatistics } from '@jackfield/media';
import type {
  AgreedKeys,
  AgreedMedia,
  IceCredentials,
  LegStatistics,
  MediaNotice,
  MixCommand,
  OpenedLeg,
} from '@jackfield/ports';
import type { MediaWorker } from '../media-worker.ts';
import type { CaptureEntry, LegEntry, MixEntry } from './pool-entries.ts';
import { PoolMoves } from './pool-moves.ts';
import { countersOf, sumOfCensus, sumOfStats } from './pool-statistics.ts';
import { createPoolStreams, type PoolStreams } from './pool-streams.ts';
import { PoolTable } from './pool-table.ts';
import { type MediaPoolOptions, PoolWorkers } from './pool-workers.ts';

/** Several media workers behind the interface of one; see docs/decisions/0026-a-pool-of-media-workers.md. */
export interface MediaPool
  extends Omit<
    MediaWorker,
    'kill' | 'died' | 'sendCapturesTo' | 'release' | 'adopt' | 'secure' | 'freePort' | 'pollDescriptor'
  > {
  /** Each worker sends captured audio through a port of its own, opened here; so does a worker that starts later. */
  sendCapturesTo(openPort: () => MessagePort, receiver?: CaptureReceiver): void;
  /** For metrics: the load of each worker, by its number; the unit is a participant with G.711. */
  workerLoads(): readonly (readonly [worker: string, load: number])[];
  readonly portLoad: number;
  readonly deaths: number;
  /** Ends a worker as a fault would; for tests. */
  kill(worker: number): void;
  /** Resolves when every worker that died has its successor. */
  restarted(): Promise<void>;
}

/** Codes with which a worker refuses a leg that another worker may open. */
const elsewhereCodes: ReadonlySet<unknown> = new Set(['NO_PORT_LEFT', 'WEBRTC_OFF']);

/** The weight of a participant by codec; the proportions are those of `workMsOf` in packages/media/src/engine/turns.ts. */
const weights: Partial<Record<AgreedMedia['codec'], number>> = { G722: 3.5, opus: 18 };

/** Starts the workers; resolves when all run. */
export async function createMediaPool(options: MediaPoolOptions): Promise<MediaPool> {
  const pool = new Pool(options);
  await pool.start();
  return pool;
}

class Pool implements MediaPool {
  readonly #table: PoolTable;
  readonly #workers: PoolWorkers;
  readonly #moves: PoolMoves;
  readonly #streams: PoolStreams;
  readonly #listeners = new Set<(notice: MediaNotice) => void>();
  readonly #ports = new Set<number>();
  readonly #lastStats: (Awaited<ReturnType<MediaWorker['stats']>> | undefined)[] = [];
  #pastStats: Awaited<ReturnType<MediaWorker['stats']>> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: MediaPoolOptions) {
    this.#table = new PoolTable(options.workers);
    this.#workers = new PoolWorkers(options, {
      noticed: (notice) => this.#emit(notice),
      streamNoticed: (notice) => this.#streams.accept(notice),
      secured: (leg, keys) => this.#secured(leg, keys),
      died: (worker) => this.#died(worker),
      isPortInUse: (port) => this.#ports.has(port),
      started: (worker) => this.#table.restart(worker),
    });
    this.#moves = new PoolMoves(this.#table, this.#workers, {
      lost: (legs) => this.#lost(legs),
      bound: (leg, port) => this.#bind(leg, port),
    });
    this.#streams = createPoolStreams(this.#table, this.#workers);
  }

  start(): Promise<void> {
    return this.#workers.start();
  }

  get hasWebrtc(): boolean {
    return this.#workers.all.some(({ hasWebrtc }) => hasWebrtc);
  }

  get streams(): MediaPool['streams'] {
    return this.#streams.streams;
  }

  get portLoad(): number {
    return this.#workers.portLoad(this.#ports.size);
  }

  get deaths(): number {
    return this.#workers.died;
  }

  subscribe(listener: (notice: MediaNotice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  loadClip: MediaPool['loadClip'] = (name, clip) => this.#workers.loadClip(name, clip);
  growClip: MediaPool['growClip'] = (name, piece, isLast) => this.#workers.growClip(name, piece, isLast);
  dropClip: MediaPool['dropClip'] = (name) => this.#workers.dropClip(name);
  sendCapturesTo: MediaPool['sendCapturesTo'] = (openPort, receiver = 'recorder') =>
    this.#workers.sendCapturesTo(openPort, receiver);

  send: MediaPool['send'] = (command) => {
    switch (command.do) {
      case 'open-mix':
        return this.#table.openMix(command.mix);
      case 'close-mix':
        return this.#closeMix(command);
      case 'set-hearing':
        return this.#setHearing(command);
      case 'play':
        return this.#play(command);
      case 'stop-play':
        return this.#pass(this.#table.mixes.get(command.mix), command);
      case 'send-digits':
      case 'watch-voice':
      case 'watch-answer':
        return this.#pass(this.#table.legs.get(command.leg), command);
      case 'capture':
        return this.#capture(command);
      case 'pause-capture':
        return this.#pass(this.#table.captures.get(command.capture), command);
      case 'end-capture':
        return this.#endCapture(command);
    }
  };

  async open(name: string, ice?: IceCredentials, beside?: string): Promise<OpenedLeg> {
    const table = this.#table;
    const wasOpen = table.legs.get(name)?.isOpen === true;
    const leg = table.reserve(name, table.workerBeside(beside));
    if (leg === undefined) throw new Error('no media worker is running');
    const given = ice === undefined ? {} : { ice };
    if (wasOpen) return this.#moves.busy(leg, () => this.#reopen(leg, given));
    leg.isOpen = true;
    leg.port = undefined;
    leg.iceIn = undefined;
    try {
      return await this.#moves.busy(leg, () => this.#openIn(leg, given));
    } catch (error) {
      table.closeLeg(leg);
      throw error;
    }
  }

  connect(name: string, agreed: AgreedMedia): void {
    const leg = this.#table.legs.get(name);
    if (leg?.isOpen !== true) return;
    this.#table.weigh(leg, weights[agreed.codec] ?? 1);
    this.#moves.deliver(leg, () => {
      const worker = this.#workerOf(leg);
      worker?.connect(name, agreed);
      // The handshake of a browser is in the worker with its port.
      const relay = leg.iceIn === undefined ? undefined : this.#workers.at(leg.iceIn);
      if (relay !== worker) relay?.connect(name, agreed);
    });
  }

  async close(name: string): Promise<LegStatistics> {
    const leg = this.#table.legs.get(name);
    if (leg?.isOpen !== true || leg.isVirtual) return noStatistics;
    this.#table.closeLeg(leg);
    const statistics = await this.#moves.close(leg);
    this.#ports.delete(leg.port ?? 0);
    return statistics;
  }

  /** One request for each worker; the legs of a worker that dies meanwhile are not measured. */
  async measure(names: readonly string[]): Promise<readonly (LegStatistics | undefined)[]> {
    const byWorker = Map.groupBy(names, (name) => this.#table.legs.get(name)?.inWorker);
    const found = new Map<string, LegStatistics | undefined>();
    await Promise.all(
      [...byWorker].map(async ([number, legs]) => {
        const worker = number === undefined ? undefined : this.#workers.at(number);
        const measured = await worker?.measure(legs).catch(() => []);
        legs.forEach((leg, at) => {
          found.set(leg, measured?.[at]);
        });
      }),
    );
    return names.map((name) => found.get(name));
  }

  async census(): ReturnType<MediaPool['census']> {
    return sumOfCensus(await Promise.all(this.#workers.all.map((worker) => worker.census())));
  }

  async stats(): ReturnType<MediaPool['stats']> {
    const { all } = this.#workers;
    const each = await Promise.all(all.map((worker) => worker.stats()));
    all.forEach((worker, at) => {
      this.#lastStats[this.#workers.numberOf(worker)] = each[at];
    });
    const [first, ...rest] = this.#pastStats === undefined ? each : [this.#pastStats, ...each];
    if (first === undefined) throw new Error('no media worker is running');
    return sumOfStats([first, ...rest]);
  }

  resetStats(): void {
    for (const worker of this.#workers.all) worker.resetStats();
  }

  workerLoads(): ReturnType<MediaPool['workerLoads']> {
    return this.#table.loads().map((load, worker) => [`${worker}`, load] as const);
  }

  kill(worker: number): void {
    this.#workers.at(worker)?.kill();
  }

  restarted(): Promise<void> {
    return this.#workers.restarted();
  }

  closeAll(): Promise<void> {
    this.#closing ??= this.#workers.closeAll();
    return this.#closing;
  }

  #workerOf(thing: LegEntry | MixEntry | CaptureEntry): MediaWorker | undefined {
    const worker = this.#table.workerOf(thing);
    return worker === undefined ? undefined : this.#workers.at(worker);
  }

  /** A command about an unknown thing goes to any worker, which counts it as ignored. */
  #pass(thing: LegEntry | MixEntry | CaptureEntry | undefined, command: MixCommand): void {
    if (thing === undefined) this.#workers.all[0]?.send(command);
    else this.#moves.deliver(thing, () => this.#workerOf(thing)?.send(command));
  }

  #closeMix(command: Extract<MixCommand, { do: 'close-mix' }>): void {
    const mix = this.#table.mixes.get(command.mix);
    if (mix === undefined) {
      this.#pass(undefined, command);
      return;
    }
    const worker = mix.isOpen ? this.#table.workerOf(mix) : undefined;
    this.#table.closeMix(mix);
    if (worker !== undefined) this.#moves.deliver(mix, () => this.#workers.at(worker)?.send(command));
  }

  #setHearing(command: Extract<MixCommand, { do: 'set-hearing' }>): void {
    const mix = this.#table.mixes.get(command.mix);
    if (mix === undefined) {
      this.#pass(undefined, command);
      return;
    }
    const legs = command.members.map(({ leg }) => leg);
    const gathering = this.#table.gather(mix, legs);
    if (gathering === undefined) return;
    const { to, bundles, refused, isNew } = gathering;
    for (const stream of refused) this.#streams.refuse(stream);
    for (const { from, things } of bundles) this.#moves.start(things, from, to);
    if (isNew) this.#pass(mix, { do: 'open-mix', mix: mix.name });
    this.#pass(mix, command);
  }

  #play(command: Extract<MixCommand, { do: 'play' }>): void {
    const mix = this.#table.mixes.get(command.mix);
    if (mix === undefined) {
      this.#pass(undefined, command);
      return;
    }
    const placed = this.#table.placePlays(mix, command.to);
    if (placed === undefined) {
      const ended = { type: 'play-ended', mix: mix.name, key: command.key, because: 'refused' } as const;
      queueMicrotask(() => this.#emit(ended));
      return;
    }
    if (placed.isNew) this.#pass(mix, { do: 'open-mix', mix: mix.name });
    this.#pass(mix, command);
  }

  #capture(command: Extract<MixCommand, { do: 'capture' }>): void {
    const legs = command.tracks.flatMap(({ said, heard }) => [...said, ...heard]);
    const placed = this.#table.placeCapture(command.capture, legs);
    if (placed === undefined) return;
    const { entry, from } = placed;
    const to = this.#table.workerOf(entry);
    if (from !== undefined && to !== undefined) this.#moves.start([entry], from, to);
    this.#pass(entry, command);
  }

  #endCapture(command: Extract<MixCommand, { do: 'end-capture' }>): void {
    const entry = this.#table.captures.get(command.capture);
    if (entry === undefined) {
      this.#pass(undefined, command);
      return;
    }
    const worker = this.#table.workerOf(entry);
    this.#table.endCapture(entry);
    if (worker !== undefined) this.#moves.deliver(entry, () => this.#workers.at(worker)?.send(command));
  }

  /** Opens the leg in its worker. If that has no port left, or no WebRTC, another worker opens it, and the leg then moves. */
  async #openIn(leg: LegEntry, { ice }: { readonly ice?: IceCredentials }): Promise<OpenedLeg> {
    const first = this.#table.workerOf(leg);
    if (first === undefined) throw new Error('no media worker is running');
    let problem: unknown;
    for (const worker of [first, ...this.#workers.othersThan(first)]) {
      try {
        const opened = await this.#openAt(leg, worker, ice);
        if (worker !== this.#table.workerOf(leg)) this.#arriveFrom(leg, worker);
        return opened;
      } catch (error) {
        problem ??= error;
        if (!elsewhereCodes.has((error as { code?: unknown }).code)) break;
      }
    }
    throw problem;
  }

  async #openAt(leg: LegEntry, worker: number, ice?: IceCredentials): Promise<OpenedLeg> {
    const running = this.#workers.at(worker);
    if (running === undefined) throw new Error(`media worker ${worker} is being started again`);
    const opened = await running.open(leg.name, ice);
    leg.inWorker = worker;
    if (ice === undefined) this.#bind(leg, opened.port);
    else leg.iceIn = worker;
    return opened;
  }

  #bind(leg: LegEntry, port: number): void {
    leg.port = port;
    this.#ports.add(port);
  }

  /** Opens a leg of WebRTC again for plain RTP, before any agreement. */
  async #reopen(leg: LegEntry, { ice }: { readonly ice?: IceCredentials }): Promise<OpenedLeg> {
    const { inWorker = 0, iceIn } = leg;
    const opened = await this.#openAt(leg, inWorker, ice);
    leg.iceIn = undefined;
    if (iceIn !== undefined && iceIn !== inWorker) await this.#workers.at(iceIn)?.close(leg.name);
    return opened;
  }

  /** The leg is open in another worker than that of its room or its followers. */
  #arriveFrom(leg: LegEntry, worker: number): void {
    const home = this.#table.workerOf(leg);
    if (home === undefined) return;
    if (leg.room === undefined) {
      const followers = [...leg.mixes, ...leg.captures];
      this.#table.relocate(leg, worker);
      if (followers.length > 0) this.#moves.start(followers, home, worker);
      return;
    }
    this.#moves.start([leg], worker, home);
  }

  #secured(name: string, keys: AgreedKeys): void {
    const leg = this.#table.legs.get(name);
    if (leg?.iceIn === undefined) return;
    this.#moves.deliver(leg, () => this.#workerOf(leg)?.secure(name, keys));
  }

  #emit(notice: MediaNotice): void {
    for (const listener of this.#listeners) listener(notice);
  }

  #lost(legs: readonly LegEntry[]): void {
    for (const { name, port, iceIn, inWorker } of legs) {
      this.#ports.delete(port ?? 0);
      if (iceIn !== undefined && iceIn !== inWorker)
        this.#workers
          .at(iceIn)
          ?.close(name)
          .catch(() => {});
      this.#emit({ type: 'media-lost', leg: name });
    }
  }

  #died(worker: number): ReadonlySet<number> {
    const { legs, streams } = this.#table.lose(worker);
    const stats = this.#lastStats[worker];
    this.#lastStats[worker] = undefined;
    if (stats !== undefined) {
      const counters = countersOf(stats);
      this.#pastStats = this.#pastStats === undefined ? counters : sumOfStats([this.#pastStats, counters]);
    }
    this.#streams.lost(streams);
    this.#lost(legs);
    // Browsers whose port was in that worker are cut off from their legs.
    for (const leg of this.#table.legs.values()) {
      if (leg.iceIn !== worker) continue;
      leg.iceIn = undefined;
      this.#emit({ type: 'media-lost', leg: leg.name });
    }
    return new Set(
      legs.flatMap(({ port, inWorker }) => (port !== undefined && inWorker === worker ? port : [])),
    );
  }
}
