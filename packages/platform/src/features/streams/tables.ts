import type { Read, Write } from '@jackfield/ports';
import type { ColumnType, Selectable } from 'kysely';
import type { EndReason, FaultCode, StreamEnd } from './domain/stream.ts';

/** Written once. */
type Fixed<Value> = ColumnType<Value, Value, never>;

interface StreamsTable {
  /** In which it lives, or has lived. */
  incarnation: number;
  stream_id: Fixed<string>;
  account: string;
  main_account: Fixed<string>;
  call_uuid: Fixed<string>;
  mpc_uuid: Fixed<string | null>;
  service_url: Fixed<string>;
  audio_track: Fixed<'inbound' | 'outbound' | 'both'>;
  bidirectional: Fixed<number>;
  /** JSON of StreamSettings. */
  settings: Fixed<string>;
  created_at: Fixed<number>;
  started_at: number | null;
  ended_at: number | null;
  outcome: StreamEnd['outcome'] | null;
  end_reason: EndReason | null;
  failure: string | null;
  failure_code: FaultCode | null;
  /** JSON of StreamStatistics. */
  statistics: string | null;
  rate_per_minute: Fixed<number>;
  rate_initial_seconds: Fixed<number>;
  rate_increment_seconds: Fixed<number>;
}

// A type, not an interface: withTables asks for a record.
export type StreamsTables = {
  streams: StreamsTable;
};

export type StreamRow = Selectable<StreamsTable>;

/** The table of this feature for typed queries. */
export function reading(read: Read) {
  return read.withTables<StreamsTables>();
}

export function writing(write: Write) {
  return write.withTables<StreamsTables>();
}
