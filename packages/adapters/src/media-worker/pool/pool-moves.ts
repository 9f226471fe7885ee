import { noStatistics } from '@jackfield/media';
import type { LegStatistics } from '@jackfield/ports';
import type { LegEntry, Movable, Move } from './pool-entries.ts';
import type { PoolTable } from './pool-table.ts';
import type { PoolWorkers } from './pool-workers.ts';

/** Keeps the order of messages to legs, rooms and streams that move between workers. */
export interface PoolMoves {
  /** Runs this now, or once the thing has arrived. */
  deliver(thing: Movable, act: () => void): void;
  /** These things go on in another worker. */
  start(things: readonly Movable[], from: number, to: number): void;
  /** Begins when the leg has arrived; what is sent to it waits until the result is there. */
  busy<Value>(leg: LegEntry, work: () => Promise<Value>): Promise<Value>;
  /** Closes the leg where it is by then. */
  close(leg: LegEntry): Promise<LegStatistics>;
}

/** What moves report. */
export interface MoveEvents {
  /** The move of these legs failed. */
  readonly lost: (legs: readonly LegEntry[]) => void;
  /** The leg has an RTP port from now on: its packets come through the port of WebRTC of another worker. */
  readonly bound: (leg: LegEntry, port: number) => void;
}

/** Creates the moves of one pool. */
export function createPoolMoves(
  table: PoolTable,
  workers: PoolWorkers,
  { lost, bound }: MoveEvents,
): PoolMoves {
  const deliver = (thing: Movable, act: () => void): void => {
    if (thing.move === undefined) act();
    else thing.move.waiting.push(() => deliver(thing, act));
  };

  const begin = (things: readonly Movable[]): Move => {
    const move: Move = { waiting: [] };
    for (const thing of things) thing.move = move;
    return move;
  };
  const finish = (things: readonly Movable[], move: Move): void => {
    for (const thing of things) thing.move = undefined;
    for (const act of move.waiting) act();
  };

  const start = (things: readonly Movable[], from: number, to: number): void => {
    const waits = things.find(({ move }) => move !== undefined);
    if (waits !== undefined) {
      waits.move!.waiting.push(() => start(things, from, to));
      return;
    }
    const move = begin(things);
    void carry(things, from, to).finally(() => finish(things, move));
  };

  const carry = async (things: readonly Movable[], from: number, to: number): Promise<void> => {
    const fail = () => lost(table.drop(things));
    const source = workers.at(from);
    if (source === undefined) return fail();
    const names = namesOf(things);
    let moved: Awaited<ReturnType<typeof source.release>>;
    try {
      moved = await source.release(names);
    } catch {
      return fail();
    }
    moved.state.legs.forEach(({ leg }, at) => {
      const entry = things.find((thing) => thing.kind === 'leg' && thing.name === leg) as
        | LegEntry
        | undefined;
      const port = moved.sockets[at]?.port;
      if (entry !== undefined && entry.port === undefined && port !== undefined) bound(entry, port);
    });
    const target = workers.at(to);
    if (target !== undefined) {
      for (const thing of things) if (thing.kind === 'leg') thing.inWorker = to;
      // What waits is sent after it, and finds the legs.
      target.adopt(moved).catch(fail);
      return;
    }
    // The other worker died meanwhile: the sockets are freed where they were.
    fail();
    await source.adopt(moved).catch(() => {});
    await Promise.allSettled(names.legs.map((leg) => source.close(leg)));
  };

  return {
    deliver,
    start,
    async busy(leg, work) {
      while (leg.move !== undefined) await arrival(leg.move);
      const move = begin([leg]);
      try {
        return await work();
      } finally {
        finish([leg], move);
      }
    },
    close(leg) {
      const { promise, resolve, reject } = Promise.withResolvers<LegStatistics>();
      deliver(leg, () => {
        const { inWorker, iceIn, port, name } = leg;
        const worker = inWorker === undefined ? undefined : workers.at(inWorker);
        if (worker === undefined) return resolve(noStatistics);
        const relay = iceIn === undefined || iceIn === inWorker ? undefined : workers.at(iceIn);
        Promise.all([worker.close(name), relay?.close(name).catch(() => {})]).then(([statistics]) => {
          if (port !== undefined) workers.freePort(port, inWorker!);
          resolve(statistics);
        }, reject);
      });
      return promise;
    },
  };
}

function arrival(move: Move): Promise<void> {
  return new Promise((resolve) => move.waiting.push(resolve));
}

function namesOf(things: readonly Movable[]) {
  const of = (kind: Movable['kind']) => things.filter((each) => each.kind === kind).map(({ name }) => name);
  return { legs: of('leg'), mixes: of('mix'), captures: of('capture') };
}
