import type { Logger, Read, UnitOptions } from '@jackfield/ports';
import type { Fence } from './fence.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { DatabaseUnavailableError, LostCommitError, saysBeginAgain } from './unavailable-error.ts';

/** A connection for writing, with kysely on top of it. */
export interface WriteConnection {
  readonly connection: PostgresConnection;
  readonly write: Read;
}

export interface Unit extends Pick<UnitOptions, 'isolation' | 'excluding' | 'isAlone'> {
  /** Runs the work; its own failure goes to `settle` and is not thrown. */
  run(write: Read): Promise<void>;
  settle(failure: Failure | undefined): void;
}

export interface Failure {
  readonly cause: unknown;
}

export interface UnitLaneDeps {
  /** Rejects with `DatabaseUnavailableError` when no connection is available. */
  readonly connect: () => Promise<WriteConnection>;
  /**
   * Resolves when it is known whether this transaction was committed; undefined when the database is closed before. Left out where units may
   * be repeated: they fail at once.
   */
  readonly wasCommitted?: (transaction: string) => Promise<boolean | undefined>;
  readonly log: Logger;
  readonly fence: Fence;
  /** From 0. */
  readonly number: number;
  readonly onIdle: () => void;
}

/** A group is one transaction: a longer group would only delay its first unit. */
const unitsPerGroup = 100;
/** A conflict ends with the other transaction; eight attempts with growing pauses last about half a second. */
const attempts = 8;

const beginSerializable = 'BEGIN ISOLATION LEVEL SERIALIZABLE';
const beginReadCommitted = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** Runs units one after another, in groups: each group is one transaction, and has the units of one isolation. */
export class UnitLane {
  readonly #deps: UnitLaneDeps;
  #waiting: Unit[] = [];
  #isRunning = false;
  #isWoken = false;

  constructor(deps: UnitLaneDeps) {
    this.#deps = deps;
  }

  /** Units that wait, and 1 for a running group. */
  get load(): number {
    return this.#waiting.length + (this.#isRunning ? 1 : 0);
  }

  get isIdle(): boolean {
    return this.load === 0;
  }

  add(unit: Unit): void {
    this.#waiting.push(unit);
    this.#wake();
  }

  /** The units of one turn of the event loop share a group. */
  #wake(): void {
    if (this.#isWoken || this.#isRunning) return;
    this.#isWoken = true;
    setImmediate(() => {
      this.#isWoken = false;
      this.#isRunning = true;
      void this.#runGroup(this.#takeGroup()).finally(() => {
        this.#isRunning = false;
        if (this.#waiting.length > 0) this.#wake();
        else this.#deps.onIdle();
      });
    });
  }

  #takeGroup(): readonly Unit[] {
    const first = this.#waiting[0]!;
    let length = 1;
    if (mayShare(first)) {
      const most = Math.min(unitsPerGroup, this.#waiting.length);
      while (length < most && isGrouped(first, this.#waiting[length]!)) length++;
    }
    const group = this.#waiting.slice(0, length);
    this.#waiting = this.#waiting.slice(length);
    return group;
  }

  async #runGroup(group: readonly Unit[]): Promise<void> {
    const failure = await this.#tryOnce(group);
    if (failure === undefined || !saysBeginAgain(failure.cause)) {
      this.#settle(group, failure);
      return;
    }
    if (group.length === 1) {
      this.#settle(group, await this.#tryAgain(group));
      return;
    }
    // Mostly one unit is at fault: its half is divided again, and the other half is one transaction.
    const half = group.length >> 1;
    await this.#runGroup(group.slice(0, half));
    await this.#runGroup(group.slice(half));
  }

  /** Settles the units of a group. After a lost commit it waits for the outcome, because repeating a unit might do its work twice; the lane goes on meanwhile. */
  #settle(group: readonly Unit[], failure: Failure | undefined): void {
    const { cause } = failure ?? {};
    const transaction = cause instanceof LostCommitError ? cause.transaction : undefined;
    const { wasCommitted, log } = this.#deps;
    if (transaction === undefined || wasCommitted === undefined) {
      for (const unit of group) unit.settle(failure);
      return;
    }
    void wasCommitted(transaction).then((was) => {
      log.info({ units: group.length, committed: was }, 'the outcome of a lost commit is known');
      for (const unit of group) unit.settle(was === true ? undefined : failure);
    });
  }

  async #tryAgain(group: readonly Unit[]): Promise<Failure | undefined> {
    for (let attempt = 1; ; attempt++) {
      // Two transactions that conflicted once would conflict again after equal pauses.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** attempt));
      const failure = await this.#tryOnce(group);
      if (failure === undefined || !saysBeginAgain(failure.cause)) return failure;
      if (attempt === attempts) {
        this.#deps.log.warn(
          { attempts, err: failure.cause },
          'transaction abandoned after repeated conflicts',
        );
        return failure;
      }
    }
  }

  /** Sends the beginning without waiting; the result throws for an ended incarnation, and resolves with the name of the transaction. */
  #begin(connection: PostgresConnection, group: readonly Unit[]): () => Promise<string | undefined> {
    const { wasCommitted, fence, number } = this.#deps;
    const { isolation, excluding } = group[0]!;
    const isNamed = wasCommitted !== undefined;
    const selected = isNamed ? ownTransaction : '1';
    const check = fence.statement(number, selected);
    const begun = connection.begin(
      [
        isolation === 'read-committed' ? beginReadCommitted : beginSerializable,
        // LOCK TABLE takes no snapshot. EXCLUSIVE conflicts with the ROW SHARE of row locks, and with no plain read.
        ...(excluding === undefined ? [] : [`LOCK TABLE ${excluding.join(', ')} IN EXCLUSIVE MODE`]),
        // One statement for both: each costs a message of the server.
        ...(check !== undefined ? [check] : isNamed ? [`SELECT ${selected}`] : []),
      ],
      group.length,
    );
    return async () => {
      const answers = await begun;
      if (answers === undefined) return undefined;
      const rows = answers.at(-1)!;
      if (check !== undefined) fence.judge(rows.length);
      return isNamed ? (rows[0]?.id as string | undefined) : undefined;
    };
  }

  async #tryOnce(group: readonly Unit[]): Promise<Failure | undefined> {
    let connected: WriteConnection;
    try {
      connected = await this.#deps.connect();
    } catch (cause) {
      return { cause };
    }
    const { connection, write } = connected;
    try {
      const begun = this.#begin(connection, group);
      for (const unit of group) {
        await unit.run(write);
        if (connection.fatal !== undefined) throw connection.fatal;
      }
      const transaction = await begun();
      // A group without a statement of its own meets it at its beginning.
      if (connection.fatal !== undefined) throw connection.fatal;
      if (!connection.isRolledBack) await connection.commit(transaction);
      return undefined;
    } catch (cause) {
      connection.rollBack();
      if (cause instanceof DatabaseUnavailableError)
        this.#deps.log.error({ err: cause, units: group.length }, cause.message);
      return { cause };
    } finally {
      connection.release();
    }
  }
}

/** Before the transaction ends its name is known, so that the outcome of a lost commit can be asked for. */
const ownTransaction = 'pg_current_xact_id()::text AS id';

function isGrouped(first: Unit, next: Unit): boolean {
  return mayShare(next) && next.isolation === first.isolation;
}

function mayShare({ excluding, isAlone = false }: Unit): boolean {
  return excluding === undefined && !isAlone;
}
