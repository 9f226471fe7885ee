import { type Calls, callEnds } from '../../calls/index.ts';

/** Calls that carriers hand over, for numbers that the operator has with them. */
export interface IncomingCarrierCalls {
  /** The account to which they belong where nobody else has the number; undefined while the platform starts. */
  account(): string | undefined;
  /**
   * Refuses with 404 what nobody has taken, unless `leadsOn` says that the number is that of somebody else's telephone system. Without
   * this it would become a direct call, and a number that is not ours would go straight out through a carrier again.
   */
  refuseUnserved(calls: Calls, leadsOn: (number: string) => Promise<boolean>): void;
}

const ownerKind = 'unserved-number';

export function createIncoming(account: () => string | undefined): IncomingCarrierCalls {
  return {
    account,
    refuseUnserved(calls, leadsOn) {
      // Its end is all that there is to hear, and it is what was asked for.
      calls.ownedBy(ownerKind, () => {});
      calls.offeredTo(async ({ leg, carrier, to }) => {
        if (carrier === undefined || (await leadsOn(to))) return undefined;
        calls.hangUp(leg, callEnds(3050, 'Service'));
        return { owner: { kind: ownerKind, id: leg } };
      });
    },
  };
}
