import type { LegListener, Telephony } from '../../ports/telephony.ts';
import { type Calls, callEnds } from '../calls/index.ts';

/** Calls that carriers hand over, for numbers that the operator has with them. */
export interface IncomingCarrierCalls {
  /** The account to which they belong; undefined while the platform starts. */
  account(): string | undefined;
  /** Whether a carrier handed this leg over; known while it lives. */
  isFromCarrier(leg: string): boolean;
  /**
   * Refuses with 404 what nobody has taken. Without this it would become a direct call, and a number that is not ours would go
   * straight out through a carrier again.
   */
  refuseUnserved(calls: Calls): void;
  remember(telephony: Telephony): Telephony;
}

const ownerKind = 'unserved-number';

export function createIncoming(account: () => string | undefined): IncomingCarrierCalls {
  const handedOver = new Set<string>();
  return {
    account,
    isFromCarrier: (leg) => handedOver.has(leg),
    refuseUnserved(calls) {
      // Its end is all that there is to hear, and it is what was asked for.
      calls.ownedBy(ownerKind, () => {});
      calls.offeredTo(async ({ leg }) => {
        if (!handedOver.has(leg)) return undefined;
        calls.hangUp(leg, callEnds(3050, 'Service'));
        return { owner: { kind: ownerKind, id: leg } };
      });
    },
    remember(telephony) {
      const listening =
        (listener: LegListener): LegListener =>
        (notice) => {
          if (notice.type === 'leg-ended') handedOver.delete(notice.leg);
          if (notice.type === 'leg-offered' && notice.carrier !== undefined) handedOver.add(notice.leg);
          listener(notice);
        };
      return { ...telephony, listen: (listener) => telephony.listen(listening(listener)) };
    },
  };
}
