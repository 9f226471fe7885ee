import type { RefusedTrunkCall } from '@jackfield/ports';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { ReportRarely } from '../../kernel/rare-events.ts';
import type { FailedTarget } from './legs/trunk-routes.ts';

/** `trunk.call-refused`; rare, because a password attack makes thousands of calls. */
export function reportRefusedCalls(report: ReportRarely): (refusal: RefusedTrunkCall) => void {
  return (refusal) => {
    const { access, reason, sourceAddress } = refusal;
    report(
      `${access.trunk} ${reason}`,
      (calls): OutboxEvent => ({
        type: 'trunk.call-refused',
        account: access.account,
        mainAccount: access.mainAccount,
        resource: `trunk/${access.trunk}`,
        payload: {
          trunk_id: access.trunk,
          reason,
          source_address: sourceAddress,
          username: readable(refusal.username),
          from: readable(refusal.from),
          to: readable(refusal.to),
          calls,
        },
      }),
    );
  };
}

/** `trunk.uri-failed`; rare, because a telephone system that is down fails every call. */
export function reportFailedTargets(report: ReportRarely): (leg: string, failure: FailedTarget) => void {
  return (leg, { target, isPrimary, because, sipStatus }) => {
    const { trunk } = target;
    if (trunk === undefined) return;
    const role = isPrimary ? 'primary' : 'fallback';
    report(
      `${trunk.trunk} ${role} ${because} ${sipStatus}`,
      (calls): OutboxEvent => ({
        type: 'trunk.uri-failed',
        account: trunk.account,
        mainAccount: trunk.mainAccount,
        resource: `trunk/${trunk.trunk}`,
        payload: {
          trunk_id: trunk.trunk,
          role,
          uri: target.uri,
          reason: because,
          ...(sipStatus === undefined ? {} : { sip_status: sipStatus }),
          call_uuid: leg,
          calls,
        },
      }),
    );
  };
}

/** Longer texts are no names or numbers. */
const longest = 255;

/** Shortened and without control characters: the caller chose the text, and databases refuse NUL. */
function readable(text: string): string {
  return Array.from(text.replace(/[\p{Cc}\p{Cs}]/gu, ''))
    .slice(0, longest)
    .join('');
}
