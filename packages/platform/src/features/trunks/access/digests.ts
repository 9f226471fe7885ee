import type { Secrets } from '@jackfield/ports';
import type { CredentialRow } from '../tables.ts';

export interface Ha1 {
  readonly md5: string;
  readonly sha256: string;
}

type CurrentPassword = Pick<
  CredentialRow,
  'username' | 'realm' | 'ha1_md5' | 'ha1_sha256' | 'password_sealed'
>;
type PreviousPassword = Pick<
  CredentialRow,
  | 'previous_username'
  | 'previous_ha1_md5'
  | 'previous_ha1_sha256'
  | 'previous_password_sealed'
  | 'previous_until'
>;

/** RFC 7616 §3.4.2, RFC 8760. */
export function ha1Of(
  secrets: Pick<Secrets, 'digest'>,
  username: string,
  realm: string,
  password: string,
): Ha1 {
  const secret = `${username}:${realm}:${password}`;
  return { md5: secrets.digest('md5', secret), sha256: secrets.digest('sha256', secret) };
}

/** The stored form of a credential: digests, by which every call is checked, and the password, from which they can be made anew. */
export function storedPassword(
  secrets: Pick<Secrets, 'digest' | 'encrypt'>,
  username: string,
  realm: string,
  password: string,
): CurrentPassword {
  const { md5, sha256 } = ha1Of(secrets, username, realm, password);
  return { username, realm, ha1_md5: md5, ha1_sha256: sha256, password_sealed: secrets.encrypt(password) };
}

/** The username and password before a change, accepted until `until`. */
export function previousPassword(before: CurrentPassword, until: number): PreviousPassword {
  return {
    previous_username: before.username,
    previous_ha1_md5: before.ha1_md5,
    previous_ha1_sha256: before.ha1_sha256,
    previous_password_sealed: before.password_sealed,
    previous_until: until,
  };
}

export const noPreviousPassword: PreviousPassword = {
  previous_username: null,
  previous_ha1_md5: null,
  previous_ha1_sha256: null,
  previous_password_sealed: null,
  previous_until: null,
};
