import type { SipRequest, SipResponse } from '../message/message.ts';
import type { HeaderPairs } from './answers.ts';
import type { EndReason } from './session-state.ts';
import { firstTermsHeaders, LONGEST_INTERVAL_S, minSeOf, type SessionInterval } from './session-timer.ts';

/** Each proxy on the path may require a longer session interval (RFC 4028 §7.3); more raises than this are a loop. */
const MAX_RAISES = 4;

/** Headers for the retry of an INVITE that got a 422: the interval of its Min-SE (RFC 4028 §7.3). */
export function correctionOf(
  { request, raised }: { readonly request: SipRequest; readonly raised: number },
  response: SipResponse,
  preferred: SessionInterval,
): HeaderPairs | undefined {
  if (response.status !== 422 || raised >= MAX_RAISES) return undefined;
  const minS = minSeOf(response);
  return minS > minSeOf(request) && minS < LONGEST_INTERVAL_S
    ? firstTermsHeaders(preferred, minS)
    : undefined;
}

/** Orders refusals by their information about the callee: 6xx first, then the lowest class (RFC 3261 §16.7, step 6). */
export function rank(reason: EndReason): number {
  if (reason.by === 'transport-failed') return 9;
  if (reason.by === 'no-response') return 8;
  if (reason.by !== 'rejected') return 0;
  if (reason.status >= 600) return 0;
  // A phone answers 482 to a second copy of our own INVITE (§8.2.2.2).
  if (reason.status === 482) return 7;
  return reason.status === 408 ? 6 : Math.floor(reason.status / 100);
}
