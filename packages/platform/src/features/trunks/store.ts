import type { Database, Write } from '@jackfield/ports';
import { createAccountTotals } from '../../kernel/account-totals.ts';
import { createOwnedRows, type OwnedRows } from '../accounts/index.ts';
import {
  type AddressListRow,
  type CredentialRow,
  type Kind,
  type OriginationUriRow,
  type TrunkingRow,
  type TrunkReferences,
  type TrunkRow,
  tablesOf,
} from './tables.ts';

export type TrunkFilters = Partial<
  TrunkReferences & Pick<TrunkRow, 'trunk_direction' | 'trunk_status' | 'secure' | 'lost_credential_uuid'>
>;

export type DetachedTrunk = Pick<TrunkRow, 'id' | 'account' | 'main_account'>;

export interface TrunkStore {
  readonly credentials: OwnedRows<CredentialRow>;
  readonly addressLists: OwnedRows<AddressListRow>;
  readonly uris: OwnedRows<OriginationUriRow>;
  readonly trunks: OwnedRows<TrunkRow>;
  /** Detaches a deleted part from its trunks; gives those trunks, oldest first. */
  detach(write: Write, column: keyof TrunkReferences, id: string): Promise<readonly DetachedTrunk[]>;
}

export function createTrunkStore(database: Pick<Database, 'read' | 'dialect'>): TrunkStore {
  const rowsOf = <Row extends TrunkingRow>(kind: Kind) =>
    createOwnedRows<Row>(database, {
      table: kind,
      id: 'id',
      totals: createAccountTotals(database.read, 'trunk_totals', kind),
      // RFC 9562 §4: a UUID may be written with capitals.
      readId: (written) => written.toLowerCase(),
    });
  return {
    credentials: rowsOf<CredentialRow>('trunk_credentials'),
    addressLists: rowsOf<AddressListRow>('trunk_address_lists'),
    uris: rowsOf<OriginationUriRow>('trunk_origination_uris'),
    trunks: rowsOf<TrunkRow>('trunks'),
    async detach(write, column, id) {
      const lost = column === 'credential_uuid' ? { lost_credential_uuid: id } : {};
      const detached = await tablesOf(write)
        .updateTable('trunks')
        .set({ [column]: null, ...lost })
        .where(column, '=', id)
        .returning(['id', 'account', 'main_account', 'position'])
        .execute();
      return detached.sort((one, other) => one.position - other.position);
    },
  };
}
