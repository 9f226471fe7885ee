import { createHash, timingSafeEqual } from 'node:crypto';
import type { SmsReceipt } from '@jackfield/ports';
import { parseJson } from './parse-json.ts';

/** How a gateway reports deliveries. Fields are read from the query and from the body, form or JSON, of one level. */
export interface ReceiptRules {
  readonly messageField: string;
  readonly statusField: string;
  readonly errorField?: string;
  /** Words of the gateway, in lower case; a status that is not listed is not final. */
  readonly statuses: Readonly<Record<string, SmsReceipt['status']>>;
  /**
   * A report must have this value in this field; without a secret every report is accepted, for a webhook that only the gateway can reach.
   */
  readonly secret?: { readonly field: string; readonly value: string };
}

export interface ReceiptRequest {
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly contentType: string;
}

/** A final receipt, undefined for a state that is not final, or the status that refuses an invalid or untrusted report. */
export function readReceiptRequest(
  rules: ReceiptRules,
  { query, body, contentType }: ReceiptRequest,
): SmsReceipt | undefined | 400 | 403 {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) fields.set(name, value);
  const inBody = contentType.includes('json') ? jsonFields(body) : [...new URLSearchParams(body)];
  if (inBody === undefined) return 400;
  for (const [name, value] of inBody) fields.set(name, value);
  if (rules.secret !== undefined && !isSame(fields.get(rules.secret.field) ?? '', rules.secret.value))
    return 403;
  const message = fields.get(rules.messageField);
  const word = fields.get(rules.statusField)?.toLowerCase();
  if (message === undefined || word === undefined) return 400;
  if (!Object.hasOwn(rules.statuses, word)) return undefined;
  const status = rules.statuses[word]!;
  const error = rules.errorField === undefined ? undefined : fields.get(rules.errorField);
  return { message, status, errorCode: status === 'delivered' ? null : (error ?? word).slice(0, 64) };
}

function jsonFields(body: string): readonly (readonly [string, string])[] | undefined {
  try {
    const parsed = parseJson(body);
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    return Object.entries(parsed).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
    );
  } catch {
    return undefined;
  }
}

/** Compares in a time that depends on neither text. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
