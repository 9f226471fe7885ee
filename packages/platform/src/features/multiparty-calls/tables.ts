import type { Read, Write } from '@jackfield/ports';
import type { ColumnType, Selectable } from 'kysely';
import type { ParticipantPhase } from './domain/participant.ts';
import type { RecordingStatus } from './domain/room-recording.ts';

/** Written once. */
type Fixed<Value> = ColumnType<Value, Value, never>;

interface MultipartyCallsTable {
  /** In which it lives, or has lived. */
  incarnation: number;
  mpc_uuid: Fixed<string>;
  account: string;
  main_account: Fixed<string>;
  friendly_name: Fixed<string>;
  status: 'initialized' | 'active' | 'ended';
  created_at: Fixed<number>;
  started_at: number | null;
  ended_at: number | null;
  termination_code: 1000 | 1010 | 2000 | 3000 | null;
  billed_seconds: number;
  billed_units: number;
  max_participants: Fixed<number>;
  max_duration_seconds: Fixed<number>;
  stay_alone: Fixed<number>;
  record_min_member_count: Fixed<number>;
  status_callback_url: Fixed<string | null>;
  status_callback_method: Fixed<'GET' | 'POST' | null>;
  status_callback_events: Fixed<string | null>;
  recording_callback_url: Fixed<string | null>;
  recording_callback_method: Fixed<'GET' | 'POST' | null>;
  recording: RecordingStatus;
  /** The event of its end waits for its recordings. */
  is_end_owed: number;
}

/** A time during which one participant could hear another. */
interface HearingTable {
  mpc_uuid: Fixed<string>;
  listener: Fixed<number>;
  speaker: Fixed<number>;
  /** The speaker was a supervisor who coached. */
  is_coach: Fixed<number>;
  from_at: Fixed<number>;
  /** null while it lasts. */
  to_at: number | null;
}

interface ParticipantsTable {
  member_id: Fixed<number>;
  mpc_uuid: Fixed<string>;
  call_uuid: Fixed<string>;
  request_uuid: Fixed<string>;
  role: Fixed<'agent' | 'supervisor' | 'customer' | 'ai-agent'>;
  from_address: Fixed<string>;
  to_address: Fixed<string>;
  caller_name: Fixed<string>;
  phase: ParticipantPhase;
  added_at: Fixed<number>;
  joined_at: number | null;
  exited_at: number | null;
  exit_cause: string | null;
  coach_mode: number;
  mute: number;
  hold: number;
  starts_on_enter: Fixed<number>;
  ends_on_exit: Fixed<number>;
  /** beep:1, beep:2, none or a URL. */
  enter_sound: Fixed<string>;
  exit_sound: Fixed<string>;
  rate_per_minute: Fixed<number>;
  rate_initial_seconds: Fixed<number>;
  rate_increment_seconds: Fixed<number>;
  billed_seconds: number | null;
  billed_units: number | null;
  call_status_callback_url: Fixed<string | null>;
  call_status_callback_method: Fixed<'GET' | 'POST' | null>;
  status_callback_url: Fixed<string | null>;
  status_callback_method: Fixed<'GET' | 'POST' | null>;
  status_callback_events: Fixed<string | null>;
  /** Its adding or joining made the call active. */
  has_started: number;
}

// A type, not an interface: withTables asks for a record.
export type MultipartyTables = {
  multiparty_calls: MultipartyCallsTable;
  multiparty_participants: ParticipantsTable;
  multiparty_hearing: HearingTable;
  multiparty_member_ids: { only_row: number; last_reserved: number };
};

export type MultipartyCallRow = Selectable<MultipartyCallsTable>;
export type HearingRow = Selectable<HearingTable>;
export type ParticipantRow = Selectable<ParticipantsTable>;

/** The tables of this feature for typed queries. */
export function reading(read: Read) {
  return read.withTables<MultipartyTables>();
}

export function writing(write: Write) {
  return write.withTables<MultipartyTables>();
}
