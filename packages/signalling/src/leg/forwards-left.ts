import type { SipRequest } from '@jackfield/sip';

/** RFC 3261 §8.1.1.6 and §16.6: the initial value of an INVITE, and the value of an INVITE without the field. */
export const firstForwards = 70;

/** How many times a request may still be forwarded. */
export function forwardsLeftOf({ headers }: Pick<SipRequest, 'headers'>): number {
  const value = headers.get('Max-Forwards');
  // Parsing has refused values that are not numbers.
  return value === undefined ? firstForwards : Number(value);
}
