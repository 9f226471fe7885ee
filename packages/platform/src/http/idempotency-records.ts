import type { Instant } from '@jackfield/ports';
import type { Kysely } from 'kysely';

export type IdempotencyTables = {
  idempotency_records: {
    account: string;
    idempotency_key: string;
    fingerprint: string;
    created_at: number;
    /** Null while the outcome is unknown. */
    status: number | null;
    /** The body may hold a token, so it is sealed. */
    sealed_body: string | null;
  };
};

export type IdempotencyRecord = IdempotencyTables['idempotency_records'];
type Tables = Kysely<IdempotencyTables>;

export function findRecord(
  tables: Tables,
  { account, key }: RequestIdentity,
): Promise<IdempotencyRecord | undefined> {
  return tables
    .selectFrom('idempotency_records')
    .selectAll()
    .where('account', '=', account)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
}

export async function openRecord(tables: Tables, request: RequestIdentity, now: Instant): Promise<void> {
  await tables
    .insertInto('idempotency_records')
    .values({
      account: request.account,
      idempotency_key: request.key,
      fingerprint: request.fingerprint,
      created_at: now,
      status: null,
      sealed_body: null,
    })
    .execute();
}

export async function settleRecord(
  tables: Tables,
  { account, key }: RequestIdentity,
  settled: { readonly status: number; readonly sealed_body: string | null },
): Promise<void> {
  await tables
    .updateTable('idempotency_records')
    .set(settled)
    .where('account', '=', account)
    .where('idempotency_key', '=', key)
    .execute();
}

/** The record of a key that was opened at this time; no later one. */
export async function removeRecord(
  tables: Tables,
  { account, key }: RequestIdentity,
  createdAt: Instant,
): Promise<void> {
  await tables
    .deleteFrom('idempotency_records')
    .where('account', '=', account)
    .where('idempotency_key', '=', key)
    .where('created_at', '=', createdAt)
    .execute();
}

export async function purgeRecords(tables: Tables, createdUntil: Instant): Promise<void> {
  await tables.deleteFrom('idempotency_records').where('created_at', '<=', createdUntil).execute();
}

export interface RequestIdentity {
  readonly account: string;
  readonly key: string;
  /** Hash of method, path and body: a repetition has that of the first request. */
  readonly fingerprint: string;
}
