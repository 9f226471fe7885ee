import type { Instant } from '@jackfield/ports';
import { type Generated, type Kysely, sql } from 'kysely';
import type { Page } from '../../kernel/pagination.ts';

export type AccountsTables = {
  accounts: {
    /** Order of creation: lists in this order keep their pages when a row is added. */
    position: Generated<number>;
    auth_id: string;
    /** auth_id of the main account; null for a main account. */
    parent: string | null;
    name: string;
    city: string;
    address: string;
    timezone: string;
    enabled: number;
    /** The token keys the signatures of callbacks, so it can be read back. */
    token_sealed: string;
    token_hash: string;
    /** Number of subaccounts, so that no list has to count them. */
    subaccounts: number;
    created_at: number;
    modified_at: number | null;
  };
};

export type AccountRow = Omit<AccountsTables['accounts'], 'position'>;
export type Tables = Kysely<AccountsTables>;

export function findAccount(tables: Tables, authId: string): Promise<AccountRow | undefined> {
  return tables.selectFrom('accounts').selectAll().where('auth_id', '=', authId).executeTakeFirst();
}

export function findSubaccount(
  tables: Tables,
  parent: string,
  authId: string,
): Promise<AccountRow | undefined> {
  return tables
    .selectFrom('accounts')
    .selectAll()
    .where('auth_id', '=', authId)
    .where('parent', '=', parent)
    .executeTakeFirst();
}

/** Those of these accounts that have not been deleted. */
export async function existing(tables: Tables, authIds: readonly string[]): Promise<readonly string[]> {
  const rows = await tables
    .selectFrom('accounts')
    .select('auth_id')
    .where('auth_id', 'in', authIds)
    .execute();
  return rows.map(({ auth_id }) => auth_id);
}

export function firstMainAccount(tables: Tables): Promise<AccountRow | undefined> {
  return tables
    .selectFrom('accounts')
    .selectAll()
    .where('parent', 'is', null)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();
}

export function listSubaccounts(tables: Tables, parent: string, page: Page): Promise<AccountRow[]> {
  return tables
    .selectFrom('accounts')
    .selectAll()
    .where('parent', '=', parent)
    .orderBy('position')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export async function insertAccount(tables: Tables, row: AccountRow): Promise<void> {
  await tables.insertInto('accounts').values(row).execute();
  if (row.parent !== null) await countSubaccounts(tables, row.parent, 1);
}

/** False when there is no such account. */
export async function updateAccount(
  tables: Tables,
  authId: string,
  changes: Partial<Pick<AccountRow, 'name' | 'city' | 'address' | 'timezone' | 'enabled'>>,
  now: Instant,
): Promise<boolean> {
  const result = await tables
    .updateTable('accounts')
    .set({ ...changes, modified_at: now })
    .where('auth_id', '=', authId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function setToken(
  tables: Tables,
  authId: string,
  token: Pick<AccountRow, 'token_sealed' | 'token_hash'>,
  now: Instant,
): Promise<void> {
  await tables
    .updateTable('accounts')
    .set({ ...token, modified_at: now })
    .where('auth_id', '=', authId)
    .execute();
}

/** False when the parent has no such subaccount. */
export async function deleteSubaccount(tables: Tables, parent: string, authId: string): Promise<boolean> {
  const result = await tables
    .deleteFrom('accounts')
    .where('auth_id', '=', authId)
    .where('parent', '=', parent)
    .executeTakeFirst();
  if (result.numDeletedRows === 0n) return false;
  await countSubaccounts(tables, parent, -1);
  return true;
}

async function countSubaccounts(tables: Tables, parent: string, change: 1 | -1): Promise<void> {
  await tables
    .updateTable('accounts')
    .set({ subaccounts: sql`subaccounts + ${sql.lit(change)}` })
    .where('auth_id', '=', parent)
    .execute();
}
