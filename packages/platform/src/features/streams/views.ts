import type { StreamItem, StreamObject } from '@jackfield/contract';
import type { Instant, StreamStatistics } from '@jackfield/ports';
import { timestamp, timestampOrNull } from '../../kernel/timestamps.ts';
import type { Usage } from '../usage/index.ts';
import { secondsOf } from './domain/stream.ts';
import { reasonCodes } from './events.ts';
import { settingsOf } from './store.ts';
import type { StreamRow } from './tables.ts';

export function streamItemOf(row: StreamRow): StreamItem {
  return {
    stream_id: row.stream_id,
    call_uuid: row.call_uuid,
    service_url: row.service_url,
    audio_track: row.audio_track,
    bidirectional: row.bidirectional === 1,
    start_time: timestampOrNull(row.started_at),
    end_time: timestampOrNull(row.ended_at),
  };
}

export function streamObjectOf(row: StreamRow, usage: Usage, now: Instant): StreamObject {
  const settings = settingsOf(row);
  const { statusCallback, noiseCancellationLevel: level, extraHeaders } = settings;
  const seconds = secondsOf({ startedAt: row.started_at, endedAt: row.ended_at }, now);
  const rate = {
    perMinute: row.rate_per_minute,
    initialSeconds: row.rate_initial_seconds,
    incrementSeconds: row.rate_increment_seconds,
  };
  const { billedSeconds, amount } = usage.amountOf(rate, seconds);
  return {
    ...streamItemOf(row),
    content_type: settings.contentType,
    dialect: settings.dialect ?? 'plivo',
    status: statusOf(row),
    status_reason: row.end_reason,
    status_reason_code: row.end_reason === null ? null : reasonCodes[row.end_reason],
    error: row.failure,
    error_code: row.failure_code,
    bill_duration: seconds,
    rounded_bill_duration: billedSeconds,
    billed_amount: amount,
    created_at: `${timestamp(row.created_at)}.${String(row.created_at % 1000).padStart(3, '0')}000+00:00`,
    stream_timeout: settings.timeoutSeconds,
    extra_headers: extraHeaders === '' ? null : extraHeaders,
    noise_cancellation: level !== null,
    noise_cancellation_level: level,
    status_callback_url: statusCallback?.url ?? null,
    status_callback_method: statusCallback?.method ?? null,
    resumable: settings.resumable ?? false,
    fallback_url: settings.fallbackUrl ?? null,
    mpc_uuid: row.mpc_uuid,
    statistics: row.statistics === null ? null : statisticsOf(JSON.parse(row.statistics)),
    auth_id: row.account,
    resource_uri: resourceUriOf(row),
  };
}

function resourceUriOf({ account, call_uuid, mpc_uuid, stream_id }: StreamRow): string {
  const owner = mpc_uuid === null ? `Call/${call_uuid}` : `MultiPartyCall/uuid_${mpc_uuid}`;
  return `/v1/Account/${account}/${owner}/Stream/${stream_id}/`;
}

function statusOf({ started_at, ended_at, outcome }: StreamRow): StreamObject['status'] {
  if (ended_at === null) return started_at === null ? 'initiated' : 'in-progress';
  return outcome === 'failed' ? 'failed' : 'completed';
}

function statisticsOf(counted: StreamStatistics): NonNullable<StreamObject['statistics']> {
  return {
    frames_sent: counted.framesSent,
    frames_dropped: counted.framesDropped,
    frames_received: counted.framesReceived,
    frames_refused: counted.framesRefused,
    played_ms: counted.playedMs,
    play_dropped_ms: counted.playDroppedMs,
  };
}
