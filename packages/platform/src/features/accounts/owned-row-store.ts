import type { Database, Write } from '@jackfield/ports';
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { RequestAccount } from '../../http/index.ts';
import type { AccountTotals } from '../../kernel/account-totals.ts';
import { countedAtMost, type Page, type PageRows } from '../../kernel/pagination.ts';
import { requireOwner, viewOf } from './access/owner.ts';

/** Columns of every table whose rows belong to accounts. */
export interface OwnedRow {
  readonly account: string;
  /** The main account of `account`, or `account` itself: a main account lists the rows of its subaccounts. */
  readonly main_account: string;
}

export interface OwnedTable<Row> {
  /** Its rows have a `position` as well, the order of creation. */
  readonly table: string;
  /** The column whose value names a row. */
  readonly id: keyof Row & string;
  readonly totals: AccountTotals;
  /** The stored form of an id that a client wrote; the same when left out. */
  readonly readId?: (written: string) => string;
}

/** SQL that is the same for all tables of owned rows. Reads see the last commit; writes run in the caller's transaction. */
export interface OwnedRows<Row extends OwnedRow> {
  find(account: RequestAccount, id: string): Promise<Row | undefined>;
  /** As `find`, inside a transaction; locks the row until its end. */
  read(write: Write, account: RequestAccount, id: string): Promise<Row | undefined>;
  /** Newest first. */
  list(account: RequestAccount, page: Page): Promise<PageRows<Row>>;
  /** Rows with these values, newest first, counted by `countedAtMost`. Without any value it is `list`. */
  listWhere(account: RequestAccount, values: ColumnValues<Row>, page: Page): Promise<PageRows<Row>>;
  /** False when a row of any account has its id. Refused when its owner was deleted meanwhile. */
  insert(write: Write, row: Row): Promise<boolean>;
  change(write: Write, id: string, changes: Partial<Row>): Promise<void>;
  /** As `change`, where the owner may change as well. */
  save(write: Write, before: Row, after: Row): Promise<void>;
  remove(write: Write, row: Row): Promise<void>;
  /** Removes the rows of a subaccount, and gives them. */
  removeAll(write: Write, subaccount: string): Promise<readonly Row[]>;
  /** Gives the rows of a subaccount to its main account, with these changes. */
  passOn(write: Write, subaccount: string, changes?: Partial<Row>): Promise<void>;
}

export type ColumnValues<Row> = { readonly [Column in keyof Row]?: Row[Column] | undefined };

/** The columns that every such table has; `id` stands for the column that names its rows. */
type Columns = OwnedRow & { readonly id: string; readonly position: number };
type Tables = { owned: Columns };
type Seen = SelectQueryBuilder<Tables, 'owned', object>;

export function createOwnedRows<Row extends OwnedRow>(
  database: Pick<Database, 'read'>,
  table: OwnedTable<Row>,
): OwnedRows<Row> {
  return new OwnedRowStore(database, table);
}

class OwnedRowStore<Row extends OwnedRow> implements OwnedRows<Row> {
  readonly #tables: Kysely<Tables>;
  readonly #totals: AccountTotals;
  readonly #readId: (written: string) => string;
  readonly #idColumn: keyof Row & string;
  // The types know one table for all: the columns that are named here are the same everywhere.
  readonly #table: 'owned';
  readonly #id: 'id';

  constructor({ read }: Pick<Database, 'read'>, named: OwnedTable<Row>) {
    this.#tables = read.withTables<Tables>();
    this.#totals = named.totals;
    this.#readId = named.readId ?? ((written) => written);
    this.#idColumn = named.id;
    this.#table = named.table as 'owned';
    this.#id = named.id as 'id';
  }

  async find(account: RequestAccount, id: string): Promise<Row | undefined> {
    const row = await this.#one(this.#tables, account, id).executeTakeFirst();
    return row && rowOf<Row>(row);
  }

  async read(write: Write, account: RequestAccount, id: string): Promise<Row | undefined> {
    const row = await this.#one(within(write), account, id).forUpdate().executeTakeFirst();
    return row && rowOf<Row>(row);
  }

  async list(account: RequestAccount, page: Page): Promise<PageRows<Row>> {
    const total = (await this.#totals.of(account.authId)) ?? 0;
    return { total: Number(total), rows: await this.#pageOf(this.#seenBy(account), page) };
  }

  async listWhere(account: RequestAccount, values: ColumnValues<Row>, page: Page): Promise<PageRows<Row>> {
    const filters = Object.entries(values).filter(([, value]) => value !== undefined);
    if (filters.length === 0) return this.list(account, page);
    let rows = this.#seenBy(account);
    for (const [column, value] of filters) rows = rows.where(column as 'id', '=', value as string);
    const counted = await this.#tables
      .selectFrom(rows.select(this.#id).limit(countedAtMost(page)).as('matching'))
      .select((columns) => columns.fn.countAll().as('total'))
      .executeTakeFirst();
    return { total: Number(counted?.total ?? 0), rows: await this.#pageOf(rows, page) };
  }

  async insert(write: Write, row: Row): Promise<boolean> {
    await requireOwner(write, row.account, row.main_account);
    const added = await within(write)
      .insertInto(this.#table)
      .values(row as never)
      .onConflict((on) => on.column(this.#id).doNothing())
      .returning(this.#id)
      .executeTakeFirst();
    if (added === undefined) return false;
    await this.#totals.change(write, row, 1);
    return true;
  }

  async change(write: Write, id: string, changes: Partial<Row>): Promise<void> {
    if (Object.keys(changes).length === 0) return;
    await within(write)
      .updateTable(this.#table)
      .set(changes as never)
      .where(this.#id, '=', this.#readId(id))
      .execute();
  }

  async save(write: Write, before: Row, after: Row): Promise<void> {
    if (before.account !== after.account) {
      await requireOwner(write, after.account, after.main_account);
      await this.#totals.change(write, before, -1);
      await this.#totals.change(write, after, 1);
    }
    await this.change(write, before[this.#idColumn] as string, after);
  }

  async remove(write: Write, row: Row): Promise<void> {
    await this.#totals.change(write, row, -1);
    const id = row[this.#idColumn] as string;
    await within(write).deleteFrom(this.#table).where(this.#id, '=', id).execute();
  }

  async removeAll(write: Write, subaccount: string): Promise<readonly Row[]> {
    const deleted = await within(write)
      .deleteFrom(this.#table)
      .where('account', '=', subaccount)
      .returningAll()
      .execute();
    const main = deleted[0]?.main_account;
    if (main !== undefined) await this.#totals.changeOne(write, main, -deleted.length);
    await this.#totals.forget(write, subaccount);
    return deleted.map(rowOf<Row>);
  }

  async passOn(write: Write, subaccount: string, changes?: Partial<Row>): Promise<void> {
    // The total of the main account has counted the rows all along.
    await within(write)
      .updateTable(this.#table)
      .set({ ...changes, account: sql<string>`main_account` } as never)
      .where('account', '=', subaccount)
      .execute();
    await this.#totals.forget(write, subaccount);
  }

  #one(from: Kysely<Tables>, account: RequestAccount, id: string) {
    return from
      .selectFrom(this.#table)
      .selectAll()
      .where(this.#id, '=', this.#readId(id))
      .where(viewOf(account), '=', account.authId);
  }

  #seenBy(account: RequestAccount): Seen {
    return this.#tables.selectFrom(this.#table).where(viewOf(account), '=', account.authId);
  }

  async #pageOf(rows: Seen, { limit, offset }: Page): Promise<Row[]> {
    const found = await rows.selectAll().orderBy('position', 'desc').limit(limit).offset(offset).execute();
    return found.map(rowOf<Row>);
  }
}

function within(write: Write): Kysely<Tables> {
  return write.withTables<Tables>();
}

function rowOf<Row>({ position: _, ...row }: Columns): Row {
  return row as unknown as Row;
}
