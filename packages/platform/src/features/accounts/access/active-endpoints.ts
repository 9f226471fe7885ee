import type { Registrations } from '@jackfield/ports';
import type { AccountAuthenticator } from './authenticate.ts';

/** Registrations without endpoints of inactive accounts, so that no call reaches them. */
export function ofActiveAccounts(
  registrations: Registrations,
  ifActive: AccountAuthenticator['ifActive'],
): Registrations {
  return {
    ...registrations,
    credentialOf: async (user) => ifActive(await registrations.credentialOf(user)),
  };
}
