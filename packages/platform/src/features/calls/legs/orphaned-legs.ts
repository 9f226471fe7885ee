import type { CallEnd, Instant, Write } from '@jackfield/ports';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import type { CallLeg } from '../domain/call-leg.ts';
import type { CallbackUrl } from '../domain/leg-owner.ts';
import { type CallParameters, parametersOfCall } from './parameters.ts';

/** A leg of a Dial that ended with its process. */
export interface OrphanedLeg {
  readonly leg: string;
  readonly account: string;
  readonly mainAccount: string;
  readonly from: string;
  readonly to: string;
  readonly answeredAt: Instant | null;
  readonly endedAt: Instant;
  readonly end: CallEnd;
  /** The call for which it was dialled, and the parameters of requests about that call. */
  readonly caller: string;
  readonly parameters: CallParameters;
  /** Of the Dial. */
  readonly callback: CallbackUrl;
}

/** The event that the Dial owes; undefined where it was written before. */
export type ReportOrphan = (write: Write, orphan: OrphanedLeg) => Promise<OutboxEvent | undefined>;

/** Undefined for a leg that no Dial with a callback has dialled. `caller` is the leg that dialled it, where its record is kept. */
export function orphanOf(leg: CallLeg, caller: CallLeg | undefined): OrphanedLeg | undefined {
  const { parentLeg, endedAt, end, callbacks } = leg;
  if (callbacks?.dial === undefined || parentLeg === null || endedAt === null || end === null)
    return undefined;
  const parameters = caller === undefined ? { CallUUID: parentLeg } : parametersOfCall(caller, caller.spec);
  return {
    leg: leg.leg,
    account: leg.account,
    mainAccount: leg.mainAccount,
    from: leg.spec.from,
    to: leg.spec.to,
    answeredAt: leg.answeredAt,
    endedAt,
    end,
    caller: parentLeg,
    parameters: { ...parameters, CallStatus: 'completed' },
    callback: callbacks.dial,
  };
}
