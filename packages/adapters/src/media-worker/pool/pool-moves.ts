import { noStatistics } from '@jackfield/media';
import type { MovedLegs } from '@jackfield/media/io';
import type { LegStatistics } from '@jackfield/ports';
import type { LegEntry, Movable, Move } from './pool-entries.ts';
import type { PoolTable } from './pool-table.ts';
import type { PoolWorkers } from './pool-workers.ts';

/** Events of moves. */
export interface MoveEvents {
  /** The move of these legs failed. */
  readonly lost: (legs: readonly LegEntry[]) => void;
  /** The leg has an RTP port from now on: its packets come through the port of WebRTC of another worker. */
  readonly bound: (leg: LegEntry, port: number) => void;
}

/** Keeps the order of messages to legs, rooms and streams that move between workers. */
export class PoolMoves {
  readonly #table: PoolTable;
  readonly #workers: PoolWorkers;
  readonly #events: MoveEvents;

  constructor(table: PoolTable, workers: PoolWorkers, events: MoveEvents) {
    this.#table = table;
    this.#workers = workers;
    this.#events = events;
  }

  /** Runs `act` now, or once the thing has arrived. */
  deliver(thing: Movable, act: () => void): void {
    if (thing.move === undefined) act();
    else thing.move.waiting.push(() => this.deliver(thing, act));
  }

  /** Moves these things to another worker. */
  start(things: readonly Movable[], from: number, to: number): void {
    const waits = things.find(({ move }) => move !== undefined);
    if (waits !== undefined) {
      waits.move!.waiting.push(() => this.start(things, from, to));
      return;
    }
    const move = begin(things);
    void this.#carry(things, from, to).finally(() => finish(things, move));
  }

  /** Runs `work` once the leg has arrived; commands for the leg wait until it is done. */
  async busy<Value>(leg: LegEntry, work: () => Promise<Value>): Promise<Value> {
    while (leg.move !== undefined) await arrival(leg.move);
    const move = begin([leg]);
    try {
      return await work();
    } finally {
      finish([leg], move);
    }
  }

  /** Closes the leg, after its move if it moves. */
  close(leg: LegEntry): Promise<LegStatistics> {
    const { promise, resolve, reject } = Promise.withResolvers<LegStatistics>();
    this.deliver(leg, () => {
      this.#closeWhereItIs(leg).then(resolve, reject);
    });
    return promise;
  }

  async #closeWhereItIs({ inWorker, iceIn, port, name }: LegEntry): Promise<LegStatistics> {
    const worker = inWorker === undefined ? undefined : this.#workers.at(inWorker);
    if (worker === undefined) return noStatistics;
    const relay = iceIn === undefined || iceIn === inWorker ? undefined : this.#workers.at(iceIn);
    const [statistics] = await Promise.all([worker.close(name), relay?.close(name).catch(() => {})]);
    if (port !== undefined) this.#workers.freePort(port, inWorker!);
    return statistics;
  }

  async #carry(things: readonly Movable[], from: number, to: number): Promise<void> {
    const fail = () => this.#events.lost(this.#table.drop(things));
    const source = this.#workers.at(from);
    if (source === undefined) return fail();
    const names = namesOf(things);
    let moved: MovedLegs;
    try {
      moved = await source.release(names);
    } catch {
      return fail();
    }
    this.#reportPorts(things, moved);
    const target = this.#workers.at(to);
    if (target !== undefined) {
      for (const thing of things) if (thing.kind === 'leg') thing.inWorker = to;
      // Waiting commands are sent after it, so they find the legs.
      target.adopt(moved).catch(fail);
      return;
    }
    // The target worker died meanwhile: the old worker frees the sockets.
    fail();
    await source.adopt(moved).catch(() => {});
    await Promise.allSettled(names.legs.map((leg) => source.close(leg)));
  }

  #reportPorts(things: readonly Movable[], { state, sockets }: MovedLegs): void {
    state.legs.forEach(({ leg }, at) => {
      const entry = things.find((thing) => thing.kind === 'leg' && thing.name === leg) as
        | LegEntry
        | undefined;
      const port = sockets[at]?.port;
      if (entry !== undefined && entry.port === undefined && port !== undefined)
        this.#events.bound(entry, port);
    });
  }
}

function begin(things: readonly Movable[]): Move {
  const move: Move = { waiting: [] };
  for (const thing of things) thing.move = move;
  return move;
}

function finish(things: readonly Movable[], move: Move): void {
  for (const thing of things) thing.move = undefined;
  for (const act of move.waiting) act();
}

function arrival(move: Move): Promise<void> {
  return new Promise((resolve) => move.waiting.push(resolve));
}

function namesOf(things: readonly Movable[]) {
  const of = (kind: Movable['kind']) => things.filter((each) => each.kind === kind).map(({ name }) => name);
  return { legs: of('leg'), mixes: of('mix'), captures: of('capture') };
}
