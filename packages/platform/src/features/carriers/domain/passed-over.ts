import type { LegEnd } from '@jackfield/ports';
import type { CapReached } from './caps.ts';

/** Why a carrier was not even asked. */
export type PassedOver = CapReached | 'unreachable' | 'caller-id' | 'unrated' | 'broken';

/** How a call ends that no carrier was asked to take, for this reason. */
export function endOfPassedOver(because: PassedOver): LegEnd {
  switch (because) {
    case 'broken':
      return { by: 'media-failed' };
    case 'unreachable':
    case 'unrated':
      return { by: 'not-carried', refusal: 'no-route' };
    default:
      return { by: 'not-carried', refusal: because };
  }
}
