import type { Database, Instant } from '@jackfield/ports';

/** Rows numbered in the order of their writing. */
interface NumberedRow {
  readonly position: number;
  readonly at: Instant;
}

export interface Kept {
  /** Rows before this time are removed. */
  readonly since: Instant;
  /** Of the others, at most this number: the newest. */
  readonly number: number;
}

/** Removes at most `limit` rows of a table that is capped by time and by number, the oldest first; resolves with their number. */
export async function removeBeyond(
  database: Pick<Database, 'read' | 'transact'>,
  table: string,
  { since, number }: Kept,
  limit: number,
): Promise<number> {
  const tables = database.read.withTables<Record<string, NumberedRow>>();
  const newest = await tables
    .selectFrom(table)
    .select((columns) => columns.fn.max('position').as('position'))
    .executeTakeFirst();
  const oldest = await tables
    .selectFrom(table)
    .select(['position', 'at'])
    .orderBy('position')
    .limit(limit)
    .execute();
  const last = Number(newest?.position ?? 0) - number;
  const old = oldest.filter(({ position, at }) => at < since || position <= last);
  if (old.length === 0) return 0;
  const positions = old.map(({ position }) => position);
  await database.transact((write) =>
    write
      .withTables<Record<string, NumberedRow>>()
      .deleteFrom(table)
      .where('position', 'in', positions)
      .execute(),
  );
  return old.length;
}
