import type { Clock, Database, Secrets, TrunkAccess, TrunkPassword } from '@jackfield/ports';
import { rowLookup } from '../../../kernel/row-lookup.ts';
import { isListed } from '../domain/address-list.ts';
import { type AddressListRow, type CredentialRow, type TrunkRow, tablesOf } from '../tables.ts';
import { type Ha1, ha1Of } from './digests.ts';

type Digests = Pick<
  CredentialRow,
  | 'username'
  | 'realm'
  | 'password_sealed'
  | 'previous_password_sealed'
  | 'ha1_md5'
  | 'ha1_sha256'
  | 'previous_username'
  | 'previous_ha1_md5'
  | 'previous_ha1_sha256'
  | 'previous_until'
>;

type AccessRow = Pick<
  TrunkRow,
  'id' | 'account' | 'main_account' | 'trunk_direction' | 'trunk_status' | 'secure' | 'lost_credential_uuid'
> &
  Pick<AddressListRow, 'addresses'> &
  Digests;

/** Columns of parts that the trunk does not have are null. */
type Joined = { [Name in keyof AccessRow]: AccessRow[Name] | null } & Pick<
  AccessRow,
  'id' | 'account' | 'main_account'
>;

/** Looks trunks up for signalling: a change or deletion holds for the next call. */
export function createTrunkAccess(
  database: Pick<Database, 'read'>,
  clock: Clock,
  secrets: Pick<Secrets, 'digest' | 'decrypt'>,
  realm: string,
) {
  const compiled = tablesOf(database.read)
    .selectFrom('trunks as t')
    .leftJoin('trunk_credentials as c', 'c.id', 't.credential_uuid')
    .leftJoin('trunk_address_lists as a', 'a.id', 't.ipacl_uuid')
    .select([
      't.id',
      't.account',
      't.main_account',
      't.trunk_direction',
      't.trunk_status',
      't.secure',
      't.lost_credential_uuid',
      'a.addresses',
      'c.username',
      'c.realm',
      'c.password_sealed',
      'c.previous_password_sealed',
      'c.ha1_md5',
      'c.ha1_sha256',
      'c.previous_username',
      'c.previous_ha1_md5',
      'c.previous_ha1_sha256',
      'c.previous_until',
    ])
    .where('t.id', '=', '')
    .compile();
  const rowOf = rowLookup<Joined>(database, compiled);

  /** The stored digests, or new ones when those are of an earlier realm. */
  function ha1(row: Joined, username: string, stored: Ha1, sealed: string | null): Ha1 {
    if (row.realm === null || row.realm === realm || sealed === null) return stored;
    return ha1Of(secrets, username, realm, secrets.decrypt(sealed));
  }

  return async (trunkId: string, sourceAddress: string): Promise<TrunkAccess | undefined> => {
    const row = await rowOf(trunkId);
    if (row === undefined) {
      // A trunk that exists costs three look-ups in one: an unknown trunk costs as much, so that time does not show which exist.
      for (let more = 0; more < 2; more++) await rowOf(trunkId);
      return undefined;
    }
    return {
      trunk: row.id,
      account: row.account,
      mainAccount: row.main_account,
      closedBecause: closedBecause(row),
      isSecure: row.secure === 1,
      isListed: row.addresses !== null && isListed(row.addresses.split(' '), sourceAddress),
      credentials: passwordsOf(row, clock.wallNow(), ha1),
      hasLostCredential: row.lost_credential_uuid !== null,
    };
  };
}

function closedBecause({ trunk_direction, trunk_status }: Joined): TrunkAccess['closedBecause'] {
  if (trunk_direction === 'inbound') return 'trunk-inbound';
  return trunk_status === 'disabled' ? 'trunk-disabled' : undefined;
}

function passwordsOf(
  row: Joined,
  now: number,
  ha1: (row: Joined, username: string, stored: Ha1, sealed: string | null) => Ha1,
): TrunkPassword[] {
  const { username, previous_username, previous_until } = row;
  if (username === null) return [];
  const current = { md5: row.ha1_md5!, sha256: row.ha1_sha256! };
  const passwords = [{ username, ha1: ha1(row, username, current, row.password_sealed) }];
  if (previous_username !== null && previous_until !== null && previous_until > now) {
    const previous = { md5: row.previous_ha1_md5!, sha256: row.previous_ha1_sha256! };
    passwords.push({
      username: previous_username,
      ha1: ha1(row, previous_username, previous, row.previous_password_sealed),
    });
  }
  return passwords;
}
