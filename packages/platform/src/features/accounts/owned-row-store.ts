import type { Database, Write } from '@jackfield/ports';
import { type Kysely, sql } from 'kysely';
import type { RequestAccount } from '../../http/index.ts';
import type { AccountTotals } from '../../kernel/account-totals.ts';
import type { Page, PageRows } from '../../kernel/pagination.ts';
import { requireOwner, viewOf } from './access/owner.ts';

/** Columns of every table whose rows belong to accounts. */
export interface OwnedRow {
  readonly account: string;
  /** The main account of `account`, or `account` itself: a main account lists what its subaccounts own. */
  readonly main_account: string;
}

export interface OwnedTable<Row> {
  /** Its rows have a `position` as well, the order of creation. */
  readonly table: string;
  /** The column whose value names a row. */
  readonly id: keyof Row & string;
  readonly totals: AccountTotals;
  /** How an id is stored that a client wrote; as it was written when left out. */
  readonly readId?: (written: string) => string;
}

/** SQL that is the same for all tables of owned rows. Reads see the last commit; what writes takes the transaction it belongs to. */
export interface OwnedRows<Row extends OwnedRow> {
  find(account: RequestAccount, id: string): Promise<Row | undefined>;
  /** As `find`, inside a transaction; nobody changes or deletes it before that is over. */
  read(write: Write, account: RequestAccount, id: string): Promise<Row | undefined>;
  /** Newest first. */
  list(account: RequestAccount, page: Page): Promise<PageRows<Row>>;
  /** Those with these values, newest first; no more than 10,000 are counted. Without any value it is `list`. */
  listWhere(
    account: RequestAccount,
    values: { readonly [Column in keyof Row]?: Row[Column] | undefined },
    page: Page,
  ): Promise<PageRows<Row>>;
  /** False when its id is taken, by anybody's row. Refused when its owner was deleted meanwhile. */
  insert(write: Write, row: Row): Promise<boolean>;
  change(write: Write, id: string, changes: Partial<Row>): Promise<void>;
  /** As `change`, where the owner may be another one. */
  save(write: Write, before: Row, after: Row): Promise<void>;
  remove(write: Write, row: Row): Promise<void>;
  /** Everything that a subaccount owns; gives what is gone. */
  removeAll(write: Write, subaccount: string): Promise<readonly Row[]>;
  /** Gives everything that a subaccount owns to its main account, with these changes. */
  passOn(write: Write, subaccount: string, changes?: Partial<Row>): Promise<void>;
}

/** As other lists with filters: to know that there are more is enough. */
const mostCounted = 10_000;

/** What is known of every such table; `id` stands for the column that names its rows. */
type Columns = OwnedRow & { readonly id: string; readonly position: number };
type Tables = { owned: Columns };

export function createOwnedRows<Row extends OwnedRow>(
  database: Pick<Database, 'read' | 'dialect'>,
  named: OwnedTable<Row>,
): OwnedRows<Row> {
  const { totals, readId = (written) => written } = named;
  // One name stands for all: the columns that are named here are the same everywhere.
  const table = named.table as 'owned';
  const id = named.id as 'id';
  // The embedded database runs one transaction after another; a shared one needs to be told who must wait.
  const locks = database.dialect === 'postgres';
  const tables = database.read.withTables<Tables>();
  const within = (write: Write): Kysely<Tables> => write.withTables<Tables>();

  const one = (from: Kysely<Tables>, account: RequestAccount, name: string) =>
    from
      .selectFrom(table)
      .selectAll()
      .where(id, '=', readId(name))
      .where(viewOf(account), '=', account.authId);
  const seenBy = (account: RequestAccount) =>
    tables.selectFrom(table).where(viewOf(account), '=', account.authId);
  const pageOf = async (rows: ReturnType<typeof seenBy>, { limit, offset }: Page) => {
    const found = await rows.selectAll().orderBy('position', 'desc').limit(limit).offset(offset).execute();
    return found.map(rowOf<Row>);
  };

  const owned: OwnedRows<Row> = {
    async find(account, name) {
      const row = await one(tables, account, name).executeTakeFirst();
      return row && rowOf<Row>(row);
    },
    async read(write, account, name) {
      const query = one(within(write), account, name);
      const row = await (locks ? query.forUpdate() : query).executeTakeFirst();
      return row && rowOf<Row>(row);
    },
    async list(account, page) {
      const total = (await totals.of(account.authId)) ?? 0;
      return { total: Number(total), rows: await pageOf(seenBy(account), page) };
    },
    async listWhere(account, values, page) {
      const filters = Object.entries(values).filter(([, value]) => value !== undefined);
      if (filters.length === 0) return owned.list(account, page);
      let rows = seenBy(account);
      for (const [column, value] of filters) rows = rows.where(column as 'id', '=', value as string);
      const counted = await tables
        .selectFrom(rows.select(id).limit(mostCounted).as('wanted'))
        .select((columns) => columns.fn.countAll().as('total'))
        .executeTakeFirst();
      return { total: Number(counted?.total ?? 0), rows: await pageOf(rows, page) };
    },
    async insert(write, row) {
      await requireOwner(write, row.account, row.main_account);
      const added = await within(write)
        .insertInto(table)
        .values(row as never)
        .onConflict((on) => on.column(id).doNothing())
        .returning(id)
        .executeTakeFirst();
      if (added === undefined) return false;
      await totals.change(write, row, 1);
      return true;
    },
    async change(write, name, changes) {
      if (Object.keys(changes).length === 0) return;
      await within(write)
        .updateTable(table)
        .set(changes as never)
        .where(id, '=', readId(name))
        .execute();
    },
    async save(write, before, after) {
      if (before.account !== after.account) {
        await requireOwner(write, after.account, after.main_account);
        await totals.change(write, before, -1);
        await totals.change(write, after, 1);
      }
      await owned.change(write, before[named.id] as string, after);
    },
    async remove(write, row) {
      await totals.change(write, row, -1);
      await within(write)
        .deleteFrom(table)
        .where(id, '=', row[named.id] as string)
        .execute();
    },
    async removeAll(write, subaccount) {
      const deleted = await within(write)
        .deleteFrom(table)
        .where('account', '=', subaccount)
        .returningAll()
        .execute();
      const main = deleted[0]?.main_account;
      if (main !== undefined) await totals.changeOne(write, main, -deleted.length);
      await totals.forget(write, subaccount);
      return deleted.map(rowOf<Row>);
    },
    async passOn(write, subaccount, changes) {
      // The main account counted them as its own before.
      await within(write)
        .updateTable(table)
        .set({ ...changes, account: sql<string>`main_account` } as never)
        .where('account', '=', subaccount)
        .execute();
      await totals.forget(write, subaccount);
    },
  };
  return owned;
}

function rowOf<Row>({ position: _, ...row }: Columns): Row {
  return row as unknown as Row;
}
