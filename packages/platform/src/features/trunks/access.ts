import type { CompiledQuery } from 'kysely';
import type { Clock } from '../../ports/clock.ts';
import type { Database } from '../../ports/database.ts';
import type { TrunkAccess, TrunkPassword } from '../../ports/trunks.ts';
import { isListed } from './domain/address-list.ts';
import { type AddressListRow, type CredentialRow, type TrunkRow, tablesOf } from './tables.ts';

type Digests = Pick<
  CredentialRow,
  | 'username'
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

/** Columns of what the trunk does not have are null. */
type Joined = { [Name in keyof AccessRow]: AccessRow[Name] | null } & Pick<
  AccessRow,
  'id' | 'account' | 'main_account'
>;

/** Looks trunks up for signalling: what is deleted or changed holds for the next call. */
export function createTrunkAccess({ read }: Pick<Database, 'read'>, clock: Clock) {
  // Building the query costs more than running it.
  const compiled = tablesOf(read)
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
      'c.ha1_md5',
      'c.ha1_sha256',
      'c.previous_username',
      'c.previous_ha1_md5',
      'c.previous_ha1_sha256',
      'c.previous_until',
    ])
    .where('t.id', '=', '')
    .compile();

  return async (trunkId: string, sourceAddress: string): Promise<TrunkAccess | undefined> => {
    const query = { ...compiled, parameters: [trunkId] } as CompiledQuery<Joined>;
    const row = (await read.executeQuery(query)).rows[0];
    if (row === undefined) {
      // A trunk that exists is three look-ups in one: this one takes as long, so that nobody learns which exist.
      for (let more = 0; more < 2; more++) await read.executeQuery(query);
      return undefined;
    }
    return {
      trunk: row.id,
      account: row.account,
      mainAccount: row.main_account,
      closedBecause: closedBecause(row),
      isSecure: row.secure === 1,
      isListed: row.addresses !== null && isListed(row.addresses.split(' '), sourceAddress),
      credentials: passwordsOf(row, clock.now()),
      hasLostCredential: row.lost_credential_uuid !== null,
    };
  };
}

function closedBecause({ trunk_direction, trunk_status }: Joined): TrunkAccess['closedBecause'] {
  if (trunk_direction === 'inbound') return 'trunk-inbound';
  return trunk_status === 'disabled' ? 'trunk-disabled' : undefined;
}

function passwordsOf(row: { [Name in keyof Digests]: Digests[Name] | null }, now: number): TrunkPassword[] {
  if (row.username === null) return [];
  const passwords = [{ username: row.username, ha1: { md5: row.ha1_md5!, sha256: row.ha1_sha256! } }];
  if (row.previous_until !== null && row.previous_until > now) {
    const ha1 = { md5: row.previous_ha1_md5!, sha256: row.previous_ha1_sha256! };
    passwords.push({ username: row.previous_username!, ha1 });
  }
  return passwords;
}
