import type { LegParties } from '@jackfield/ports';
import { timestampWithMicroseconds, timestampWithOffset } from '../../../kernel/timestamps.ts';
import { amountText, type Usage } from '../../usage/index.ts';
import { billableSecondsOf, type CallLeg, durationOf } from '../domain/call-leg.ts';
import { statusOfEndedCall } from '../domain/call-status.ts';
import { reasonOf } from './hangup-reason.ts';

export type CallParameters = Readonly<Record<string, string>>;

type Described = Pick<
  CallLeg,
  | 'leg'
  | 'mainAccount'
  | 'direction'
  | 'requestUuid'
  | 'parentLeg'
  | 'parentRequestUuid'
  | 'headers'
  | 'rate'
  | 'phase'
  | 'initiatedAt'
>;

/** Parameters of every request about a call (docs/interface/calls.md#request-parameters), without `Event`; `CallStatus` is that of a live call. */
export function parametersOfCall(leg: Described, { from, to, callerName }: LegParties): CallParameters {
  return {
    // First, so that no header of the caller replaces a parameter of the platform.
    ...leg.headers,
    CallUUID: leg.leg,
    RequestUUID: leg.requestUuid,
    From: from,
    To: to,
    CallerName: callerName,
    Direction: leg.direction,
    CallStatus: leg.phase === 'answered' ? 'in-progress' : 'ringing',
    ALegUUID: leg.parentLeg ?? leg.leg,
    ALegRequestUUID: leg.parentRequestUuid,
    ParentAuthID: leg.mainAccount,
    SessionStart: timestampWithMicroseconds(leg.initiatedAt),
    BillRate: amountText(leg.rate.perMinute),
  };
}

/** Parameters of the request about its end. */
export function parametersOfEnd(leg: CallLeg, usage: Usage): CallParameters {
  const { end, endedAt, answeredAt } = leg;
  const ofCall = parametersOfCall(leg, leg.spec);
  if (end === null || endedAt === null) return ofCall;
  const billable = billableSecondsOf(leg);
  const reason = reasonOf(end);
  const parameters: Record<string, string> = {
    ...ofCall,
    CallStatus: statusOfEndedCall(end, answeredAt !== null),
    Duration: String(durationOf(leg)),
    BillDuration: String(billable),
    TotalCost: usage.amountOf(leg.rate, billable).amount,
    HangupCause: end.name,
    HangupCauseName: end.name,
    HangupCauseCode: String(end.code),
    HangupSource: end.source,
    StartTime: timestampWithOffset(leg.initiatedAt),
    EndTime: timestampWithOffset(endedAt),
  };
  if (reason !== null) parameters.HangupReason = reason;
  if (answeredAt !== null) parameters.AnswerTime = timestampWithOffset(answeredAt);
  return parameters;
}
