import type { Logger, Read, Write } from '@jackfield/ports';
import type { PostgresConnection } from './postgres-connection.ts';
import { DatabaseUnavailableError, saysBeginAgain } from './unavailable-error.ts';

/** A connection for writing, with kysely on top of it. */
export interface WriteConnection {
  readonly connection: PostgresConnection;
  readonly write: Read;
}

/** Runs units of work so that those of one turn of the event loop share transactions. */
export interface UnitLanes {
  transact<Result>(work: (write: Write) => Promise<Result>): Promise<Result>;
  /** Resolves when no unit waits or runs. */
  idle(): Promise<void>;
}

export interface UnitLanesDeps {
  /** Rejects with `DatabaseUnavailableError` when no connection is available. */
  readonly connect: () => Promise<WriteConnection>;
  /** How many groups run at the same time, each on a connection of its own. */
  readonly lanes: number;
  readonly log: Logger;
}

/** A group is one transaction: a longer group would only delay its first unit. */
const unitsPerGroup = 100;
/** A conflict ends with the other transaction; eight attempts with growing pauses last about half a second. */
const attempts = 8;

interface Unit {
  /** Runs the work; its own failure goes to `settle` and is not thrown. */
  run(write: Read): Promise<void>;
  settle(failure: { readonly cause: unknown } | undefined): void;
}

/**
 * SERIALIZABLE: a unit that reads, decides and writes must not lose a concurrent write of another node. On a conflict between two lanes or
 * nodes PostgreSQL aborts one transaction; its units run again.
 */
const begin = 'BEGIN ISOLATION LEVEL SERIALIZABLE';

export function createUnitLanes({ connect, lanes, log }: UnitLanesDeps): UnitLanes {
  let waiting: Unit[] = [];
  const idlers: (() => void)[] = [];
  let running = 0;
  let woken = false;

  function wake(): void {
    if (woken || running === lanes) return;
    woken = true;
    setImmediate(fillLanes);
  }

  function fillLanes(): void {
    woken = false;
    while (waiting.length > 0 && running < lanes) {
      const share = Math.min(unitsPerGroup, Math.ceil(waiting.length / (lanes - running)));
      const group = waiting.slice(0, share);
      waiting = waiting.slice(share);
      running++;
      runGroup(group).finally(() => {
        running--;
        if (waiting.length > 0) wake();
        else if (running === 0 && !woken) for (const resolve of idlers.splice(0)) resolve();
      });
    }
  }

  async function runGroup(group: readonly Unit[]): Promise<void> {
    const failure = await tryOnce(group);
    if (failure === undefined || !saysBeginAgain(failure.cause)) {
      for (const unit of group) unit.settle(failure);
      return;
    }
    // A unit that runs alone affects no other unit when it conflicts.
    for (const unit of group) unit.settle(await tryAgain(unit));
  }

  async function tryAgain(unit: Unit): Promise<{ readonly cause: unknown } | undefined> {
    for (let attempt = 1; ; attempt++) {
      const failure = await tryOnce([unit]);
      if (failure === undefined || !saysBeginAgain(failure.cause)) return failure;
      if (attempt === attempts) {
        log.warn({ attempts, err: failure.cause }, 'transaction given up after repeated conflicts');
        return failure;
      }
      // Two transactions that conflicted once would conflict again after equal pauses.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** attempt));
    }
  }

  async function tryOnce(group: readonly Unit[]): Promise<{ readonly cause: unknown } | undefined> {
    let lane: WriteConnection;
    try {
      lane = await connect();
    } catch (cause) {
      return { cause };
    }
    const { connection, write } = lane;
    try {
      connection.order(begin);
      for (const unit of group) {
        await unit.run(write);
        if (connection.fatal !== undefined) throw connection.fatal;
      }
      await connection.commit();
      return undefined;
    } catch (cause) {
      connection.rollBack();
      if (cause instanceof DatabaseUnavailableError)
        log.error({ err: cause, units: group.length }, cause.message);
      return { cause };
    } finally {
      connection.release();
    }
  }

  return {
    transact<Result>(work: (write: Write) => Promise<Result>): Promise<Result> {
      return new Promise<Result>((resolve, reject) => {
        let outcome: { readonly value: Result } | { readonly error: unknown } | undefined;
        waiting.push({
          async run(write) {
            try {
              outcome = { value: await write.transaction().execute(work) };
            } catch (error) {
              outcome = { error };
            }
          },
          settle(failure) {
            if (failure !== undefined) reject(ownError(outcome, failure.cause));
            else if (outcome === undefined || 'error' in outcome) reject(outcome?.error);
            else resolve(outcome.value);
          },
        });
        wake();
      });
    },
    idle() {
      if (running === 0 && waiting.length === 0) return Promise.resolve();
      return new Promise<void>((resolve) => idlers.push(resolve));
    },
  };
}

/** A unit that failed by itself reports its own error; the other units of its group report the error of the transaction. */
function ownError(outcome: object | undefined, cause: unknown): unknown {
  return outcome !== undefined && 'error' in outcome ? outcome.error : cause;
}
