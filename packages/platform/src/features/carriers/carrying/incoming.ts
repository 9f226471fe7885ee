import { callEnds } from '@jackfield/ports';
import type { Calls } from '../../calls/index.ts';

/** Calls that carriers hand over, for numbers that the operator has with them. */
export interface IncomingCarrierCalls {
  /** The account of calls to a number without an owner; undefined while the platform starts. */
  account(): string | undefined;
  /**
   * Refuses with 404 calls that no feature has accepted, unless `leadsOn` says that the number leads to a trunk. Otherwise such a call
   * would become a direct call, and a number that is not ours would go out through a carrier again.
   */
  refuseUnserved(calls: Calls, leadsOn: (number: string) => Promise<boolean>): void;
}

const ownerKind = 'unserved-number';

export function createIncoming(account: () => string | undefined): IncomingCarrierCalls {
  return {
    account,
    refuseUnserved(calls, leadsOn) {
      // The only notice is the end that was ordered here.
      calls.ownedBy(ownerKind, () => {});
      calls.offeredTo(async ({ leg, carrier, to }) => {
        if (carrier === undefined || (await leadsOn(to))) return undefined;
        calls.hangUp(leg, callEnds(3050, 'Service'));
        return { owner: { kind: ownerKind, id: leg } };
      });
    },
  };
}
