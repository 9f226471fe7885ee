import type { CallRecord, LiveCall } from '@jackfield/contract';
import type { LiveCallItem } from '@jackfield/contract/console';
import type { HangupSource } from '@jackfield/ports';
import { timestampOrNull, timestampWithMicroseconds, timestampWithOffset } from '../../kernel/timestamps.ts';
import { amountText } from '../usage/index.ts';
import { durationOf } from './domain/call-leg.ts';
import { statusOfEndedCall } from './domain/call-status.ts';
import type { ClientQuality } from './domain/client-quality.ts';
import { explainEnd } from './domain/end-explanation.ts';
import type { LegQuality } from './domain/leg-quality.ts';
import type { CallRow } from './tables.ts';

const unverified = { stir_verification: 'Not Applicable', stir_attestation: null } as const;

export function callRecordOf(row: CallRow): CallRecord {
  return {
    call_uuid: row.call_uuid,
    parent_call_uuid: row.parent_call_uuid,
    from_number: row.from_number,
    to_number: row.to_number,
    call_direction: row.direction,
    call_state: stateOf(row),
    initiation_time: timestampWithOffset(row.initiated_at),
    answer_time: timestampOrNull(row.answered_at),
    end_time: timestampOrNull(row.ended_at),
    call_duration: durationOf({ answeredAt: row.answered_at, endedAt: row.ended_at }),
    bill_duration: row.bill_seconds,
    billed_duration: row.billed_seconds,
    total_amount: amountText(row.total_amount),
    total_rate: amountText(row.rate_per_minute),
    hangup_cause_name: row.hangup_name,
    hangup_cause_code: row.hangup_code,
    hangup_source: row.hangup_source,
    hangup_reason: row.hangup_reason,
    end_explanation: explanationOf(row),
    conference_uuid: null,
    ...unverified,
    voice_network_group: null,
    source_ip: row.source_ip,
    cnam_lookup: null,
    ...mediaOf(row),
    client_quality: clientQualityOf(row),
    resource_uri: `/v1/Account/${row.account}/Call/${row.call_uuid}/`,
  };
}

export function liveCallOf(row: CallRow): Omit<LiveCall, 'api_id'> {
  return {
    call_uuid: row.call_uuid,
    call_status: row.answered_at === null ? 'ringing' : 'in-progress',
    caller_name: row.caller_name,
    direction: row.direction,
    from: row.from_number,
    to: row.to_number,
    request_uuid: row.request_uuid,
    session_start: timestampWithMicroseconds(row.initiated_at),
    ...unverified,
  };
}

export function liveItemOf(row: CallRow): Omit<LiveCallItem, 'quality'> {
  return {
    call_uuid: row.call_uuid,
    parent_call_uuid: row.parent_call_uuid,
    account: row.account,
    direction: row.direction,
    from: row.from_number,
    to: row.to_number,
    caller_name: row.caller_name,
    status: row.answered_at === null ? 'ringing' : 'in-progress',
    initiated_at: new Date(row.initiated_at).toISOString(),
    answered_at: row.answered_at === null ? null : new Date(row.answered_at).toISOString(),
  };
}

function mediaOf(row: CallRow): Pick<CallRecord, 'media_encryption' | 'quality'> {
  if (row.quality === null) return { media_encryption: null, quality: null };
  const quality = JSON.parse(row.quality) as LegQuality;
  return {
    media_encryption: quality.suite === null ? 'none' : `SRTP ${quality.suite}`,
    quality: {
      codec: quality.codec,
      mos: quality.mos,
      packets_received: quality.packetsReceived,
      packets_lost: quality.packetsLost,
      jitter_ms: quality.jitterMs,
      round_trip_ms: quality.roundTripMs,
      frames_concealed: quality.framesConcealed,
      packets_sent: quality.packetsSent,
      remote_loss_percent: quality.remoteLossPercent,
    },
  };
}

function clientQualityOf({ client_quality }: CallRow): CallRecord['client_quality'] {
  if (client_quality === null) return null;
  const quality = JSON.parse(client_quality) as ClientQuality;
  const { mosSum, mosCount } = quality;
  return {
    samples: quality.samples,
    codec: quality.codec,
    transport: quality.transport,
    mos: mosCount === 0 ? null : Math.round((100 * mosSum) / mosCount) / 100,
    worst_mos: quality.worstMos,
    packets_received: quality.packetsReceived,
    packets_lost: quality.packetsLost,
    packets_sent: quality.packetsSent,
    jitter_ms: quality.jitterMs,
    round_trip_ms: quality.roundTripMs,
    warnings: [...quality.warnings],
  };
}

function explanationOf(row: CallRow): string | null {
  const { ended_at: endedAt, answered_at: answeredAt, hangup_code: code } = row;
  if (endedAt === null || code === null) return null;
  const seconds = (from: number, to: number) => Math.max(0, Math.round((to - from) / 1000));
  return explainEnd({
    direction: row.direction,
    from: row.from_number,
    to: row.to_number,
    ringSeconds: seconds(row.initiated_at, answeredAt ?? endedAt),
    talkSeconds: answeredAt === null ? null : seconds(answeredAt, endedAt),
    code,
    name: row.hangup_name ?? '',
    source: (row.hangup_source ?? 'Unknown') as HangupSource,
    reason: row.hangup_reason,
  });
}

function stateOf(row: CallRow): string {
  if (row.answered_at !== null) return 'ANSWER';
  if (row.hangup_code === null) return 'RINGING';
  const end = {
    code: row.hangup_code,
    name: row.hangup_name ?? '',
    source: (row.hangup_source ?? 'Unknown') as HangupSource,
  };
  return statusOfEndedCall(end, false).toUpperCase();
}
