import type { Read } from '@jackfield/ports';
import type { Generated, Kysely } from 'kysely';

/** One leg. Money is in 1e-5 units. */
export type CallRow = {
  call_uuid: string;
  account: string;
  main_account: string;
  direction: 'inbound' | 'outbound';
  from_number: string;
  to_number: string;
  caller_name: string;
  request_uuid: string;
  parent_call_uuid: string | null;
  parent_request_uuid: string;
  source_ip: string | null;
  /** `LegCallbacks` as JSON: a restart needs them for the callback of the end. */
  callbacks: string | null;
  /** The trunk of the call, and its accounts: not the caller's when a number of another account is called. */
  trunk_id: string | null;
  trunk_account: string | null;
  trunk_main_account: string | null;
  rate_per_minute: number;
  rate_initial_seconds: number;
  rate_increment_seconds: number;
  phase: string;
  initiated_at: number;
  answered_at: number | null;
  /** Null in records that are older than this column. */
  time_limit_seconds: number | null;
  /** Of an answered live leg in a cluster: its successor hangs it up with this. */
  dialog: string | null;
  /** Of the INVITE of a live leg, as JSON: a restart needs them for the callback of the end. */
  headers: string | null;
  ended_at: number | null;
  hangup_code: number | null;
  hangup_name: string | null;
  hangup_source: string | null;
  hangup_reason: string | null;
  bill_seconds: number;
  billed_seconds: number;
  total_amount: number;
  /** `LegQuality` as JSON. */
  quality: string | null;
  /** `ClientQuality` as JSON. */
  client_quality: string | null;
};

export type CallsTables = {
  /** `incarnation` is that in which the leg lives, or has lived. */
  calls: CallRow & { incarnation: Generated<number> };
  /** Ended calls that an account sees, spread over slots so that no row is written by every call. */
  call_totals: { account: string; slot: number; total: number };
};

/** For a transaction as well: a Write is a Read. */
export const tablesOf = (read: Read): Kysely<CallsTables> => read.withTables<CallsTables>();
