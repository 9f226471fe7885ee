import type { Registrations } from '@jackfield/ports';
import { splitSipUser } from '../domain/claims.ts';

/** Registrations that also find clients by their SIP user, `<username>_<auth_id>`. */
export function withClientNames(
  registrations: Registrations,
  isWithin: (account: string, owner: string) => Promise<boolean>,
): Registrations {
  return {
    ...registrations,
    async credentialOf(user) {
      const own = await registrations.credentialOf(user);
      const name = own === undefined ? splitSipUser(user) : undefined;
      if (name === undefined) return own;
      const credential = await registrations.credentialOf(name.username);
      if (credential === undefined || !(await isWithin(credential.account, name.account))) return undefined;
      return credential;
    },
  };
}
