import { legSpec } from '@jackfield/ports';
import type { Usage } from '../../usage/index.ts';
import { billableSecondsOf, type CallLeg, longestTimeLimitSeconds } from '../domain/call-leg.ts';
import type { LegCallbacks } from '../domain/leg-owner.ts';
import { reasonOf } from '../legs/hangup-reason.ts';
import type { CallRow } from '../tables.ts';

/** A whole record; its order is the order of the parameters of an insert. */
export function rowOf(leg: CallLeg, usage: Usage): CallRow {
  return {
    call_uuid: leg.leg,
    account: leg.account,
    main_account: leg.mainAccount,
    direction: leg.direction,
    from_number: leg.spec.from,
    to_number: leg.spec.to,
    caller_name: leg.spec.callerName,
    request_uuid: leg.requestUuid,
    parent_call_uuid: leg.parentLeg,
    parent_request_uuid: leg.parentRequestUuid,
    source_ip: leg.sourceAddress,
    rate_per_minute: leg.rate.perMinute,
    rate_initial_seconds: leg.rate.initialSeconds,
    rate_increment_seconds: leg.rate.incrementSeconds,
    initiated_at: leg.initiatedAt,
    client_quality: null,
    ...changingOf(leg, usage),
  };
}

/** Columns that change until the end of a leg, in the order of the parameters of an update. */
export function changingOf(leg: CallLeg, usage: Usage) {
  const billable = leg.endedAt === null ? 0 : billableSecondsOf(leg);
  const { billedSeconds, units } = usage.amountOf(leg.rate, billable);
  return {
    ...livingOf(leg),
    headers: leg.endedAt === null ? headersOf(leg) : null,
    ended_at: leg.endedAt,
    hangup_code: leg.end?.code ?? null,
    hangup_name: leg.end?.name ?? null,
    hangup_source: leg.end?.source ?? null,
    hangup_reason: leg.end === null ? null : reasonOf(leg.end),
    bill_seconds: billable,
    billed_seconds: billedSeconds,
    total_amount: units,
    quality: leg.quality === null ? null : JSON.stringify(leg.quality),
  };
}

/** Columns that change while a leg is live, in the order of the parameters of an update. */
export function livingOf(leg: CallLeg) {
  return {
    callbacks: leg.callbacks === null ? null : JSON.stringify(leg.callbacks),
    trunk_id: leg.trunk?.trunk ?? null,
    trunk_account: leg.trunk?.account ?? null,
    trunk_main_account: leg.trunk?.mainAccount ?? null,
    phase: leg.phase,
    answered_at: leg.answeredAt,
    time_limit_seconds: leg.spec.timeLimitSeconds,
    dialog: leg.endedAt === null ? leg.dialog : null,
  };
}

function headersOf({ headers }: CallLeg): string | null {
  return Object.keys(headers).length === 0 ? null : JSON.stringify(headers);
}

/** The leg of a record, as far as its end needs it. */
export function legOf(row: CallRow): CallLeg {
  return {
    ...emptyLeg,
    leg: row.call_uuid,
    account: row.account,
    mainAccount: row.main_account,
    direction: row.direction,
    spec: legSpec({
      from: row.from_number,
      to: row.to_number,
      callerName: row.caller_name,
      // Records without a limit are older than that column.
      timeLimitSeconds: row.time_limit_seconds ?? longestTimeLimitSeconds,
    }),
    requestUuid: row.request_uuid,
    parentLeg: row.parent_call_uuid,
    parentRequestUuid: row.parent_request_uuid,
    headers: row.headers === null ? {} : (JSON.parse(row.headers) as CallLeg['headers']),
    sourceAddress: row.source_ip,
    trunk: trunkOf(row),
    callbacks: row.callbacks === null ? null : (JSON.parse(row.callbacks) as LegCallbacks),
    rate: {
      perMinute: row.rate_per_minute,
      initialSeconds: row.rate_initial_seconds,
      incrementSeconds: row.rate_increment_seconds,
    },
    phase: row.phase as CallLeg['phase'],
    initiatedAt: row.initiated_at,
    answeredAt: row.answered_at,
    dialog: row.dialog,
  };
}

function trunkOf({ trunk_id, trunk_account, trunk_main_account }: CallRow): CallLeg['trunk'] {
  if (trunk_id === null || trunk_account === null || trunk_main_account === null) return null;
  return { trunk: trunk_id, account: trunk_account, mainAccount: trunk_main_account };
}

export const emptyLeg: CallLeg = {
  leg: '',
  account: '',
  mainAccount: '',
  isRequested: false,
  direction: 'inbound',
  owner: null,
  borrower: null,
  missed: null,
  spec: legSpec({ from: '', to: '', callerName: '' }),
  requestUuid: '',
  parentLeg: null,
  parentRequestUuid: '',
  headers: {},
  sourceAddress: null,
  trunk: null,
  callbacks: null,
  dialog: null,
  areDigitsSent: false,
  rate: { perMinute: 0, initialSeconds: 60, incrementSeconds: 60 },
  phase: 'offered',
  initiatedAt: 0,
  answeredAt: null,
  endedAt: null,
  end: null,
  requestedEnd: null,
  quality: null,
  pressedKeys: [],
};
