import type { Logger, Write } from '@jackfield/ports';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { Unit as OpenUnit } from './sqlite-executor.ts';
import { explained } from './unavailable-error.ts';

/** A commit and its units block the event loop: more units would delay SIP and HTTP by more than about 10 ms. */
const unitsPerGroup = 200;
/**
 * A sync to disk costs as much as about forty units. So a group waits while each further turn of the event loop adds units, for at most
 * this many turns. A single unit waits for one turn without work.
 */
const turnsOfPatience = 4;
const slowUnitMs = 5_000;

interface Unit {
  /** False when the unit has failed and its changes are still in the transaction. */
  run(apart: boolean): Promise<boolean>;
  /** Called after the commit; with an error when the commit failed. */
  settle(error: { readonly cause: unknown } | undefined): void;
}

/** The functions that a group commit needs. */
export interface GroupCommitDeps {
  readonly connection: SqliteConnection;
  readonly openUnit: () => OpenUnit;
  readonly log: Logger;
}

/** Runs units of work so that those of one turn of the event loop share one commit, and so one sync to disk. */
export class GroupCommit {
  readonly #deps: GroupCommitDeps;
  #waiting: Unit[] = [];
  #aparts: (() => void)[] = [];
  readonly #idlers: (() => void)[] = [];
  #busy = false;
  /** Turns that the next group has waited, and its number of units at the last of them. */
  #turns = 0;
  #seen = 0;

  constructor(deps: GroupCommitDeps) {
    this.#deps = deps;
  }

  transact<Result>(work: (write: Write) => Promise<Result>): Promise<Result> {
    const { connection, openUnit } = this.#deps;
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push(unitOf(connection, openUnit, work, { resolve, reject }));
      this.#wake();
    });
  }

  /** Runs `order` when no group is open. */
  apart<Result>(order: () => Result): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#aparts.push(() => {
        try {
          resolve(order());
        } catch (error) {
          reject(error);
        }
      });
      this.#wake();
    });
  }

  /** Resolves when no unit waits or runs. */
  idle(): Promise<void> {
    return this.#busy ? new Promise<void>((resolve) => this.#idlers.push(resolve)) : Promise.resolve();
  }

  #wake(): void {
    if (this.#busy) return;
    this.#busy = true;
    // Runs after the poll phase, so that the units of all sockets read in this turn share a group.
    setImmediate(this.#nextGroup);
  }

  readonly #nextGroup = (): void => {
    const { length } = this.#waiting;
    if (this.#turns < turnsOfPatience && length > this.#seen && length < unitsPerGroup) {
      this.#turns++;
      this.#seen = length;
      setImmediate(this.#nextGroup);
      return;
    }
    this.#turns = 0;
    this.#seen = 0;
    const orders = this.#aparts;
    this.#aparts = [];
    for (const order of orders) order();
    this.#runGroup(this.#takeGroup()).then(() => {
      if (this.#waiting.length > 0 || this.#aparts.length > 0) {
        setImmediate(this.#nextGroup);
        return;
      }
      this.#busy = false;
      for (const resolve of this.#idlers.splice(0)) resolve();
    });
  };

  /** The units that share the next commit; they wait no longer. */
  #takeGroup(): readonly Unit[] {
    const waiting = this.#waiting;
    const isAll = waiting.length <= unitsPerGroup;
    this.#waiting = isAll ? [] : waiting.slice(unitsPerGroup);
    return isAll ? waiting : waiting.slice(0, unitsPerGroup);
  }

  async #runGroup(group: readonly Unit[]): Promise<void> {
    if (group.length === 0) return;
    const { connection, log } = this.#deps;
    // Work that awaits anything but its own queries blocks every writer; the log shows this to its author.
    const slow = setTimeout(
      () => log.error({ ms: slowUnitMs }, 'transaction awaits something other than its own queries'),
      slowUnitMs,
    );
    let failure: { readonly cause: unknown } | undefined;
    try {
      // A savepoint copies every page that its unit changes, and few units fail: only a group with a failure runs again with savepoints.
      if (!(await this.#tryGroup(group, false)) && group.length > 1) await this.#tryGroup(group, true);
    } catch (error) {
      const cause = explained(error);
      failure = { cause };
      log.error({ err: cause, units: group.length }, 'commit failed; none of its changes was made');
      if (connection.isInGroup) connection.order('ROLLBACK');
    } finally {
      clearTimeout(slow);
    }
    for (const unit of group) unit.settle(failure);
  }

  /** False after a rollback because of a unit that failed. */
  async #tryGroup(group: readonly Unit[], apart: boolean): Promise<boolean> {
    const { connection } = this.#deps;
    connection.beginGroup();
    for (const unit of group) {
      const isClean = await unit.run(apart);
      // A full or broken disk ends the whole transaction, with the units before this one.
      if (!connection.isInGroup) throw new Error('the database has rolled back the transaction');
      if (isClean) continue;
      connection.order('ROLLBACK');
      return false;
    }
    connection.order('COMMIT');
    return true;
  }
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
      // A failed unit reports its own error; the other units of its group report the error of the commit.
      if (outcome !== undefined && 'error' in outcome) caller.reject(outcome.error);
      else if (failure !== undefined || outcome === undefined) caller.reject(failure?.cause);
      else caller.resolve(outcome.value);
    },
  };
}
