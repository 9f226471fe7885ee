import type { Media } from '@jackfield/ports';
import { problem } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import { type LiveLeg, liveCallOf } from '../../calls/index.ts';
import type { Recordings } from '../../recordings/index.ts';
import type { LegSessions, SessionDeps } from '../sessions.ts';

export interface CommandDeps {
  readonly sessions: LegSessions;
  readonly calls: SessionDeps['calls'];
  readonly recordings: Recordings;
  readonly media: Pick<Media, 'send'>;
  readonly newUuid: () => string;
}

/** The account of the request's path: sees its own calls, and a main account those of its subaccounts. */
export interface Viewer {
  readonly authId: string;
}

export type Legs = 'aleg' | 'bleg' | 'both';

/** The answered legs that a request names in `parameter`; `both` means the legs that exist. */
export function requestedLegs(
  { calls }: Pick<CommandDeps, 'calls'>,
  viewer: Viewer,
  callUuid: string,
  legs: Legs,
  parameter: string,
): Result<readonly LiveLeg[]> {
  const call = liveCallOf(calls, viewer, callUuid);
  if (!call.ok) return call;
  const other = calls.partnerOf(call.value.leg);
  const partner = other === undefined ? undefined : calls.peek(other);
  if (legs === 'bleg' && partner === undefined) {
    const sentence = `${parameter} must be aleg: call ${call.value.leg} has no other leg at this moment`;
    return refused({ ...problem('invalid-parameter', sentence), parameter });
  }
  const all = [...(legs === 'bleg' ? [] : [call.value]), ...(legs === 'aleg' || !partner ? [] : [partner])];
  // With both, a leg that still rings is skipped while the other leg is answered.
  const answered = all.filter(({ phase }) => phase === 'answered');
  const silent = all[0];
  return answered.length === 0 && silent !== undefined ? refused(notAnswered(silent)) : accepted(answered);
}

function notAnswered({ leg }: LiveLeg) {
  return problem('conflict', `call ${leg} has not been answered yet`);
}
