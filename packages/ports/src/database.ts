import type { Kysely, Transaction } from 'kysely';

/** One database holds the rows of every feature; a store narrows it with `withTables<ItsTables>()`. */
// biome-ignore lint/complexity/noBannedTypes: no table is known here; each store names its own.
export type Read = Kysely<{}>;
/** The same rows inside a transaction: all writes through it are committed together. */
// biome-ignore lint/complexity/noBannedTypes: as above
export type Write = Transaction<{}>;

/**
 * The database port. Both adapters (embedded SQLite, PostgreSQL) pass one contract suite.
 *
 * `transact` runs `work` as one atomic unit. Units of the same turn of the event loop may share one commit (and so one
 * sync to disk); a unit that throws is rolled back alone. The promise resolves only after the commit is durable. While the
 * database is unreachable or cannot write, reads and units reject with an error whose `code` is `database-unavailable`: nothing was written. A
 * unit whose commit is under way when the connection is lost settles once it is known whether it was made; where the database is closed before
 * that, its error has `isOutcomeUnknown: true`. `work` must await
 * nothing but queries on its transaction, and may run several times: again after a rollback because of another unit.
 */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  readonly read: Read;
  transact<Result>(work: (write: Write) => Promise<Result>, options?: UnitOptions): Promise<Result>;
  /** Other processes may use the database at the same time. */
  readonly isShared: boolean;
  /** How many lanes of units run beside each other; on a shared database the last one is that of heartbeats. */
  readonly lanes: number;
  /**
   * From now on each transaction of a shared database locks its lane's row of `incarnation_lanes`. Without that row another process
   * has ended this incarnation: the transaction is refused with the code `incarnation-ended`, and `onEnded` is called once.
   */
  join(member: DatabaseMember): void;
  /** The number of the lane in which units with this key run, from 0; always 0 on the embedded database. */
  laneOf(key: string): number;
  /** The number of the lane in which this unit runs. No other lane runs concurrently under this number: it names a row of its own. */
  laneOfUnit(write: Write): number;
  /**
   * Applies the missing migrations in order, each in its own transaction. With `areAll` the list is complete, and a database with
   * any other migration is refused.
   */
  migrate(migrations: readonly Migration[], areAll?: boolean): Promise<void>;
  /** True before the first migration. */
  isNew(): Promise<boolean>;
  /** True when a unique index refused the row. */
  isUniqueViolation(error: unknown): boolean;
  close(): Promise<void>;
}

/** The run of a process on a shared database. */
export interface DatabaseMember {
  readonly incarnation: number;
  /** Differs from that of every other running process: it numbers the lanes. */
  readonly seat: number;
  readonly onEnded: () => void;
}

/**
 * How a unit meets concurrent units. The embedded database runs all units one after another and needs none of it. Row locks
 * (`forUpdate()`, `forKeyShare()`) hold on PostgreSQL and have no effect there.
 */
export interface UnitOptions {
  /**
   * `serializable`, when left out: what the unit has read is unchanged until its commit. `read-committed`: each statement sees the last
   * commit, and the unit itself locks the rows on which its decision depends. It costs no repetition after a conflict; each use has a
   * test in which a rival commits between the read and the write.
   */
  readonly isolation?: 'serializable' | 'read-committed';
  /**
   * Read-committed units with the same key run one after another, in the order of the calls: units that write the same rows would
   * wait for each other's transactions. Without a key a unit runs in the first lane that is free.
   */
  readonly key?: string;
  /**
   * Tables of which a serializable unit removes rows that read-committed units lock. The unit begins when those that hold locks have
   * ended, and further ones wait for its end: else it would not see what they wrote.
   */
  readonly excluding?: readonly string[];
  /** No other unit shares its transaction: it changes settings of the transaction, or locks what others need. */
  readonly isAlone?: boolean;
  /**
   * The sign of life of a process. On a shared database it waits for no other unit: it has a lane and a connection of its own, so that a
   * burst of writes or a long unit does not make a live process look dead.
   */
  readonly isHeartbeat?: boolean;
}

/**
 * SQL that both dialects understand. `name` is `<feature>/<number>-<title>`. Types used: TEXT, BIGINT (instants, ms),
 * INTEGER (numbers and 0/1 booleans), DOUBLE PRECISION; `{{identity}}` stands for a self-numbering primary key,
 * `TEXT {{bytewise}}` for a text in byte order, independent of the locale, so that an index finds a prefix.
 */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  /**
   * What the SQL takes away from a release that does not know it, as a sentence: that release then refuses the database. Absent for SQL that
   * only adds, with which the release before goes on (docs/decisions/0061-migrations-that-only-add.md).
   */
  readonly contracts?: string;
  /** What PostgreSQL runs in place of `sql`, where its tables take a form that the embedded database does not have. */
  readonly postgres?: string;
  /**
   * How a release that does not know it goes on, as a sentence: for SQL that does more than add, and takes nothing away. A test runs the
   * statements of that release.
   */
  readonly reshapes?: string;
}
