import type { Logger, Read, UnitOptions } from '@jackfield/ports';
import { wasCommitted } from './commit-outcome.ts';
import type { Fence } from './fence.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { CommitUnknownError, DatabaseUnavailableError, saysBeginAgain } from './unavailable-error.ts';

/** A connection for writing, with kysely on top of it. */
export interface WriteConnection {
  readonly connection: PostgresConnection;
  readonly write: Read;
}

export interface Unit extends Pick<UnitOptions, 'isolation' | 'excluding'> {
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
  /** The same, for reads. */
  readonly connectForReads: () => Promise<PostgresConnection>;
  readonly log: Logger;
  readonly fence: Fence;
  /** From 0. */
  readonly number: number;
  readonly isClosing: () => boolean;
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
  /** Groups whose commits have an outcome that is not known yet. */
  #unknown = 0;

  constructor(deps: UnitLaneDeps) {
    this.#deps = deps;
  }

  /** Units that wait, and 1 for a running group. */
  get load(): number {
    return this.#waiting.length + (this.#isRunning ? 1 : 0);
  }

  get isIdle(): boolean {
    return this.load + this.#unknown === 0;
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
    if (first.excluding === undefined) {
      const most = Math.min(unitsPerGroup, this.#waiting.length);
      while (length < most && isGrouped(first, this.#waiting[length]!)) length++;
    }
    const group = this.#waiting.slice(0, length);
    this.#waiting = this.#waiting.slice(length);
    return group;
  }

  async #runGroup(group: readonly Unit[]): Promise<void> {
    const failure = await this.#tryOnce(group);
    if (failure?.cause instanceof CommitUnknownError) {
      // Not awaited: the units behind them fail at once while the database is away.
      void this.#findOut(group, failure.cause);
      return;
    }
    if (failure === undefined || !saysBeginAgain(failure.cause)) {
      for (const unit of group) unit.settle(failure);
      return;
    }
    if (group.length === 1) {
      const last = await this.#tryAgain(group);
      if (last?.cause instanceof CommitUnknownError) void this.#findOut(group, last.cause);
      else group[0]!.settle(last);
      return;
    }
    // Mostly one unit is at fault: its half is divided again, and the other half is one transaction.
    const half = group.length >> 1;
    await this.#runGroup(group.slice(0, half));
    await this.#runGroup(group.slice(half));
  }

  async #findOut(group: readonly Unit[], cause: CommitUnknownError): Promise<void> {
    const { connectForReads: connect, isClosing, log, onIdle } = this.#deps;
    this.#unknown++;
    const isCommitted = await wasCommitted(cause.transaction, { connect, isClosing });
    log.warn({ units: group.length, isCommitted }, 'outcome of a commit whose answer was lost');
    for (const unit of group) unit.settle(isCommitted ? undefined : { cause });
    this.#unknown--;
    onIdle();
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
          'transaction given up after repeated conflicts',
        );
        return failure;
      }
    }
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
      begin(connection, group[0]!);
      const isFenced = this.#deps.fence.check(connection, this.#deps.number);
      const transaction = connection.nameTransaction();
      // A unit whose own error comes first leaves this promise unread.
      transaction.catch(() => {});
      for (const unit of group) {
        await unit.run(write);
        if (connection.fatal !== undefined) throw connection.fatal;
      }
      await isFenced();
      await connection.commit(await transaction);
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

function isGrouped(first: Unit, next: Unit): boolean {
  return next.excluding === undefined && next.isolation === first.isolation;
}

function begin(connection: PostgresConnection, { isolation, excluding }: Unit): void {
  connection.order(isolation === 'read-committed' ? beginReadCommitted : beginSerializable);
  // LOCK TABLE takes no snapshot. EXCLUSIVE conflicts with the ROW SHARE of row locks, and with no plain read.
  if (excluding !== undefined) connection.order(`LOCK TABLE ${excluding.join(', ')} IN EXCLUSIVE MODE`);
}
