import type { Registrations } from '../../ports/registrations.ts';

/** Registrations in which endpoints of accounts that are not active are not found, so that nobody calls them. */
export function ofActiveAccounts(
  registrations: Registrations,
  isActive: (account: string) => Promise<boolean>,
): Registrations {
  return {
    ...registrations,
    async credentialOf(user) {
      const credential = await registrations.credentialOf(user);
      return credential !== undefined && (await isActive(credential.account)) ? credential : undefined;
    },
  };
}
