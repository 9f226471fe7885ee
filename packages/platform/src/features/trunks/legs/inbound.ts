import type { Database, DialTarget, InboundTrunk, Secrets, TrunkLogin } from '@jackfield/ports';
import { type RowLookup, rowLookup } from '../../../kernel/row-lookup.ts';
import { dialledUri } from '../domain/origination.ts';
import { type OriginationUriRow, type TrunkRow, tablesOf } from '../tables.ts';

/** The targets of inbound trunks, looked up per call: a change or deletion holds for the next call. */
export interface InboundTrunks {
  /** Undefined without an inbound trunk of this identifier. `number` is E.164 with its +. */
  trunkOf(trunkId: string, number: string): Promise<InboundTrunk | undefined>;
  /** The credentials that answer challenges of a target of `trunkOf`. */
  loginOf(account: string): Promise<TrunkLogin | undefined>;
}

type Joined = Pick<
  TrunkRow,
  'id' | 'account' | 'main_account' | 'trunk_direction' | 'trunk_status' | 'secure'
> & {
  readonly primary: string | null;
  readonly primary_uuid: string | null;
  readonly primary_asks: 0 | 1 | null;
  readonly fallback: string | null;
  readonly fallback_uuid: string | null;
  readonly fallback_asks: 0 | 1 | null;
};

/** Prefix of the account of a dial target that names an origination URI: no carrier has a name of this form. */
const accountPrefix = 'uri/';

export function createInboundTrunks(
  database: Pick<Database, 'read'>,
  secrets: Pick<Secrets, 'decrypt'>,
): InboundTrunks {
  const trunkRow = trunkRows(database);
  const loginRow = loginRows(database);

  return {
    async trunkOf(trunkId, number) {
      const row = await trunkRow(trunkId);
      if (row === undefined || row.trunk_direction !== 'inbound') return undefined;
      const trunk = { trunk: row.id, account: row.account, mainAccount: row.main_account };
      const targetOf = (uri: string | null, uuid: string | null, asks: 0 | 1 | null): DialTarget[] => {
        const dialled = uri === null ? undefined : dialledUri(uri, number, row.secure === 1);
        if (dialled === undefined) return [];
        return [{ uri: dialled, trunk, ...(asks === 1 ? { account: `${accountPrefix}${uuid}` } : {}) }];
      };
      if (row.trunk_status === 'disabled') return { ...trunk, targets: [] };
      return {
        ...trunk,
        targets: [
          ...targetOf(row.primary, row.primary_uuid, row.primary_asks),
          ...targetOf(row.fallback, row.fallback_uuid, row.fallback_asks),
        ],
      };
    },
    async loginOf(account) {
      if (!account.startsWith(accountPrefix)) return undefined;
      const row = await loginRow(account.slice(accountPrefix.length));
      if (!row?.username || row.password_sealed === null) return undefined;
      return { username: row.username, password: secrets.decrypt(row.password_sealed) };
    },
  };
}

function trunkRows(database: Pick<Database, 'read'>): RowLookup<Joined> {
  const compiled = tablesOf(database.read)
    .selectFrom('trunks as t')
    .leftJoin('trunk_origination_uris as p', 'p.id', 't.primary_uri_uuid')
    .leftJoin('trunk_origination_uris as f', 'f.id', 't.fallback_uri_uuid')
    .select([
      't.id',
      't.account',
      't.main_account',
      't.trunk_direction',
      't.trunk_status',
      't.secure',
      'p.uri as primary',
      'p.id as primary_uuid',
      'p.authentication_needed as primary_asks',
      'f.uri as fallback',
      'f.id as fallback_uuid',
      'f.authentication_needed as fallback_asks',
    ])
    .where('t.id', '=', '')
    .compile();
  return rowLookup(database, compiled);
}

function loginRows(
  database: Pick<Database, 'read'>,
): RowLookup<Pick<OriginationUriRow, 'username' | 'password_sealed'>> {
  const compiled = tablesOf(database.read)
    .selectFrom('trunk_origination_uris')
    .select(['username', 'password_sealed'])
    .where('id', '=', '')
    .compile();
  return rowLookup(database, compiled);
}
