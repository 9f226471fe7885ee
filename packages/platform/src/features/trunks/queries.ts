import {
  type AddressList,
  type OriginationUri,
  readBoolean,
  readOneOf,
  type Trunk,
  type TrunkCredential,
  type TrunkListQuery,
  trunkDirections,
  trunkStatuses,
} from '@jackfield/contract';
import type { Instant } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import { answerPage, type List } from '../../kernel/pagination.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { timestamp } from '../../kernel/timestamps.ts';
import type { OwnedRows } from '../accounts/index.ts';
import type { TrunkFilters, TrunkStore } from './store.ts';
import type { AddressListRow, CredentialRow, OriginationUriRow, TrunkingRow, TrunkRow } from './tables.ts';

/** One object; `thing` is its name in sentences. */
export async function readOne<Row extends TrunkingRow, Shown>(
  rows: OwnedRows<Row>,
  account: RequestAccount,
  id: string,
  thing: string,
  shown: (row: Row) => Shown,
): Promise<Result<Shown>> {
  const row = await rows.find(account, id);
  return row === undefined ? refused(notFound(thing, id)) : accepted(shown(row));
}

/** Newest first. `path` is below the account, e.g. `SipTrunk/Credential/`. */
export async function readPage<Row extends TrunkingRow, Shown>(
  rows: OwnedRows<Row>,
  account: RequestAccount,
  query: object,
  path: string,
  shown: (row: Row) => Shown,
): Promise<Result<List<Shown>>> {
  const uri = `/v1/Account/${account.authId}/${path}`;
  return answerPage({ query, path: uri }, (page) => rows.list(account, page), shown);
}

export async function readTrunks(
  store: TrunkStore,
  account: RequestAccount,
  query: TrunkListQuery,
  path: string,
  domain: string,
): Promise<Result<List<Trunk>>> {
  return answerPage(
    { query, path: `/v1/Account/${account.authId}/${path}` },
    (page) => store.trunks.listWhere(account, filtersOf(query), page),
    (row) => shownTrunk(row, domain),
  );
}

function filtersOf(query: TrunkListQuery): TrunkFilters {
  const { ipacl_uuid, credential_uuid, primary_uri_uuid, fallback_uri_uuid, lost_credential_uuid } = query;
  const secure = readBoolean(query.secure);
  const filters = {
    ipacl_uuid: ipacl_uuid?.toLowerCase(),
    credential_uuid: credential_uuid?.toLowerCase(),
    primary_uri_uuid: primary_uri_uuid?.toLowerCase(),
    fallback_uri_uuid: fallback_uri_uuid?.toLowerCase(),
    lost_credential_uuid: lost_credential_uuid?.toLowerCase(),
    trunk_status: readOneOf(trunkStatuses, query.trunk_status),
    trunk_direction: readOneOf(trunkDirections, query.trunk_direction),
    secure: secure === undefined ? undefined : Number(secure),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

export function shownCredential(row: CredentialRow, now: Instant): TrunkCredential {
  const { id, name, username, previous_until: until } = row;
  return {
    credential_uuid: id,
    name,
    username,
    ...(until === null || until <= now ? {} : { previous_password_until: timestamp(until) }),
  };
}

export function shownAddressList({ id, name, addresses }: AddressListRow): AddressList {
  return { ipacl_uuid: id, name, ip_addresses: addresses.split(' ') };
}

export function shownUri({
  id,
  name,
  uri,
  authentication_needed,
  username,
}: OriginationUriRow): OriginationUri {
  return { uri_uuid: id, name, uri, authentication_needed: authentication_needed === 1, username };
}

export function shownTrunk(row: TrunkRow, domain: string): Trunk {
  return {
    trunk_id: row.id,
    name: row.name,
    trunk_domain: `${row.id}.zt.${domain}`,
    trunk_status: row.trunk_status,
    trunk_direction: row.trunk_direction,
    secure: row.secure === 1,
    ipacl_uuid: row.ipacl_uuid,
    credential_uuid: row.credential_uuid,
    primary_uri_uuid: row.primary_uri_uuid,
    fallback_uri_uuid: row.fallback_uri_uuid,
    lost_credential_uuid: row.lost_credential_uuid,
  };
}
