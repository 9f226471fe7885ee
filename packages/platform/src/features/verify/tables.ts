import type { Read, Write } from '@jackfield/ports';
import type { ColumnType, Selectable } from 'kysely';
import type { FraudLevel } from './domain/conversion.ts';
import type { Channel, ChannelStatus, SessionStatus } from './domain/session.ts';

/** Written once. */
type Fixed<Value> = ColumnType<Value, Value, never>;

interface SessionsTable {
  /** In which it lives, or has lived. */
  incarnation: number;
  session_uuid: Fixed<string>;
  account: string;
  main_account: Fixed<string>;
  app_uuid: Fixed<string>;
  alias: Fixed<string>;
  recipient: Fixed<string>;
  country: Fixed<string | null>;
  requestor_ip: Fixed<string | null>;
  status: SessionStatus;
  callback_url: string | null;
  callback_method: 'GET' | 'POST' | null;
  template: Fixed<string>;
  code_length: Fixed<number>;
  code_hash: Fixed<string>;
  sealed_code: string | null;
  max_attempts: Fixed<number>;
  max_checks: Fixed<number>;
  /** Raised only by the statement that admits a check. */
  checks: number;
  /** Raised by each check that is not admitted, so that both cost the same. */
  late_checks: number;
  voice_fallback: Fixed<number>;
  created_at: Fixed<number>;
  updated_at: number;
  expires_at: Fixed<number>;
  closed_at: number | null;
  /** Of the last attempt, for lists. */
  brand_name: string | null;
  app_hash: string | null;
}

interface AttemptsTable {
  attempt_uuid: Fixed<string>;
  session_uuid: Fixed<string>;
  sequence: Fixed<number>;
  channel: Fixed<Channel>;
  status: ChannelStatus;
  error_code: string | null;
  created_at: Fixed<number>;
  locale: Fixed<string>;
  brand_name: Fixed<string | null>;
  app_hash: Fixed<string | null>;
  dtmf: Fixed<number>;
  fraud_check: Fixed<string | null>;
  sender: Fixed<string | null>;
  message: string | null;
}

interface AppsTable {
  app_uuid: Fixed<string>;
  account: string;
  main_account: Fixed<string>;
  alias: string;
  brand_name: string;
  code_length: number;
  code_expiry: number;
  max_attempts: number;
  max_validations: number;
  sms_template: string;
  app_hash: string;
  sender: string;
  fraud_shield: FraudLevel;
  /** Two letters each, with commas. */
  allowed_countries: string;
  voice_fallback: number;
  is_default: number;
  created_at: Fixed<number>;
}

// A type, not an interface: withTables asks for a record.
export type VerifyTables = {
  verify_sessions: SessionsTable;
  verify_attempts: AttemptsTable;
  verify_apps: AppsTable;
  verify_counters: { name: string; window_start: number; total: number };
};

export type SessionRow = Selectable<SessionsTable>;
export type AttemptRow = Selectable<AttemptsTable>;
export type AppRow = Selectable<AppsTable>;

/** The tables of this feature for typed queries. */
export function reading(read: Read) {
  return read.withTables<VerifyTables>();
}

export function writing(write: Write) {
  return write.withTables<VerifyTables>();
}
