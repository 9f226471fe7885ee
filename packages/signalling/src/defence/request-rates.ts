import { sourceOf } from '@jackfield/ports';
import type { Flow, SipRequest } from '@jackfield/sip';
import type { DefenceParts } from './defence-parts.ts';
import { listedSource } from './known-flows.ts';
import { SourceRate } from './source-rate.ts';

/** Rates of new requests: a low one for each unproven source, a high one for each known flow and proven source. */
export function createRequestRates({
  clock,
  limits,
  known,
  isProven,
}: Pick<DefenceParts, 'clock' | 'limits' | 'known' | 'isProven'>): {
  /** False for a request beyond the rate of its source; `isDirect` when no proxy has passed it on. */
  take(request: SipRequest, flow: Flow, isDirect: boolean): boolean;
} {
  const { maxRemembered: maxKeys, requestsPerSecond, requestBurst, provenPerSecond } = limits;
  const strangers = new SourceRate({ perSecond: requestsPerSecond, burst: requestBurst, maxKeys });
  const proven = new SourceRate({ perSecond: provenPerSecond, burst: 4 * provenPerSecond, maxKeys });

  return {
    take(request, flow, isDirect) {
      const now = clock.now();
      const source = sourceOf(flow.remoteAddress);
      // A known flow costs no hash. If its rate is used up, because its address and port were forged, a nonce still counts.
      if (known.has(flow.id, now) && proven.take(flow.id, now)) return true;
      if (known.has(listedSource(source), now) || isProven(request, flow.remoteAddress, limits.proofMs)) {
        return proven.take(source, now);
      }
      // The address of a connection cannot be forged, and each source has a limited number of connections to us (not to a proxy).
      return strangers.take(flow.reliable && isDirect ? flow.id : source, now);
    },
  };
}
