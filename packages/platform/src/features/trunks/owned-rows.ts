import type { Database, Write } from '@jackfield/ports';
import { type Kysely, sql } from 'kysely';
import type { RequestAccount } from '../../http/index.ts';
import type { Page } from '../../kernel/pagination.ts';
import { requireOwner } from '../accounts/index.ts';
import { type Kind, type OwnedRow, type TrunksTables, tablesOf, viewOf } from './tables.ts';

/** SQL that is the same for every resource of trunking. Reads see the last commit; what writes takes its transaction. */
export interface OwnedRows<Row extends OwnedRow> {
  find(account: RequestAccount, id: string): Promise<Row | undefined>;
  /** As `find`, inside a transaction; nobody changes or deletes it before that is over. */
  read(write: Write, account: RequestAccount, id: string): Promise<Row | undefined>;
  /** Newest first. */
  list(account: RequestAccount, page: Page): Promise<{ readonly total: number; readonly objects: Row[] }>;
  insert(write: Write, row: Row): Promise<void>;
  change(write: Write, id: string, changes: Partial<Row>): Promise<void>;
  remove(write: Write, row: Row): Promise<void>;
  /** Everything that a subaccount owns; gives what is gone. */
  removeAll(write: Write, subaccount: string): Promise<readonly Row[]>;
  passOn(write: Write, subaccount: string, main: string): Promise<void>;
}

/** Rows as they are stored. */
type Stored<Row> = Row & { readonly position: number };

export function createOwnedRows<Row extends OwnedRow>(
  database: Pick<Database, 'read' | 'dialect'>,
  kind: Kind,
): OwnedRows<Row> {
  // One name stands for all: the columns that are named here are the same everywhere.
  const table = kind as 'trunk_credentials';
  // The embedded database runs one transaction after another; a shared one needs to be told who must wait.
  const locks = database.dialect === 'postgres';
  const tables = tablesOf(database.read);

  const one = (from: Kysely<TrunksTables>, account: RequestAccount, id: string) =>
    from
      .selectFrom(table)
      .selectAll()
      // RFC 9562 §4: a UUID may be written with capitals.
      .where('id', '=', id.toLowerCase())
      .where(viewOf(account), '=', account.authId);

  async function changeTotal(write: Write, account: string, change: number): Promise<void> {
    await tablesOf(write)
      .insertInto('trunk_totals')
      .values({ account, kind, total: change })
      .onConflict((on) =>
        on
          .columns(['account', 'kind'])
          .doUpdateSet({ total: sql<number>`trunk_totals.total + excluded.total` }),
      )
      .execute();
  }

  // A main account counts what its subaccounts own as well, and always comes first: no two transactions wait for each other.
  async function changeTotals(write: Write, { account, main_account }: OwnedRow, change: number) {
    await changeTotal(write, main_account, change);
    if (account !== main_account) await changeTotal(write, account, change);
  }

  async function forgetTotal(write: Write, subaccount: string): Promise<void> {
    await tablesOf(write)
      .deleteFrom('trunk_totals')
      .where('account', '=', subaccount)
      .where('kind', '=', kind)
      .execute();
  }

  return {
    async find(account, id) {
      const row = await one(tables, account, id).executeTakeFirst();
      return row && rowOf<Row>(row as unknown as Stored<Row>);
    },
    async read(write, account, id) {
      const query = one(tablesOf(write), account, id);
      const row = await (locks ? query.forUpdate() : query).executeTakeFirst();
      return row && rowOf<Row>(row as unknown as Stored<Row>);
    },
    async list(account, page) {
      const counted = await tables
        .selectFrom('trunk_totals')
        .select('total')
        .where('account', '=', account.authId)
        .where('kind', '=', kind)
        .executeTakeFirst();
      const rows = await tables
        .selectFrom(table)
        .selectAll()
        .where(viewOf(account), '=', account.authId)
        .orderBy('position', 'desc')
        .limit(page.limit)
        .offset(page.offset)
        .execute();
      return {
        total: counted?.total ?? 0,
        objects: rows.map((row) => rowOf<Row>(row as unknown as Stored<Row>)),
      };
    },
    async insert(write, row) {
      await requireOwner(write, row.account, row.main_account);
      await changeTotals(write, row, 1);
      await tablesOf(write)
        .insertInto(table)
        .values(row as never)
        .execute();
    },
    async change(write, id, changes) {
      if (Object.keys(changes).length === 0) return;
      await tablesOf(write)
        .updateTable(table)
        .set(changes as never)
        .where('id', '=', id.toLowerCase())
        .execute();
    },
    async remove(write, row) {
      await changeTotals(write, row, -1);
      await tablesOf(write).deleteFrom(table).where('id', '=', row.id).execute();
    },
    async removeAll(write, subaccount) {
      const deleted = await tablesOf(write)
        .deleteFrom(table)
        .where('account', '=', subaccount)
        .returningAll()
        .execute();
      const main = deleted[0]?.main_account;
      if (main !== undefined) await changeTotal(write, main, -deleted.length);
      await forgetTotal(write, subaccount);
      return deleted.map((row) => rowOf<Row>(row as unknown as Stored<Row>));
    },
    async passOn(write, subaccount, main) {
      // The main account counted them as its own before.
      await tablesOf(write)
        .updateTable(table)
        .set({ account: main })
        .where('account', '=', subaccount)
        .execute();
      await forgetTotal(write, subaccount);
    },
  };
}

function rowOf<Row extends OwnedRow>({ position: _, ...row }: Stored<Row>): Row {
  return row as unknown as Row;
}
