import { createHa1, type DigestCredentials, encodeUtf8, type Hash } from '@jackfield/sip';

/** The credentials for a carrier's challenges, from the operator's file. */
export interface CarrierLogin {
  readonly carrier: string;
  readonly username: string;
  readonly password: string;
  /** The only realm that gets a valid answer; every realm when undefined. */
  readonly realm: string | undefined;
}

/** The credentials of the carrier that a dial target names; undefined where it has none. */
export type CarrierAccounts = (carrier: string) => DigestCredentials | undefined;

/** Passwords stay here: a dial request contains the name of a carrier, never its password. */
export function carrierAccounts(logins: readonly CarrierLogin[], hash: Hash): CarrierAccounts {
  const accounts = new Map<string, DigestCredentials>();
  for (const { carrier, realm, ...login } of logins) {
    const [username, password] = [encodeUtf8(login.username), encodeUtf8(login.password)];
    accounts.set(
      carrier,
      // With HA1 of one realm, a challenge with another realm yields no usable answer.
      realm === undefined
        ? { username, password }
        : { username, ha1: createHa1(hash, username, encodeUtf8(realm), password) },
    );
  }
  return (carrier) => accounts.get(carrier);
}
