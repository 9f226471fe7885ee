import type { Read } from '@jackfield/ports';
import type { Generated, Kysely } from 'kysely';
import type { OwnedRow } from '../accounts/index.ts';

/** Columns of every table of trunks and their parts. */
export interface TrunkingRow extends OwnedRow {
  /** credential_uuid, ipacl_uuid, uri_uuid or trunk_id. */
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
}

/**
 * `ha1_…` are HA1 for `realm` (RFC 7616 §3.4.2, RFC 8760); `previous_…` are accepted until `previous_until`. Rows of older versions
 * have neither realm nor password.
 */
export type CredentialRow = TrunkingRow & {
  readonly username: string;
  readonly realm: string | null;
  readonly password_sealed: string | null;
  readonly ha1_md5: string;
  readonly ha1_sha256: string;
  readonly previous_username: string | null;
  readonly previous_ha1_md5: string | null;
  readonly previous_ha1_sha256: string | null;
  readonly previous_password_sealed: string | null;
  readonly previous_until: number | null;
};

/** `addresses` are separated by spaces. */
export type AddressListRow = TrunkingRow & { readonly addresses: string };

export type OriginationUriRow = TrunkingRow & {
  readonly uri: string;
  readonly authentication_needed: 0 | 1;
  readonly username: string | null;
  /** The answer to a challenge needs the password itself. */
  readonly password_sealed: string | null;
};

export type TrunkReferences = {
  readonly ipacl_uuid: string | null;
  readonly credential_uuid: string | null;
  readonly primary_uri_uuid: string | null;
  readonly fallback_uri_uuid: string | null;
};

export type TrunkRow = TrunkingRow &
  TrunkReferences & {
    readonly trunk_direction: 'inbound' | 'outbound';
    readonly trunk_status: 'enabled' | 'disabled';
    readonly secure: 0 | 1;
    /** The deleted credential, until the trunk gets another one. */
    readonly lost_credential_uuid: string | null;
  };

/** Names of the tables. */
export const kinds = [
  'trunk_credentials',
  'trunk_address_lists',
  'trunk_origination_uris',
  'trunks',
] as const;
export type Kind = (typeof kinds)[number];

type Stored<Row> = Row & { position: Generated<number> };

export type TrunksTables = {
  /** `position` is the order of creation. */
  trunk_credentials: Stored<CredentialRow>;
  trunk_address_lists: Stored<AddressListRow>;
  trunk_origination_uris: Stored<OriginationUriRow>;
  trunks: Stored<TrunkRow>;
  /** Rows that an account sees, so that lists without filters need no count. */
  trunk_totals: { account: string; kind: Kind; total: number };
};

/** For a transaction as well: a Write is a Read. */
export const tablesOf = (read: Read): Kysely<TrunksTables> => read.withTables<TrunksTables>();
