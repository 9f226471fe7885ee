import type { LegEnd } from '@jackfield/ports';
import type { CapReached } from './caps.ts';

/** Why a carrier was not called. */
export type PassedOver = CapReached | 'unreachable' | 'caller-id' | 'unrated' | 'broken';

/** The end of a call whose carriers were not called, for this reason. */
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
