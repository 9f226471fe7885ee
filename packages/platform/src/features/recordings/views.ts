import type { RecordingItem } from '@jackfield/contract';
import type { Instant } from '@jackfield/ports';
import { timestamp } from '../../kernel/timestamps.ts';
import { channelsOf, failureCodeOf } from './store.ts';
import type { RecordingRow } from './tables.ts';

/** The operator stores the files: storage is free of charge. */
const noAmount = '0.00000';
/** An unknown number, as in the first request of a recorded session (docs/interface/documents.md#record). */
const notYet = -1;
const dayMs = 86_400_000;
const roundedToSeconds = 60;

export function recordingItemOf(row: RecordingRow, publicUrl: string, now: Instant): RecordingItem {
  const { recording_id: id, account, format, duration_ms: durationMs, closed_at: closedAt } = row;
  const isOver = closedAt !== null;
  return {
    recording_id: id,
    recording_url: `${publicUrl}/v1/Account/${account}/Recording/${id}.${format}`,
    recording_format: format,
    recording_type: row.recording_type,
    recording_duration_ms: decimal(isOver ? durationMs : notYet),
    recording_start_ms: decimal(row.started_at ?? notYet),
    recording_end_ms: decimal((isOver ? row.ended_at : null) ?? notYet),
    rounded_recording_duration: Math.ceil(durationMs / 1000 / roundedToSeconds) * roundedToSeconds,
    add_time: timeOf(row.created_at),
    call_uuid: row.call_uuid,
    conference_name: null,
    mpc_name: row.mpc_name,
    mpc_uuid: row.mpc_uuid,
    from_number: row.from_number,
    to_number: row.to_number,
    monthly_recording_storage_amount: noAmount,
    recording_storage_duration: isOver ? Math.max(0, Math.floor((now - closedAt) / dayMs)) : 0,
    recording_storage_rate: noAmount,
    track_type: row.track_type,
    member_id: row.member_id === null ? null : String(row.member_id),
    channels:
      channelsOf(row)?.map((each) => ({
        channel: each.channel,
        member_id: String(each.memberId),
        call_uuid: each.callUuid,
        role: each.role,
        from_ms: each.fromMs,
        to_ms: each.toMs,
      })) ?? null,
    recording_error: row.failure,
    recording_error_code: failureCodeOf(row),
    resource_uri: `/v1/Account/${account}/Recording/${id}/`,
  };
}

function decimal(value: number): string {
  return value.toFixed(5);
}

/** `YYYY-MM-DD HH:mm:ss.uuuuuu+00:00` (docs/interface/requests.md#timestamps). */
function timeOf(at: Instant): string {
  return `${timestamp(at)}.${String(at % 1000).padStart(3, '0')}000+00:00`;
}
