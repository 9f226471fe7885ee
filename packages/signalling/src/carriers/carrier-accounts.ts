import { createHa1, type DigestCredentials, encodeUtf8, type Hash } from '@jackfield/sip';

/** What answers a carrier's challenges, as the operator's file has it. */
export interface CarrierLogin {
  readonly carrier: string;
  readonly username: string;
  readonly password: string;
  /** The only realm that is answered rightly; every one when undefined. */
  readonly realm: string | undefined;
}

/** The credentials behind the name that a dial target carries; undefined where there are none. */
export type CarrierAccounts = (carrier: string) => DigestCredentials | undefined;

/** Passwords stay here: whoever dials knows the name of a carrier and nothing more. */
export function carrierAccounts(logins: readonly CarrierLogin[], hash: Hash): CarrierAccounts {
  const accounts = new Map<string, DigestCredentials>();
  for (const { carrier, realm, ...login } of logins) {
    const [username, password] = [encodeUtf8(login.username), encodeUtf8(login.password)];
    accounts.set(
      carrier,
      // With HA1 of one realm, whoever challenges with another one learns nothing that he could use.
      realm === undefined
        ? { username, password }
        : { username, ha1: createHa1(hash, username, encodeUtf8(realm), password) },
    );
  }
  return (carrier) => accounts.get(carrier);
}
