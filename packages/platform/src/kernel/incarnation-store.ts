import type { Database, Instant, Read, Write } from '@jackfield/ports';
import { type Kysely, sql } from 'kysely';

interface IncarnationRow {
  readonly incarnation: number;
  /** The name of the machine, with its data directory. */
  readonly node: string;
  /** Numbers its lanes; free again when it has ended. */
  readonly seat: number;
  readonly started_at: Instant;
  readonly alive_at: Instant;
  readonly counted_at: Instant | null;
  readonly beat: number;
  readonly ended_at: Instant | null;
  readonly ended_by: number | null;
  /** All that it left has been ended or taken over. */
  readonly settled_at: Instant | null;
}

// A type, not an interface: withTables asks for a record.
type Tables = {
  incarnations: IncarnationRow;
  incarnation_lanes: { readonly incarnation: number; readonly lane: number };
};

// Written by singleton-roles.ts.
type RoleTables = { singleton_roles: { readonly name: string; readonly incarnation: number } };

export interface BeginningIncarnation {
  readonly incarnation: number;
  readonly node: string;
  readonly wallNow: Instant;
}

/** Times of an incarnation: by the wall clock, and counted from its start. */
export interface KnownAlive {
  readonly incarnation: number;
  readonly wall: Instant;
  readonly counted: Instant;
}

export interface BegunIncarnation {
  readonly seat: number;
  /** Ended, with things that have to be ended or taken over. */
  readonly unsettled: readonly KnownAlive[];
}

/** Settled rows show what ran when; nothing refers to them. */
const keptMs = 30 * 86_400_000;

/**
 * Writes the row of a beginning incarnation, and ends the earlier ones of its machine: all of them where one process owns the
 * database. They write nothing more: their machine is this one.
 */
export function beginIncarnation(
  database: Database,
  beginning: BeginningIncarnation,
): Promise<BegunIncarnation> {
  const { incarnation, node, wallNow } = beginning;
  return database.transact(async (write) => {
    const all = tables(write);
    const open = await all
      .selectFrom('incarnations')
      .select(['incarnation', 'node', 'seat'])
      .where('ended_at', 'is', null)
      .execute();
    const isGone = (each: { readonly node: string }) =>
      !database.isShared || each.node === node || each.node === '';
    const gone = open.filter(isGone).map((each) => each.incarnation);
    if (gone.length > 0) {
      await all
        .updateTable('incarnations')
        .set({ ended_at: wallNow, ended_by: incarnation })
        .where('incarnation', 'in', gone)
        .execute();
      await all.deleteFrom('incarnation_lanes').where('incarnation', 'in', gone).execute();
    }
    await all
      .deleteFrom('incarnations')
      .where('settled_at', '<', wallNow - keptMs)
      .execute();
    const seat = lowestFree(open.filter((each) => !isGone(each)).map((each) => each.seat));
    const row = { ended_at: null, ended_by: null, settled_at: null, counted_at: null, beat: 0 };
    await all
      .insertInto('incarnations')
      .values({ ...row, incarnation, node, seat, started_at: wallNow, alive_at: wallNow })
      .execute();
    if (database.isShared) {
      const lanes = Array.from({ length: database.lanes }, (_, lane) => ({ incarnation, lane }));
      await all.insertInto('incarnation_lanes').values(lanes).execute();
    }
    return { seat, unsettled: await succeedUnsettled(write, incarnation) };
  });
}

/**
 * Those that this incarnation has ended, and those whose successor has ended before it had settled them. It becomes their successor, so
 * that no other process takes them over as well.
 */
async function succeedUnsettled(write: Write, successor: number): Promise<readonly KnownAlive[]> {
  const all = tables(write);
  const rows = await all
    .updateTable('incarnations')
    .set({ ended_by: successor })
    .where('ended_at', 'is not', null)
    .where('settled_at', 'is', null)
    .where((on) =>
      on.or([
        on('ended_by', '=', successor),
        on(
          'ended_by',
          'in',
          all
            .selectFrom('incarnations as other')
            .select('other.incarnation')
            .where('other.ended_at', 'is not', null),
        ),
      ]),
    )
    .returning(['incarnation', 'started_at', 'alive_at', 'counted_at'])
    .execute();
  return rows
    .toSorted((one, other) => one.started_at - other.started_at)
    .map(({ incarnation, alive_at: wall, counted_at: counted }) => ({
      incarnation,
      wall,
      counted: counted ?? wall,
    }));
}

/** An incarnation whose things have not all been ended. */
export interface UnsettledIncarnation {
  readonly incarnation: number;
  readonly beat: number;
  /** Undefined while it runs, as far as its row says. */
  readonly endedBy: number | undefined;
}

export async function unsettledIncarnations(read: Read): Promise<readonly UnsettledIncarnation[]> {
  const rows = await tables(read)
    .selectFrom('incarnations')
    .select(['incarnation', 'beat', 'ended_by'])
    .where('settled_at', 'is', null)
    .execute();
  return rows.map(({ incarnation, beat, ended_by }) => ({
    incarnation,
    beat: Number(beat),
    endedBy: ended_by ?? undefined,
  }));
}

/** An incarnation that has not ended, as far as its row says. */
export interface RunningIncarnation {
  readonly incarnation: number;
  /** Empty where one process owns the database. */
  readonly node: string;
  readonly startedAt: Instant;
  readonly aliveAt: Instant;
  /** What it alone does. */
  readonly roles: readonly string[];
}

/** In the order of their names. */
export async function runningIncarnations(read: Read): Promise<readonly RunningIncarnation[]> {
  const rows = await read
    .withTables<Tables & RoleTables>()
    .selectFrom('incarnations as of')
    .leftJoin('singleton_roles as role', 'role.incarnation', 'of.incarnation')
    .select(['of.incarnation', 'of.node', 'of.started_at', 'of.alive_at', 'role.name as role'])
    .where('of.ended_at', 'is', null)
    .orderBy('of.node')
    .orderBy('of.incarnation')
    .orderBy('role.name')
    .execute();
  const running = new Map<number, RunningIncarnation & { roles: string[] }>();
  for (const { incarnation, node, started_at, alive_at, role } of rows) {
    const known = running.get(incarnation);
    const startedAt = Number(started_at);
    const each = known ?? { incarnation, node, startedAt, aliveAt: Number(alive_at), roles: [] };
    if (known === undefined) running.set(incarnation, each);
    if (role !== null) each.roles.push(role);
  }
  return [...running.values()];
}

export interface EndingOfAnother {
  readonly incarnation: number;
  /** What its row has to say still: its count while it runs, or who has ended it and not settled its things. */
  readonly seen: { readonly beat: number } | { readonly endedBy: number };
  readonly by: number;
  readonly wallNow: Instant;
}

/**
 * Makes this incarnation the successor of another one, which writes nothing more from then on: the removal of its lanes waits for its
 * transactions that are going on. Undefined when the row has changed, by a heartbeat or by another successor, and while its successor runs.
 */
export function succeedIncarnation(
  database: Pick<Database, 'transact'>,
  { incarnation, seen, by, wallNow }: EndingOfAnother,
): Promise<KnownAlive | undefined> {
  return database.transact(async (write) => {
    const all = tables(write);
    const ended = 'beat' in seen ? { ended_at: wallNow, ended_by: by } : { ended_by: by };
    const row = await all
      .updateTable('incarnations')
      .set(ended)
      .where('incarnation', '=', incarnation)
      .where('settled_at', 'is', null)
      .where((on) =>
        'beat' in seen
          ? on.and([on('ended_at', 'is', null), on('beat', '=', seen.beat)])
          : on.and([
              on('ended_by', '=', seen.endedBy),
              on.not(on.exists(runningOther(all, seen.endedBy, by))),
            ]),
      )
      .returning(['alive_at', 'counted_at'])
      .executeTakeFirst();
    if (row === undefined) return undefined;
    await all.deleteFrom('incarnation_lanes').where('incarnation', '=', incarnation).execute();
    const { alive_at: wall, counted_at: counted } = row;
    return { incarnation, wall: Number(wall), counted: Number(counted ?? wall) };
  });
}

export function settleIncarnation(
  database: Database,
  incarnation: number,
  wallNow: Instant,
): Promise<unknown> {
  return database.transact((write) =>
    tables(write)
      .updateTable('incarnations')
      .set({ settled_at: wallNow })
      .where('incarnation', '=', incarnation)
      .execute(),
  );
}

/** A process stops: its things wait for a successor. */
export function endIncarnation(
  database: Pick<Database, 'transact'>,
  incarnation: number,
  wallNow: Instant,
): Promise<unknown> {
  return database.transact((write) =>
    tables(write)
      .updateTable('incarnations')
      .set({ ended_at: wallNow, ended_by: incarnation, alive_at: wallNow })
      .where('incarnation', '=', incarnation)
      .execute(),
  );
}

/** A heartbeat that was written, with what its transaction read. */
export interface WrittenHeartbeat {
  /** The time of the database's own clock; undefined where that is the clock of this machine. */
  readonly databaseAt: Instant | undefined;
  /** All incarnations that are not settled, this one as well; none where one process owns the database. */
  readonly unsettled: readonly UnsettledIncarnation[];
}

export async function saveAlive(
  database: Pick<Database, 'transact' | 'dialect' | 'isShared'>,
  { incarnation, wall, counted }: KnownAlive,
): Promise<WrittenHeartbeat> {
  const answer = sql.raw(
    database.dialect === 'postgres'
      ? 'RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT AS now'
      : '',
  );
  return database.transact(
    async (write) => {
      const { rows } = await sql<{ now: number | string }>`UPDATE incarnations
        SET alive_at = ${wall}, counted_at = ${counted}, beat = beat + 1
        WHERE incarnation = ${incarnation} ${answer}`.execute(write);
      return {
        databaseAt: rows[0] === undefined ? undefined : Number(rows[0].now),
        unsettled: database.isShared ? await unsettledIncarnations(write) : [],
      };
    },
    { isolation: 'read-committed', isHeartbeat: true },
  );
}

/** The successor of an ended incarnation, as long as it runs and is not this process. */
function runningOther(all: Kysely<Tables>, successor: number, own: number) {
  return all
    .selectFrom('incarnations as other')
    .select('other.incarnation')
    .where('other.incarnation', '=', successor)
    .where('other.incarnation', '<>', own)
    .where('other.ended_at', 'is', null);
}

function lowestFree(taken: readonly number[]): number {
  for (let seat = 0; ; seat++) if (!taken.includes(seat)) return seat;
}

function tables(read: Read): Kysely<Tables> {
  return read.withTables<Tables>();
}
