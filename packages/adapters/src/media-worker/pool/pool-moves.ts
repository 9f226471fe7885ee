import { noStatistics } from '@jackfield/media';
import type { LegStatistics } from '@jackfield/ports';
import type { LegEntry, Movable, Move } from './pool-entries.ts';
import type { PoolTable } from './pool-table.ts';
import type { PoolWorkers } from './pool-workers.ts';

/** The order of what is sent to things that move between workers. */
export interface PoolMoves {
  /** Runs this now, or once the thing has arrived. */
  deliver(thing: Movable, act: () => void): void;
  /** These things go on in another worker. */
  start(things: readonly Movable[], from: number, to: number): void;
  /** What is sent to the leg waits until the result is there. */
  busy<Value>(leg: LegEntry, work: () => Promise<Value>): Promise<Value>;
  /** Closes the leg where it is by then. */
  close(leg: LegEntry): Promise<LegStatistics>;
}

/** Creates the moves of one pool. `lost` gets the legs whose move failed. */
export function createPoolMoves(
  table: PoolTable,
  workers: PoolWorkers,
  lost: (legs: readonly LegEntry[]) => void,
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
        const { inWorker, port, name } = leg;
        const worker = inWorker === undefined ? undefined : workers.at(inWorker);
        if (worker === undefined) return resolve(noStatistics);
        worker.close(name).then((statistics) => {
          if (port !== undefined) workers.freePort(port, inWorker!);
          resolve(statistics);
        }, reject);
      });
      return promise;
    },
  };
}

function namesOf(things: readonly Movable[]) {
  const of = (kind: Movable['kind']) => things.filter((each) => each.kind === kind).map(({ name }) => name);
  return { legs: of('leg'), mixes: of('mix'), captures: of('capture') };
}
