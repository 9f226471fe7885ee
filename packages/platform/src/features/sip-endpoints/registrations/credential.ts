import type { Secrets } from '@jackfield/ports';
import type { EndpointRow } from '../tables.ts';

type CredentialColumns = Pick<EndpointRow, 'password_md5_sealed' | 'ha1_md5' | 'ha1_sha256'>;

/**
 * Stored instead of the password: HA1 for the realm per algorithm (RFC 7616 §3.4.2, RFC 8760), and the MD5 that the
 * interface shows, encrypted because it is the same for equal passwords.
 */
export function credentialColumns(
  secrets: Pick<Secrets, 'digest' | 'encrypt'>,
  username: string,
  realm: string,
  password: string,
): CredentialColumns {
  const secret = `${username}:${realm}:${password}`;
  return {
    password_md5_sealed: secrets.encrypt(secrets.digest('md5', password)),
    ha1_md5: secrets.digest('md5', secret),
    ha1_sha256: secrets.digest('sha256', secret),
  };
}
