import type { AnsweringAccount, LegOffer } from '../../calls/index.ts';
import type { createApplicationOf } from './application-of.ts';

export interface AnsweringAccountDeps {
  readonly applicationOf: ReturnType<typeof createApplicationOf>;
  readonly isActive: (account: string) => Promise<boolean> | boolean;
}

/**
 * Finds the account whose application answers a call: the document runs with the rights, at the cost and under the signatures of its own
 * account, never with those of the caller, of its endpoint or of the number. Undefined where no application answers.
 */
export function createAnsweringAccount({ applicationOf, isActive }: AnsweringAccountDeps) {
  return async (offer: LegOffer): Promise<AnsweringAccount | undefined> => {
    const application = await applicationOf(offer);
    if (application === undefined) return undefined;
    const { account, applicationId } = application;
    const isOpen = account === offer.account || (await isActive(account));
    return { account, application: applicationId, isActive: isOpen };
  };
}
