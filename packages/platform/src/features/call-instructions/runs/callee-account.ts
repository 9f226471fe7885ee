import type { CalleeAccount, LegOffer } from '../../calls/index.ts';
import type { ApplicationOfDeps } from './application-of.ts';

export interface CalleeAccountDeps extends ApplicationOfDeps {
  readonly isActive: (account: string) => Promise<boolean> | boolean;
}

/**
 * Finds the account of a call to an application or a number that another account holds, where its application answers: the document runs
 * with the rights, at the cost and under the signatures of its own account, never with those of its caller. Undefined where the call
 * belongs to its caller.
 */
export function createCalleeAccount({ answering, attachedTo, numbers, isActive }: CalleeAccountDeps) {
  async function holderOf({ to, mainAccount, endpoint, application }: LegOffer): Promise<string | undefined> {
    if (answering.isDialled(to)) return answering.accountOf(to, mainAccount);
    if (application !== undefined) return undefined;
    const held = await numbers.heldOf(to);
    if (!held?.application) return undefined;
    return (await attachedTo(endpoint)) === null ? held.account : undefined;
  }

  return async (offer: LegOffer): Promise<CalleeAccount | undefined> => {
    const account = await holderOf(offer);
    if (account === undefined || account === offer.account) return undefined;
    return { account, isActive: await isActive(account) };
  };
}
