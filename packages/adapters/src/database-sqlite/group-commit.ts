import type { Logger, Write } from '@jackfield/ports';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { Unit as OpenUnit } from './sqlite-executor.ts';
import { explained } from './unavailable-error.ts';

/** Runs units of work so that those of one turn of the event loop share one commit, and so one sync to disk. */
export interface GroupCommit {
  transact<Result>(work: (write: Write) => Promise<Result>): Promise<Result>;
  /** Runs `order` when no group is open. */
  apart<Result>(order: () => Result): Promise<Result>;
  /** Resolves when no unit waits or runs. */
  idle(): Promise<void>;
}

/** A commit and its units block the event loop: more units would delay SIP and HTTP by more than about 10 ms. */
const unitsPerGroup = 200;
/**
 * A sync to disk costs as much as about forty units. So a group waits while each further turn of the event loop adds units, for at most
 * this many turns. A single unit waits for one turn without work.
 */
const turnsOfPatience = 4;
const slowUnitMs = 5_000;

interface Unit {
  /** False when the unit has failed and what it wrote is still in the transaction. */
  run(apart: boolean): Promise<boolean>;
  /** Called after the commit; with an error when the commit failed. */
  settle(error: { readonly cause: unknown } | undefined): void;
}

export function createGroupCommit(
  connection: SqliteConnection,
  openUnit: () => OpenUnit,
  isInTransaction: () => boolean,
  log: Logger,
): GroupCommit {
  let waiting: Unit[] = [];
  let aparts: (() => void)[] = [];
  const idlers: (() => void)[] = [];
  let busy = false;
  /** Turns that the next group has waited, and its number of units at the last of them. */
  let turns = 0;
  let seen = 0;

  function wake(): void {
    if (busy) return;
    busy = true;
    // Runs after the poll phase, so that the units of all sockets read in this turn share a group.
    setImmediate(nextGroup);
  }

  function nextGroup(): void {
    if (turns < turnsOfPatience && waiting.length > seen && waiting.length < unitsPerGroup) {
      turns++;
      seen = waiting.length;
      setImmediate(nextGroup);
      return;
    }
    turns = 0;
    seen = 0;
    const orders = aparts;
    aparts = [];
    for (const order of orders) order();
    const group = waiting.length <= unitsPerGroup ? waiting : waiting.slice(0, unitsPerGroup);
    waiting = waiting.length <= unitsPerGroup ? [] : waiting.slice(unitsPerGroup);
    runGroup(group).then(() => {
      if (waiting.length > 0 || aparts.length > 0) {
        setImmediate(nextGroup);
        return;
      }
      busy = false;
      for (const resolve of idlers.splice(0)) resolve();
    });
  }

  async function runGroup(group: readonly Unit[]): Promise<void> {
    if (group.length === 0) return;
    // Work that awaits anything but its own queries blocks every writer; the log shows this to its author.
    const slow = setTimeout(
      () => log.error({ ms: slowUnitMs }, 'transaction awaits something other than its own queries'),
      slowUnitMs,
    );
    let failure: { readonly cause: unknown } | undefined;
    try {
      // A savepoint copies every page that its unit changes, and few units fail: only a group with a failure runs again with savepoints.
      if (!(await tryGroup(group, false)) && group.length > 1) await tryGroup(group, true);
    } catch (error) {
      const cause = explained(error);
      failure = { cause };
      log.error({ err: cause, units: group.length }, 'commit failed; none of its changes was made');
      if (isInTransaction()) connection.order('ROLLBACK');
    } finally {
      clearTimeout(slow);
    }
    for (const unit of group) unit.settle(failure);
  }

  /** False after a rollback because of a unit that failed. */
  async function tryGroup(group: readonly Unit[], apart: boolean): Promise<boolean> {
    connection.order('BEGIN IMMEDIATE');
    for (const unit of group) {
      const isClean = await unit.run(apart);
      // A full or broken disk ends the whole transaction, with the units before this one.
      if (!isInTransaction()) throw new Error('the database gave the transaction up');
      if (isClean) continue;
      connection.order('ROLLBACK');
      return false;
    }
    connection.order('COMMIT');
    return true;
  }

  return {
    transact<Result>(work: (write: Write) => Promise<Result>): Promise<Result> {
      return new Promise<Result>((resolve, reject) => {
        waiting.push(unitOf(connection, openUnit, work, { resolve, reject }));
        wake();
      });
    },
    apart<Result>(order: () => Result): Promise<Result> {
      return new Promise<Result>((resolve, reject) => {
        aparts.push(() => {
          try {
            resolve(order());
          } catch (error) {
            reject(error);
          }
        });
        wake();
      });
    },
    idle: () => (busy ? new Promise<void>((resolve) => idlers.push(resolve)) : Promise.resolve()),
  };
}

function unitOf<Result>(
  connection: SqliteConnection,
  openUnit: () => OpenUnit,
  work: (write: Write) => Promise<Result>,
  caller: { resolve(result: Result): void; reject(error: unknown): void },
): Unit {
  let outcome: { readonly value: Result } | { readonly error: unknown } | undefined;
  return {
    async run(apart) {
      connection.beginUnit(apart);
      const { write, close } = openUnit();
      try {
        outcome = { value: await work(write) };
        connection.commitUnit();
        return true;
      } catch (error) {
        outcome = { error };
        return connection.rollBackUnit();
      } finally {
        close();
      }
    },
    settle(failure) {
      // A unit that failed by itself reports its own error; the other units of its group report the error of the commit.
      if (outcome !== undefined && 'error' in outcome) caller.reject(outcome.error);
      else if (failure !== undefined || outcome === undefined) caller.reject(failure?.cause);
      else caller.resolve(outcome.value);
    },
  };
}
