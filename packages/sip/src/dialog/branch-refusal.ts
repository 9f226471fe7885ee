import type { SipRequest, SipResponse } from '../message/message.ts';
import type { HeaderPairs } from './answers.ts';
import type { EndReason } from './session-state.ts';
import { firstTermsHeaders, LONGEST_INTERVAL_S, minSeOf, type SessionInterval } from './session-timer.ts';

/** Several proxies on the way may each want a longer session interval (RFC 4028 §7.3); more than this many are a loop. */
const MAX_RAISES = 4;

/** Headers with which an INVITE may be taken that got a 422: the interval that its Min-SE names (RFC 4028 §7.3). */
export function correctionOf(
  { request, raised }: { readonly request: SipRequest; readonly raised: number },
  response: SipResponse,
  wish: SessionInterval,
): HeaderPairs | undefined {
  if (response.status !== 422 || raised >= MAX_RAISES) return undefined;
  const minS = minSeOf(response);
  return minS > minSeOf(request) && minS < LONGEST_INTERVAL_S ? firstTermsHeaders(wish, minS) : undefined;
}

/** How much a refusal says of the callee: 6xx first, then the lowest class; what says least comes last (RFC 3261 §16.7, step 6). */
export function rank(reason: EndReason): number {
  if (reason.by === 'transport-failed') return 9;
  if (reason.by === 'no-response') return 8;
  if (reason.by !== 'rejected') return 0;
  if (reason.status >= 600) return 0;
  // 482 is a copy of our own INVITE at the same phone (§8.2.2.2).
  if (reason.status === 482) return 7;
  return reason.status === 408 ? 6 : Math.floor(reason.status / 100);
}
