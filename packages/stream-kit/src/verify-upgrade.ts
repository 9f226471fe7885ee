import { createHmac, timingSafeEqual } from 'node:crypto';
import { stringToSignV3 } from '@jackfield/contract';

/** Headers of the upgrade request, as Node gives them: names in lower case. */
export type UpgradeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Whether the platform made this upgrade request: one of its signatures (V3, a list) is ours. `url` is the service URL as it was
 * ordered; `prefix` that of the signature headers.
 */
export function verifyUpgrade(
  url: string,
  headers: UpgradeHeaders,
  authToken: string,
  prefix = 'X-Service-',
): boolean {
  const header = (name: string) => String(headers[`${prefix}${name}`.toLowerCase()] ?? '');
  const nonce = header('Signature-V3-Nonce');
  if (nonce === '') return false;
  const own = createHmac('sha256', authToken)
    .update(stringToSignV3('GET', url, nonce))
    .digest();
  return header('Signature-V3')
    .split(',')
    .map((each) => Buffer.from(each, 'base64'))
    .some((each) => each.length === own.length && timingSafeEqual(each, own));
}
