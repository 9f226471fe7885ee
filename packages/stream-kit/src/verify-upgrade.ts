import { createHmac, timingSafeEqual } from 'node:crypto';
import { stringToSignV3 } from '@jackfield/contract';

/** Headers of the upgrade request, in Node's format: names in lower case. */
export type UpgradeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Whether the platform made this upgrade request: one of its signatures (V3, a list) matches ours. `url` is the service
 * URL of the stream; `prefix` is that of the signature headers.
 */
export function verifyUpgrade(
  url: string,
  headers: UpgradeHeaders,
  authToken: string,
  prefix = 'X-Service-',
): boolean {
  return judgeUpgrade(url, headers, authToken, prefix).isSigned;
}

/** The result of checking an upgrade request, with the reason. */
export type UpgradeJudgement =
  | { readonly isSigned: true }
  | {
      readonly isSigned: false;
      /** A sentence: which header is missing, or which text no signature matches. It contains no secret. */
      readonly reason: string;
      /** The missing header. */
      readonly missingHeader?: string;
      /** The text whose HMAC-SHA256 was compared; absent when there was no signature to compare. */
      readonly signedText?: string;
    };

/** Like `verifyUpgrade`, with the reason of a refusal. */
export function judgeUpgrade(
  url: string,
  headers: UpgradeHeaders,
  authToken: string,
  prefix = 'X-Service-',
): UpgradeJudgement {
  const header = (name: string) => String(headers[`${prefix}${name}`.toLowerCase()] ?? '');
  const missing = ['Signature-V3', 'Signature-V3-Nonce'].find((name) => header(name) === '');
  if (missing !== undefined) {
    const missingHeader = `${prefix}${missing}`;
    return { isSigned: false, reason: `the header ${missingHeader} is missing`, missingHeader };
  }
  const signedText = stringToSignV3('GET', url, header('Signature-V3-Nonce'));
  const own = createHmac('sha256', authToken).update(signedText).digest();
  const isSigned = header('Signature-V3')
    .split(',')
    .map((each) => Buffer.from(each, 'base64'))
    .some((each) => each.length === own.length && timingSafeEqual(each, own));
  if (isSigned) return { isSigned };
  const reason = `no signature in ${prefix}Signature-V3 is of ${JSON.stringify(signedText)} under this token: compare the URL with service_url, and the token with that of the account`;
  return { isSigned, reason, signedText };
}
