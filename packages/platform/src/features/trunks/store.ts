import type { Database, Write } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import type { Page } from '../../kernel/pagination.ts';
import { createOwnedRows, type OwnedRows } from './owned-rows.ts';
import {
  type AddressListRow,
  type CredentialRow,
  type OriginationUriRow,
  type TrunkReferences,
  type TrunkRow,
  tablesOf,
  viewOf,
} from './tables.ts';

export type TrunkFilters = Partial<
  TrunkReferences & Pick<TrunkRow, 'trunk_direction' | 'trunk_status' | 'secure' | 'lost_credential_uuid'>
>;

export interface TrunkStore {
  readonly credentials: OwnedRows<CredentialRow>;
  readonly addressLists: OwnedRows<AddressListRow>;
  readonly uris: OwnedRows<OriginationUriRow>;
  readonly trunks: OwnedRows<TrunkRow>;
  /** Newest first; no more than 10,000 are counted. */
  filteredTrunks(
    account: RequestAccount,
    filters: TrunkFilters,
    page: Page,
  ): Promise<{ readonly total: number; readonly objects: readonly TrunkRow[] }>;
  /** Takes something that is deleted from all trunks that have it; gives those trunks, oldest first. */
  detach(write: Write, column: keyof TrunkReferences, id: string): Promise<readonly string[]>;
}

/** As other lists with filters: to know that there are more is enough. */
const mostCounted = 10_000;

export function createTrunkStore(database: Pick<Database, 'read' | 'dialect'>): TrunkStore {
  const trunks = createOwnedRows<TrunkRow>(database, 'trunks');
  const tables = tablesOf(database.read);

  return {
    credentials: createOwnedRows<CredentialRow>(database, 'trunk_credentials'),
    addressLists: createOwnedRows<AddressListRow>(database, 'trunk_address_lists'),
    uris: createOwnedRows<OriginationUriRow>(database, 'trunk_origination_uris'),
    trunks,
    async filteredTrunks(account, filters, page) {
      const entries = Object.entries(filters) as [keyof TrunkFilters, string][];
      if (entries.length === 0) return trunks.list(account, page);
      let wanted = tables.selectFrom('trunks').where(viewOf(account), '=', account.authId);
      for (const [column, value] of entries) wanted = wanted.where(column, '=', value);
      const counted = await tables
        .selectFrom(wanted.select('id').limit(mostCounted).as('wanted'))
        .select((columns) => columns.fn.countAll().as('total'))
        .executeTakeFirst();
      const rows = await wanted
        .selectAll()
        .orderBy('position', 'desc')
        .limit(page.limit)
        .offset(page.offset)
        .execute();
      return { total: Number(counted?.total ?? 0), objects: rows };
    },
    async detach(write, column, id) {
      const lost = column === 'credential_uuid' ? { lost_credential_uuid: id } : {};
      const detached = await tablesOf(write)
        .updateTable('trunks')
        .set({ [column]: null, ...lost })
        .where(column, '=', id)
        .returning(['id', 'position'])
        .execute();
      return detached.sort((one, other) => one.position - other.position).map((row) => row.id);
    },
  };
}
