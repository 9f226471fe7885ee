import { type EndpointCredential, type Registrations, whenThere } from '@jackfield/ports';
import { splitSipUser } from '../domain/claims.ts';

/** Registrations that also find clients by their SIP user, `<username>_<auth_id>`. */
export function withClientNames(
  registrations: Registrations,
  isWithin: (account: string, owner: string) => Promise<boolean>,
): Registrations {
  async function ofClient(username: string, account: string): Promise<EndpointCredential | undefined> {
    const credential = await registrations.credentialOf(username);
    if (credential === undefined || !(await isWithin(credential.account, account))) return undefined;
    return credential;
  }

  return {
    ...registrations,
    credentialOf: (user) =>
      whenThere(registrations.credentialOf(user), (own) => {
        const name = own === undefined ? splitSipUser(user) : undefined;
        return name === undefined ? own : ofClient(name.username, name.account);
      }),
  };
}
