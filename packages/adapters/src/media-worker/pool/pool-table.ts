import { createPlacement, type Placement } from '@jackfield/media';
import {
  type Anchor,
  type CaptureEntry,
  type Gathering,
  hasFollowers,
  isHeld,
  type LegEntry,
  type Lost,
  loseFollowers,
  type MixEntry,
  type Movable,
  newLeg,
  newMix,
  newStream,
  noFollowers,
  type StreamEntry,
  streamsOf,
  type WorkerEntry,
  withFollowers,
  workerOfMost,
} from './pool-entries.ts';

/** A room counts as at least this many participants, because others will join it; see docs/decisions/0026-a-pool-of-media-workers.md. */
const usualRoom = 3;

/** The only table of a pool: the worker of each leg, mix, capture and stream. It sends nothing. */
export class PoolTable {
  readonly legs = new Map<string, LegEntry>();
  readonly mixes = new Map<string, MixEntry>();
  readonly captures = new Map<string, CaptureEntry>();
  readonly streams = new Map<string, StreamEntry>();
  readonly #placement: Placement;
  readonly #workers: readonly WorkerEntry[];

  constructor(workers: number) {
    this.#placement = createPlacement({ workers, usualRoom });
    this.#workers = Array.from({ length: workers }, (_, worker) => ({
      kind: 'worker',
      worker,
      ...noFollowers(),
    }));
  }

  /** Undefined for a thing without a worker: an unused mix, or one whose worker died. */
  workerOf(thing: Anchor | CaptureEntry): number | undefined {
    switch (thing.kind) {
      case 'worker':
        return thing.worker;
      case 'leg':
        return this.#placement.workerOf((thing.room ?? thing).unit);
      case 'capture':
        return this.workerOf(thing.at);
      case 'mix':
        if (thing.isRoom) return this.#placement.workerOf(thing.unit);
        return thing.at === undefined ? undefined : this.workerOf(thing.at);
    }
  }

  /** The worker of the room or leg that a new leg or stream joins; else the worker with the least weight. Undefined while no worker runs. */
  workerBeside(beside: string | undefined): number | undefined {
    const mix = beside === undefined ? undefined : this.mixes.get(beside);
    const leg = beside === undefined ? undefined : this.legs.get(beside);
    const known = (mix && this.workerOf(mix)) ?? (leg && this.workerOf(leg));
    if (known !== undefined) return known;
    // A room without members: all legs that are opened for it go to the worker of the first one.
    if (mix !== undefined) this.#makeRoom(mix, []);
    return (mix && this.workerOf(mix)) ?? this.#placement.least();
  }

  /** The entry of a leg. A leg that is named before it is open gets its worker now. Undefined while no worker runs. */
  reserve(name: string, given?: number): LegEntry | undefined {
    const known = this.legs.get(name);
    if (known !== undefined) return known;
    const leg = newLeg(name);
    if (this.#placement.open(leg.unit, leg.weight, given) === undefined) return undefined;
    this.legs.set(name, leg);
    return leg;
  }

  openMix(name: string): void {
    if (this.mixes.has(name)) return;
    this.mixes.set(name, newMix(name));
  }

  closeMix(mix: MixEntry): void {
    const worker = this.workerOf(mix);
    this.mixes.delete(mix.name);
    if (mix.isRoom) {
      for (const name of mix.members) this.#leave(this.legs.get(name)!, worker!);
      this.#placement.close(mix.unit);
    } else this.#detach(mix);
    mix.isRoom = false;
    mix.members = [];
    // The followers of the room stay in its worker.
    if (worker === undefined || !hasFollowers(mix)) return;
    const rest = this.#workers[worker]!;
    for (const follower of [...mix.mixes, ...mix.captures]) this.#attach(follower, rest);
    for (const stream of mix.streams) stream.holds.delete(mix);
    mix.streams.clear();
  }

  /** Puts the mix into the worker of these legs, unless it has a worker. Undefined while no worker runs. */
  placePlays(mix: MixEntry, to: readonly string[]): { readonly isNew: boolean } | undefined {
    const isNew = !mix.isOpen;
    if (!mix.isRoom && mix.at === undefined) {
      const anchor = this.#anchorOf(to);
      if (anchor === undefined) return undefined;
      this.#attach(mix, anchor);
    }
    mix.isOpen = true;
    return { isNew };
  }

  /** Puts a capture into the worker of its legs; `from` is the worker that it leaves. Undefined while no worker runs. */
  placeCapture(name: string, legs: readonly string[]): { entry: CaptureEntry; from?: number } | undefined {
    const known = this.captures.get(name);
    const anchor = known !== undefined && legs.length === 0 ? known.at : this.#anchorOf(legs);
    if (anchor === undefined) return undefined;
    if (known === undefined) {
      const entry: CaptureEntry = { kind: 'capture', name, at: anchor, move: undefined };
      this.captures.set(name, entry);
      anchor.captures.add(entry);
      return { entry };
    }
    const from = this.workerOf(known);
    this.#attach(known, anchor);
    const isElsewhere = from !== undefined && from !== this.workerOf(anchor);
    return isElsewhere ? { entry: known, from } : { entry: known };
  }

  endCapture(entry: CaptureEntry): void {
    this.captures.delete(entry.name);
    entry.at.captures.delete(entry);
    this.#prune(entry.at);
  }

  /** Adds a stream in this worker. */
  addStream(name: string, worker: number, asLeg: string | undefined): StreamEntry {
    const stream: StreamEntry = { name, worker, holds: new Set(), ...newStream };
    this.streams.set(name, stream);
    this.#workers[worker]!.streams.add(stream);
    if (asLeg === undefined) return stream;
    const leg = this.reserve(asLeg, worker);
    if (leg === undefined) return stream;
    leg.isOpen = true;
    leg.isVirtual = true;
    stream.leg = leg;
    return stream;
  }

  /** The worker of a stream of these legs. */
  workerOfLegs(names: readonly string[]): number | undefined {
    const anchor = this.#anchorOf(names);
    return anchor === undefined ? undefined : this.workerOf(anchor);
  }

  /** These legs stay in the worker of the stream from now on. */
  hold(stream: StreamEntry, names: readonly string[]): void {
    const before = [...stream.holds];
    for (const anchor of before) anchor.streams.delete(stream);
    stream.holds.clear();
    for (const name of names) {
      const leg = this.reserve(name, stream.worker);
      const anchor = names.length > 1 ? (leg?.room ?? leg) : leg;
      if (anchor === undefined || this.workerOf(anchor) !== stream.worker) continue;
      anchor.streams.add(stream);
      stream.holds.add(anchor);
    }
    for (const anchor of before) this.#prune(anchor);
  }

  endStream(stream: StreamEntry): void {
    this.streams.delete(stream.name);
    this.#workers[stream.worker]!.streams.delete(stream);
    this.hold(stream, []);
    if (stream.leg !== undefined) this.closeLeg(stream.leg);
  }

  weigh(leg: LegEntry, weight: number): void {
    const { room } = leg;
    if (room === undefined) this.#placement.weigh(leg.unit, weight);
    else this.#weighRoom(room, weight - leg.weight);
    leg.weight = weight;
  }

  /** The leg is closed; its followers stay in its worker. */
  closeLeg(leg: LegEntry): void {
    const worker = this.workerOf(leg);
    leg.isOpen = false;
    leg.isVirtual = false;
    const { room } = leg;
    if (room !== undefined && worker !== undefined) {
      room.members = room.members.filter((name) => name !== leg.name);
      this.#leave(leg, worker);
    }
    this.#prune(leg);
  }

  /** Moves a leg without a room to another worker, which has opened it. */
  relocate(leg: LegEntry, worker: number): void {
    if (leg.room === undefined) this.#placement.move(leg.unit, worker);
  }

  /** Moves the room to the worker of a member that cannot leave it. Returns the things to move. */
  relocateRoom(mix: MixEntry, worker: number): readonly Movable[] {
    const before = this.workerOf(mix)!;
    // A leg that is itself a stream cannot move: the stream is refused.
    for (const name of mix.members) {
      const leg = this.legs.get(name)!;
      if (leg.isVirtual) this.#leave(leg, before);
    }
    mix.members = mix.members.filter((name) => this.legs.get(name)?.room === mix);
    this.#placement.move(mix.unit, worker);
    const members = mix.members.flatMap((name) => this.legs.get(name) ?? []);
    return [mix, ...mix.mixes, ...mix.captures, ...members.flatMap(withFollowers)];
  }

  /** Sets the members of a mix; returns the required moves. Undefined while no worker runs. */
  gather(mix: MixEntry, members: readonly string[]): Gathering | undefined {
    const known = members.flatMap((name) => this.legs.get(name) ?? []);
    if (!mix.isRoom && !this.#makeRoom(mix, known)) return undefined;
    const next = new Set(members);
    const isNew = !mix.isOpen;
    mix.isOpen = true;
    const here = this.workerOf(mix)!;
    for (const name of mix.members) if (!next.has(name)) this.#leave(this.legs.get(name)!, here);
    mix.members = mix.members.filter((name) => next.has(name));
    const { room, refused } = this.#settleOn(mix, known);
    const to = this.workerOf(mix)!;
    const byWorker = new Map<number, Movable[]>();
    if (room.length > 0) byWorker.set(here, [...room]);
    for (const name of next) {
      const leg = this.legs.get(name) ?? newLeg(name);
      if (leg.room === mix) continue;
      if (leg.isVirtual && this.workerOf(leg) !== to) {
        next.delete(name);
        continue;
      }
      const from = leg.isOpen || hasFollowers(leg) ? this.workerOf(leg) : undefined;
      this.#join(leg, mix);
      if (from === undefined || from === to) continue;
      byWorker.set(from, [...(byWorker.get(from) ?? []), ...withFollowers(leg)]);
    }
    mix.members = [...next];
    const bundles = [...byWorker].map(([from, things]) => ({ from, things }));
    return { to, bundles, refused, isNew };
  }

  /** Removes the contents of a dead worker; its rooms stay open, without members and without a worker. */
  lose(worker: number): Lost {
    const units = this.#placement.lose(worker);
    const legs = new Set<LegEntry>();
    const streams = new Set<StreamEntry>();
    const anchors: Anchor[] = [this.#workers[worker]!];
    for (const unit of units) {
      const name = unit.slice(unit.indexOf('/') + 1);
      const mix = unit.startsWith('mix/') ? this.mixes.get(name) : undefined;
      const names = mix === undefined ? [name] : mix.members;
      if (mix !== undefined) anchors.push(mix);
      for (const each of names) {
        const leg = this.legs.get(each);
        if (leg !== undefined) legs.add(leg);
      }
    }
    for (const leg of legs) {
      anchors.push(leg);
      leg.room = undefined;
      this.legs.delete(leg.name);
    }
    for (const anchor of anchors) {
      for (const stream of anchor.streams) streams.add(stream);
      loseFollowers(anchor, this.captures);
    }
    const phones = [...legs].filter(({ isOpen, isVirtual }) => isOpen && !isVirtual);
    for (const stream of streams) this.endStream(stream);
    return { legs: phones, streams: [...streams] };
  }

  /** Legs whose move failed. */
  drop(things: readonly Movable[]): readonly LegEntry[] {
    const legs = things.filter((thing) => thing.kind === 'leg');
    for (const leg of legs) if (this.legs.get(leg.name) === leg) this.closeLeg(leg);
    return legs;
  }

  loads(): readonly number[] {
    return this.#placement.weights();
  }

  restart(worker: number): void {
    this.#placement.restart(worker);
  }

  /** Chooses the worker of the room so that held members are in it. Where members are held in several workers, some of their streams end. */
  #settleOn(
    mix: MixEntry,
    known: readonly LegEntry[],
  ): { readonly room: readonly Movable[]; readonly refused: readonly StreamEntry[] } {
    const here = this.workerOf(mix)!;
    const held = known.filter(isHeld);
    const elsewhere = held.filter((leg) => this.workerOf(leg) !== here);
    if (elsewhere.length === 0) return { room: [], refused: [] };
    const isRoomHeld = mix.streams.size > 0 || elsewhere.length < held.length;
    const target = this.workerOf(isRoomHeld ? mix : elsewhere[0]!)!;
    const refused = streamsOf([mix, ...held]).filter(({ worker }) => worker !== target);
    return { room: target === here ? [] : this.relocateRoom(mix, target), refused };
  }

  /**
   * The worker of a new room: that of a held member, else that with the port of a browser, whose packets then need no relay, else that with
   * most members, else that with the least weight.
   */
  #makeRoom(mix: MixEntry, known: readonly LegEntry[]): boolean {
    const given = this.workerOf(mix) ?? this.#bestOf(known);
    this.#detach(mix);
    const worker = this.#placement.open(mix.unit, usualRoom, given);
    mix.isRoom = worker !== undefined;
    mix.weight = 0;
    return mix.isRoom;
  }

  #bestOf(known: readonly LegEntry[]): number | undefined {
    const held = known.find(isHeld);
    if (held !== undefined) return this.workerOf(held);
    const browser = known.find((leg) => leg.isOpen && leg.iceIn !== undefined);
    if (browser !== undefined) return this.workerOf(browser);
    return workerOfMost(known, (leg) => this.workerOf(leg), this.#placement.weights());
  }

  #join(leg: LegEntry, mix: MixEntry): void {
    if (leg.room === undefined) this.#placement.close(leg.unit);
    else {
      leg.room.members = leg.room.members.filter((name) => name !== leg.name);
      this.#weighRoom(leg.room, -leg.weight);
    }
    this.legs.set(leg.name, leg);
    leg.room = mix;
    this.#weighRoom(mix, leg.weight);
  }

  #leave(leg: LegEntry, worker: number): void {
    if (leg.room !== undefined) this.#weighRoom(leg.room, -leg.weight);
    leg.room = undefined;
    this.#placement.open(leg.unit, leg.weight, worker);
    this.#prune(leg);
  }

  #weighRoom(room: MixEntry, more: number): void {
    room.weight += more;
    this.#placement.weigh(room.unit, Math.max(usualRoom, room.weight));
  }

  /** A leg moves with its own captures, plays and streams; those of several legs belong to their room. */
  #anchorOf(names: readonly string[]): Anchor | undefined {
    const [first] = names;
    if (first === undefined) {
      const least = this.#placement.least();
      return least === undefined ? undefined : this.#workers[least];
    }
    if (new Set(names).size === 1) return this.reserve(first);
    const known = names.flatMap((name) => this.legs.get(name) ?? []);
    const placed = known.find(({ room }) => room !== undefined);
    return placed?.room ?? known[0] ?? this.reserve(first);
  }

  #attach(follower: MixEntry | CaptureEntry, anchor: Anchor): void {
    const before = follower.at;
    if (before === anchor) return;
    this.#detach(follower);
    follower.at = anchor;
    if (follower.kind === 'mix') anchor.mixes.add(follower);
    else anchor.captures.add(follower);
  }

  #detach(follower: MixEntry | CaptureEntry): void {
    const { at } = follower;
    if (at === undefined) return;
    if (follower.kind === 'mix') {
      at.mixes.delete(follower);
      follower.at = undefined;
    } else at.captures.delete(follower);
    this.#prune(at);
  }

  /** Forgets a leg that is not open, is in no room and has no followers. */
  #prune(anchor: Anchor): void {
    if (anchor.kind !== 'leg' || anchor.isOpen || anchor.room !== undefined || hasFollowers(anchor)) return;
    if (this.legs.get(anchor.name) !== anchor) return;
    this.legs.delete(anchor.name);
    this.#placement.close(anchor.unit);
  }
}
