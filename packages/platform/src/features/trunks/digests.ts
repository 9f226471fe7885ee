import type { Secrets } from '../../ports/secrets.ts';
import type { CredentialRow } from './tables.ts';

type CurrentDigests = Pick<CredentialRow, 'username' | 'ha1_md5' | 'ha1_sha256'>;
type PreviousDigests = Pick<
  CredentialRow,
  'previous_username' | 'previous_ha1_md5' | 'previous_ha1_sha256' | 'previous_until'
>;

/** What is kept instead of the password: HA1 for our realm per algorithm (RFC 7616 §3.4.2, RFC 8760). */
export function digestsOf(
  secrets: Pick<Secrets, 'digest'>,
  username: string,
  realm: string,
  password: string,
): CurrentDigests {
  const secret = `${username}:${realm}:${password}`;
  return {
    username,
    ha1_md5: secrets.digest('md5', secret),
    ha1_sha256: secrets.digest('sha256', secret),
  };
}

/** The password before a change, accepted as well until `until`. */
export function previousDigests(before: CurrentDigests, until: number): PreviousDigests {
  return {
    previous_username: before.username,
    previous_ha1_md5: before.ha1_md5,
    previous_ha1_sha256: before.ha1_sha256,
    previous_until: until,
  };
}

export const noPreviousDigests: PreviousDigests = {
  previous_username: null,
  previous_ha1_md5: null,
  previous_ha1_sha256: null,
  previous_until: null,
};
