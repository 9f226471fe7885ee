import type { Registrations } from '../../ports/registrations.ts';
import type { LegListener, Telephony } from '../../ports/telephony.ts';
import { splitSipUser } from './domain/claims.ts';

/** Registrations in which clients are found by what they call themselves as well: `<username>_<auth_id>`. */
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

/** Remembers, while a leg lives, which application the token of its caller has named. */
export function rememberApplications(telephony: Telephony): {
  readonly telephony: Telephony;
  readonly applicationOf: (leg: string) => string | undefined;
} {
  const applications = new Map<string, string>();
  const listening =
    (listener: LegListener): LegListener =>
    (notice) => {
      if (notice.type === 'leg-ended') applications.delete(notice.leg);
      if (notice.type === 'leg-offered' && notice.application !== undefined) {
        applications.set(notice.leg, notice.application);
      }
      listener(notice);
    };
  return {
    telephony: { ...telephony, listen: (listener) => telephony.listen(listening(listener)) },
    applicationOf: (leg) => applications.get(leg),
  };
}
