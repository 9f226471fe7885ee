import assert from 'node:assert/strict';
import type { Instant, Read } from '@jackfield/ports';
import type { NetworkAddress, SimulatedPlatform, SimulatedWorld, WatchedWrites } from '@jackfield/testkit';

/** A fault that may end its node. */
interface Hit {
  readonly node: SimulatedPlatform;
  readonly at: number;
  /** A node that loses the database behind its next commit still writes that one: its heartbeat at the latest. */
  readonly lastWriteAt: number;
  until: number;
}

/** How the wall clock of a node differs from that of the world. */
interface WalkClock {
  readonly skewMs?: number;
}

type OnBus = (bus: NonNullable<SimulatedWorld['cluster']>['bus']) => void;

interface Interval {
  readonly from: Instant;
  to: Instant;
}

interface HeartbeatBounds {
  readonly silentFrom: number;
  readonly atLatest: number;
}

/** A BYE is repeated for 32 s (RFC 3261 §17.1.2.2, timer F), at last every 4 s; random loss may take the last two. */
const byeRepeatedMs = 24_000;

/** A BYE is repeated after 0.5 s and 1.5 s (RFC 3261 §17.1.2.2): until then it was sent twice, and random loss may take both. */
const byeSentTwiceMs = 1_500;

/** The time between two heartbeats, and slack. */
const heartbeatMs = 2_500;

/** Random faults of a world of several nodes: at least one node always runs and has its database. */
export class WalkFaults {
  /** All nodes, by their numbers. */
  readonly nodes: readonly SimulatedPlatform[];
  readonly #world: SimulatedWorld;
  readonly #random: () => number;
  readonly #hits: Hit[] = [];
  readonly #cut = new Set<SimulatedPlatform>();
  readonly #stopped = new Set<SimulatedPlatform>();
  readonly #killedAt = new Map<SimulatedPlatform, Instant>();
  readonly #clocks: readonly WalkClock[];
  readonly #ends: WatchedWrites['ends'];
  #isBusWell = true;
  #changes = 0;
  /** When the bus was cut, or cut between two nodes, and when it was mended. */
  readonly #outages: Interval[] = [];
  /** When messages of the bus were lost at random. */
  readonly #losses: Interval[] = [];

  constructor(
    world: SimulatedWorld,
    ends: WatchedWrites['ends'],
    clocks: readonly WalkClock[],
    random: () => number,
  ) {
    this.#world = world;
    this.#ends = ends;
    this.#clocks = clocks;
    this.#random = random;
    this.nodes = [...this.#cluster.nodes];
  }

  /** Without a process that another one has ended, and that has not exited yet. */
  get running(): readonly SimulatedPlatform[] {
    return this.#cluster.nodes.filter((node) => this.#endOf(incarnationOf(node)) === undefined);
  }

  /** The node of an incarnation. */
  nodeOf(incarnation: number): SimulatedPlatform | undefined {
    return this.nodes.find((node) => incarnationOf(node) === incarnation);
  }

  /** Of a node that has its database. */
  get read(): Read {
    const node = this.running.find((each) => !this.#cut.has(each)) ?? assert.fail('no node is left');
    return node.database.read;
  }

  /** Each message arrives between this node and every other one. */
  isWellAt({ address }: NetworkAddress): boolean {
    const node = this.nodes[Number(address.split('.').at(-1)) - 1];
    const isRunning = node !== undefined && this.running.includes(node);
    return isRunning && this.#isBusWell && this.#stopped.size + this.#cut.size === 0;
  }

  /** Faults that have begun or ended. */
  get changes(): number {
    return this.#changes;
  }

  after(ms: number, act: () => void): void {
    const { clock } = this.#world;
    clock.startTimer(clock.now() + ms, act);
  }

  /** What the wall clock of a node has shown, in time of the world. */
  ofWorld(shownAt: Instant, incarnation: number): Instant {
    const number = this.nodes.findIndex((node) => incarnationOf(node) === incarnation);
    return shownAt - (this.#clocks[number]?.skewMs ?? 0);
  }

  async next(): Promise<void> {
    const { kill, part, partOneWay } = this.#cluster;
    const well = this.running.filter((node) => !this.#cut.has(node) && !this.#stopped.has(node));
    const [one, other] = [this.#one(well), this.#one(this.running)];
    const choice = this.#random();
    if (choice < 0.3) this.#impairBus();
    else if (choice < 0.4) this.#cutBus(() => part(one, other));
    else if (choice < 0.45) this.#cutBus(() => partOneWay(one, other));
    else if (choice < 0.5) this.#cutBus(({ cut }) => cut());
    else if (choice < 0.6) this.#mendBus();
    else if (well.length === 1) return;
    else if (choice < 0.75) this.#stop(one);
    else if (choice < 0.8) this.#cutFromDatabase(one);
    else if (choice < 0.85) this.#cutBehindCommit(one);
    else if (this.running.length === 3) {
      this.#hit(one);
      this.#killedAt.set(one, this.#world.now());
      this.#cluster.stop(one);
      await kill(one);
    }
  }

  heal(): void {
    const { goOn, mendDatabase } = this.#cluster;
    this.#mendBus();
    for (const node of this.#stopped) goOn(node);
    for (const node of this.#cut) mendDatabase(node);
    this.#stopped.clear();
    this.#cut.clear();
  }

  /**
   * When the last heartbeat of a node that was ended was written at the latest, and from when on it may have written none: between two
   * faults it may have had the time for one, or not. Infinity for a node that was not ended.
   */
  lastHeartbeat(meant: SimulatedPlatform | undefined, endedAt: number): HeartbeatBounds {
    let bounds: HeartbeatBounds | undefined;
    for (const { node, at, lastWriteAt, until } of this.#hits.toReversed()) {
      if (node !== meant || at >= endedAt) continue;
      if (bounds !== undefined && until < bounds.silentFrom - heartbeatMs) break;
      bounds = { silentFrom: at, atLatest: bounds?.atLatest ?? lastWriteAt };
    }
    return bounds ?? { silentFrom: Infinity, atLatest: Infinity };
  }

  /**
   * Whether a BYE from then on may have been lost with each of its repetitions, between the node that sends it and that of the phone. A node
   * that ends repeats it no more.
   */
  losesBye(at: Instant, sender: number): boolean {
    const endsAt = this.#lastInstant(sender);
    const lastAt = Math.min(at + byeRepeatedMs, endsAt);
    if (this.#outages.some(({ from, to }) => from <= at && to >= lastAt)) return true;
    return endsAt < at + byeSentTwiceMs && this.#losses.some(({ from, to }) => from <= endsAt && to >= at);
  }

  /** When the process of a node was killed, or ended because another one had ended its incarnation. */
  #lastInstant(incarnation: number): Instant {
    const [node, end] = [this.nodeOf(incarnation), this.#endOf(incarnation)];
    if (node === undefined || end === undefined) return Number.POSITIVE_INFINITY;
    const hit = this.#hits.findLast((each) => each.node === node && each.at < end.at);
    return this.#killedAt.get(node) ?? Math.max(end.at, hit?.until ?? 0);
  }

  #endOf(incarnation: number) {
    return this.#ends.find((end) => end.incarnation === incarnation);
  }

  get #cluster() {
    return this.#world.cluster ?? assert.fail('several nodes');
  }

  #one(nodes: readonly SimulatedPlatform[]): SimulatedPlatform {
    return nodes[Math.floor(this.#random() * nodes.length)]!;
  }

  #onBus(impair: OnBus): void {
    this.#changes++;
    this.#isBusWell = false;
    impair(this.#cluster.bus);
  }

  /** Until it is mended: what impairs the bus meanwhile does not connect it. */
  #cutBus(cut: OnBus): void {
    this.#begins(this.#outages);
    this.#onBus(cut);
  }

  #impairBus(): void {
    this.#begins(this.#losses);
    this.#onBus(({ impair }) => impair({ delayMs: 2, jitterMs: 40, lossRate: 0.1, duplicateRate: 0.1 }));
  }

  #begins(intervals: Interval[]): void {
    const isOn = intervals.some(({ to }) => to === Number.POSITIVE_INFINITY);
    if (!isOn) intervals.push({ from: this.#world.now(), to: Number.POSITIVE_INFINITY });
  }

  #mendBus(): void {
    this.#changes++;
    const { bus } = this.#cluster;
    for (const interval of [...this.#outages, ...this.#losses])
      interval.to = Math.min(interval.to, this.#world.now());
    bus.mend();
    bus.impair({});
    this.#isBusWell = true;
  }

  /** For 1 to 20 s: it is ended by another node, or not. */
  #stop(node: SimulatedPlatform): void {
    this.#hit(node);
    this.#cluster.stop(node);
    this.#stopped.add(node);
    this.#later(node, () => this.#stopped.delete(node) && this.#cluster.goOn(node));
  }

  #cutFromDatabase(node: SimulatedPlatform): void {
    this.#hit(node);
    this.#cluster.cutFromDatabase(node);
    this.#losesDatabase(node);
  }

  #cutBehindCommit(node: SimulatedPlatform): void {
    this.#hit(node, heartbeatMs);
    this.#cluster.cutBehindCommit(node);
    this.#losesDatabase(node);
  }

  #losesDatabase(node: SimulatedPlatform): void {
    this.#cut.add(node);
    this.#later(node, () => this.#cut.delete(node) && this.#cluster.mendDatabase(node));
  }

  #hit(node: SimulatedPlatform, writesForMs = 0): void {
    this.#changes++;
    const at = this.#world.now();
    this.#hits.push({ node, at, lastWriteAt: at + writesForMs, until: Number.POSITIVE_INFINITY });
  }

  #later(node: SimulatedPlatform, recover: () => void): void {
    const { clock } = this.#world;
    this.after(1_000 + this.#random() * 19_000, () => {
      this.#changes++;
      for (const hit of this.#hits) if (hit.node === node) hit.until = Math.min(hit.until, clock.now());
      recover();
    });
  }
}

function incarnationOf({ platform }: SimulatedPlatform): number {
  return platform.runner.incarnation;
}
