import type { Registrations } from '@jackfield/ports';
import type { AccountAuthenticator } from './authenticate.ts';

/** Registrations in which endpoints of accounts that are not active are not found, so that no call reaches them. */
export function ofActiveAccounts(
  registrations: Registrations,
  ifActive: AccountAuthenticator['ifActive'],
): Registrations {
  return {
    ...registrations,
    credentialOf: async (user) => ifActive(await registrations.credentialOf(user)),
  };
}
