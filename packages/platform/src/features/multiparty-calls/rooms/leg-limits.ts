import { defaultLegLimits } from '@jackfield/ports';
import type { AdditionDeps } from './placement.ts';

/** A call that came in would end after four hours, before a multiparty call that may last longer. */
export function outlast({ calls, sessions }: AdditionDeps, mpcUuid: string, leg: string): void {
  const call = sessions.peek(mpcUuid);
  if (call === undefined || call.maxDurationSeconds <= defaultLegLimits.timeLimitSeconds) return;
  const seconds = Math.floor((sessions.nowOf(mpcUuid) - call.createdAt) / 1000);
  // A second more: a leg that the end of the multiparty call returns goes on with its document.
  calls.extend(leg, call.maxDurationSeconds - seconds + 1);
}
