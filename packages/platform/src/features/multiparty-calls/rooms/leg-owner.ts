import { type CallEnd, callEnds } from '@jackfield/ports';
import type { LetGoCause } from '../domain/multiparty-call.ts';

/** Multiparty calls own legs, plays, streams and recordings under this kind; the owner's id is the call's UUID. */
export const ownerKind = 'multiparty-call';

export function ownerOf(uuid: string) {
  return { kind: ownerKind, id: uuid };
}

/** The cause that the leg's own record keeps (docs/interface/multiparty-calls.md#adding-participants, docs/interface/multiparty-calls.md#endings). */
export function endOf(because: LetGoCause): CallEnd {
  switch (because) {
    case 'kicked':
      return callEnds(4030, 'API Request');
    case 'end-requested':
      return callEnds(4020, 'API Request');
    case 'request-cancelled':
      return callEnds(1000, 'API Request');
    case 'call-ended':
    case 'alone':
      return callEnds(4020, 'Service');
    case 'lost-race':
      return callEnds(9000, 'Service');
    case 'not-confirmed':
      return callEnds(9110, 'Service');
  }
}
