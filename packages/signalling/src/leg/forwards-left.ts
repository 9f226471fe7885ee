import type { SipRequest } from '@jackfield/sip';

/** RFC 3261 §8.1.1.6 and §16.6: what an INVITE starts with, and what one without the field counts as. */
export const firstForwards = 70;

/** How often a request may still be forwarded. */
export function forwardsLeftOf({ headers }: Pick<SipRequest, 'headers'>): number {
  const value = headers.get('Max-Forwards');
  // One that is no number was refused before it came here.
  return value === undefined ? firstForwards : Number(value);
}
