import type { Read, RecordingFormat, Write } from '@jackfield/ports';
import type { ColumnType, Selectable } from 'kysely';
import type { EndReason, FaultCode, RecordingStatus, TrackType } from './domain/recording.ts';
import type { TranscriptFailureCode, TranscriptState } from './transcripts/transcript.ts';

/** Written once. */
type Fixed<Value> = ColumnType<Value, Value, never>;

interface RecordingsTable {
  /** In which it lives, or has lived. */
  incarnation: number;
  recording_id: Fixed<string>;
  account: string;
  main_account: Fixed<string>;
  owner_kind: Fixed<string>;
  owner_id: Fixed<string>;
  recording_type: Fixed<'normal' | 'mpc'>;
  call_uuid: Fixed<string>;
  mpc_uuid: Fixed<string | null>;
  mpc_name: Fixed<string | null>;
  from_number: Fixed<string>;
  to_number: Fixed<string>;
  format: Fixed<RecordingFormat>;
  max_seconds: Fixed<number>;
  /** JSON of RecordingCallback. */
  callback: Fixed<string | null>;
  /** JSON of RecordingAnnouncement. */
  announcement: Fixed<string | null>;
  member_id: Fixed<number | null>;
  track_type: Fixed<TrackType | null>;
  status: RecordingStatus;
  created_at: Fixed<number>;
  started_at: number | null;
  /** Set with the stop, while the file is still being completed. */
  ended_at: number | null;
  /** When the record became complete; null while the recording is live. */
  closed_at: number | null;
  end_reason: EndReason | null;
  duration_ms: number;
  bytes: number;
  failure: string | null;
  failure_code: FaultCode | null;
  is_discarded: number;
  sequence: number;
  /** JSON of a list of RecordedChannel. */
  channels: string | null;
}

interface TranscriptsTable {
  recording_id: Fixed<string>;
  language: Fixed<string>;
  redacts_digits: Fixed<number>;
  /** JSON of a URL and its method. */
  callback: Fixed<string | null>;
  state: TranscriptState;
  /** JSON of milliseconds, one for each channel. */
  positions: string;
  node: Fixed<string>;
  failure: ColumnType<string | null, string | null | undefined, string | null>;
  failure_code: ColumnType<
    TranscriptFailureCode | null,
    TranscriptFailureCode | null | undefined,
    TranscriptFailureCode | null
  >;
}

interface WordsTable {
  recording_id: string;
  channel: number;
  from_ms: number;
  to_ms: number;
  text: string;
  confidence: number | null;
  number: number;
}

// A type, not an interface: withTables asks for a record.
export type RecordingsTables = {
  recordings: RecordingsTable;
  recording_peaks: { recording_id: string; pair_ms: number; channels: string };
  recording_transcripts: TranscriptsTable;
  recording_words: WordsTable;
  recording_files_to_remove: { file_name: string; node: string };
  recording_files_to_keep: { file_name: string; attempts: number; next_at: number; node: string };
};

export type RecordingRow = Selectable<RecordingsTable>;
export type TranscriptRow = Selectable<TranscriptsTable>;

/** The tables of this feature for typed queries. */
export function reading(read: Read) {
  return read.withTables<RecordingsTables>();
}

export function writing(write: Write) {
  return write.withTables<RecordingsTables>();
}
