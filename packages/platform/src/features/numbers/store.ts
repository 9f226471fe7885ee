import type { Database, Write } from '@jackfield/ports';
import { sql } from 'kysely';
import type { RequestAccount } from '../../http/index.ts';
import { createAccountTotals } from '../../kernel/account-totals.ts';
import type { Page } from '../../kernel/pagination.ts';
import { requireOwner } from '../accounts/index.ts';
import { type NumberRow, tablesOf, viewOf } from './tables.ts';

export interface NumberFilters {
  readonly account?: string | undefined;
  readonly trunk_id?: string | undefined;
  readonly app_id?: string | undefined;
}

/** SQL of numbers. Reads see the last commit; what writes takes the transaction it belongs to. */
export interface NumberStore {
  find(account: RequestAccount, number: string): Promise<NumberRow | undefined>;
  /** Newest first; with filters no more than 10,000 are counted. */
  list(
    account: RequestAccount,
    filters: NumberFilters,
    page: Page,
  ): Promise<{ readonly total: number; readonly rows: readonly NumberRow[] }>;
  /** As `find`, inside a transaction; nobody changes or removes it before that is over. */
  read(write: Write, account: RequestAccount, number: string): Promise<NumberRow | undefined>;
  /** False when somebody has it already. */
  insert(write: Write, row: NumberRow): Promise<boolean>;
  save(write: Write, before: NumberRow, after: NumberRow): Promise<void>;
  remove(write: Write, row: NumberRow): Promise<void>;
  /** The numbers of a subaccount that is deleted with everything go back to its main account, without their destinations. */
  giveBack(write: Write, subaccount: string): Promise<void>;
  /** The same, with their destinations. */
  passOn(write: Write, subaccount: string, main: string): Promise<void>;
}

/** As other lists with filters: to know that there are more is enough. */
const mostCounted = 10_000;

export function createNumberStore(database: Pick<Database, 'read' | 'dialect'>): NumberStore {
  const tables = tablesOf(database.read);
  const totals = createAccountTotals(database.read, 'number_totals');
  // The embedded database runs one transaction after another; a shared one needs to be told who must wait.
  const locks = database.dialect === 'postgres';

  const one = (from: typeof tables, account: RequestAccount, number: string) =>
    from
      .selectFrom('numbers')
      .selectAll()
      .where('number', '=', number)
      .where(viewOf(account), '=', account.authId);

  return {
    async find(account, number) {
      const row = await one(tables, account, number).executeTakeFirst();
      return row && rowOf(row);
    },
    async list(account, filters, page) {
      const entries = Object.entries(filters).filter(([, value]) => value !== undefined) as [
        keyof NumberFilters,
        string,
      ][];
      let wanted = tables.selectFrom('numbers').where(viewOf(account), '=', account.authId);
      for (const [column, value] of entries) wanted = wanted.where(column, '=', value);
      const total =
        entries.length === 0
          ? await totals.of(account.authId)
          : (
              await tables
                .selectFrom(wanted.select('number').limit(mostCounted).as('wanted'))
                .select((columns) => columns.fn.countAll().as('total'))
                .executeTakeFirst()
            )?.total;
      const rows = await wanted
        .selectAll()
        .orderBy('position', 'desc')
        .limit(page.limit)
        .offset(page.offset)
        .execute();
      return { total: Number(total ?? 0), rows: rows.map(rowOf) };
    },
    async read(write, account, number) {
      const query = one(tablesOf(write), account, number);
      const row = await (locks ? query.forUpdate() : query).executeTakeFirst();
      return row && rowOf(row);
    },
    async insert(write, row) {
      await requireOwner(write, row.account, row.main_account);
      const added = await tablesOf(write)
        .insertInto('numbers')
        .values(row)
        .onConflict((on) => on.column('number').doNothing())
        .returning('number')
        .executeTakeFirst();
      if (added === undefined) return false;
      await totals.change(write, row, 1);
      return true;
    },
    async save(write, before, after) {
      if (before.account !== after.account) {
        await requireOwner(write, after.account, after.main_account);
        await totals.change(write, before, -1);
        await totals.change(write, after, 1);
      }
      const { number, ...changes } = after;
      await tablesOf(write).updateTable('numbers').set(changes).where('number', '=', number).execute();
    },
    async remove(write, row) {
      await totals.change(write, row, -1);
      await tablesOf(write).deleteFrom('numbers').where('number', '=', row.number).execute();
    },
    async giveBack(write, subaccount) {
      await tablesOf(write)
        .updateTable('numbers')
        .set({ account: sql<string>`main_account`, app_id: null, trunk_id: null })
        .where('account', '=', subaccount)
        .execute();
      await totals.forget(write, subaccount);
    },
    async passOn(write, subaccount, main) {
      await tablesOf(write)
        .updateTable('numbers')
        .set({ account: main })
        .where('account', '=', subaccount)
        .execute();
      await totals.forget(write, subaccount);
    },
  };
}

function rowOf({ position: _, ...row }: NumberRow & { readonly position: number }): NumberRow {
  return row;
}
