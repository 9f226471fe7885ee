import { type TUnsafe, Type } from 'typebox';
import type { Described } from './loose.ts';

// Neither control characters (NUL among them) nor halves of surrogate pairs: the rest is text that every database stores.
const plainCharacters = '[^\\p{Cc}\\p{Cs}]';

// Shorter numbers are codes of one network: no call is routed to them.
const e164Pattern = '^\\+?[1-9][0-9]{6,14}$';
// RFC 3261 §25.1 user = 1*( unreserved / escaped / user-unreserved )
const userCharacters = "(?:[A-Za-z0-9\\-_.!~*'()&=+$,;?/]|%[0-9A-Fa-f]{2})";
const sipUserPattern = `^${userCharacters}{1,128}$`;
const sipUriPattern = `^[sS][iI][pP][sS]?:${userCharacters}{1,128}@(?:[A-Za-z0-9.-]{1,255}|\\[[0-9A-Fa-f:.]{2,45}\\])(?::[0-9]{1,5})?(?:;[A-Za-z0-9\\-_.!~*'()%=;:+$&/\\[\\]]{0,512})?$`;

interface TextOptions extends Described {
  readonly minLength?: number;
  readonly maxLength: number;
  /** An ECMAScript regular expression (flag u) on top of the rules of every text. */
  readonly pattern?: string;
  /** Ends the sentence `<parameter> must be …`; made from the lengths when left out. */
  readonly allowed?: string;
  /** Accepted and never shown, not even in a refusal. */
  readonly writeOnly?: boolean;
  readonly examples?: readonly string[];
}

/** Text of a bounded length (in characters, not bytes) without control characters and broken surrogates. */
export function text(options: TextOptions): TUnsafe<string> {
  const { allowed, pattern, examples, ...schema } = options;
  const minLength = options.minLength ?? 1;
  return Type.Unsafe<string>({
    type: 'string',
    minLength,
    pattern: pattern ?? `^${plainCharacters}*$`,
    'x-allowed':
      allowed ?? `a text of ${minLength} to ${options.maxLength} characters without control characters`,
    ...(examples === undefined ? {} : { examples: [...examples] }),
    ...schema,
  });
}

/** Identifier of an account (MA…) or a subaccount (SA…): 20 characters, because one public SDK refuses others. */
export const authIdPattern = '^(MA|SA)[A-Z0-9]{18}$';

export function authId(options: Described): TUnsafe<string> {
  return text({
    maxLength: 20,
    pattern: authIdPattern,
    allowed: 'an account identifier: MA or SA and 18 capital letters or digits',
    ...options,
  });
}

export function uuid(options: Described): TUnsafe<string> {
  return text({
    maxLength: 36,
    pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
    allowed: 'a UUID',
    ...options,
  });
}

/** An identifier in a path: of any form, because an unknown one is answered with 404 whatever it looks like. */
export function pathId(options: Described & { readonly pattern?: string }): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', ...options });
}

/** An absolute URL with http or https, as a part of a pattern. */
export const httpUrlPattern = '[hH][tT][tT][pP][sS]?://[^\\s\\p{Cc}\\p{Cs}/?#]+[^\\s\\p{Cc}\\p{Cs}]*';

/** Absolute URL with http or https; the egress guard looks at it again when it is fetched. */
export function httpUrl(options: Described): TUnsafe<string> {
  return text({
    maxLength: 2048,
    pattern: `^${httpUrlPattern}$`,
    allowed: 'a URL that starts with http:// or https://, of at most 2048 characters',
    ...options,
  });
}

/** Absolute URL with ws or wss. */
export function webSocketUrl(options: Described): TUnsafe<string> {
  return text({
    maxLength: 2048,
    pattern: `^[wW][sS][sS]?://[^\\s\\p{Cc}\\p{Cs}/?#]+[^\\s\\p{Cc}\\p{Cs}]*$`,
    allowed: 'a URL that starts with wss:// or ws://, of at most 2048 characters',
    ...options,
  });
}

/** Phone number of 7 to 15 digits; the leading + may be left out. */
export function e164(options: Described): TUnsafe<string> {
  return text({
    maxLength: 16,
    pattern: e164Pattern,
    allowed: 'a phone number in E.164 format with 7 to 15 digits, such as +12025550100',
    ...options,
  });
}

export function sipUri(options: Described): TUnsafe<string> {
  return text({
    maxLength: 1024,
    pattern: sipUriPattern,
    allowed: 'a SIP URI, such as sip:alice@example.com',
    ...options,
  });
}

const e164Expression = new RegExp(e164Pattern);
const sipUserExpression = new RegExp(sipUserPattern);
const sipUriExpression = new RegExp(sipUriPattern);

/** The same rules for one value out of a list that a schema cannot look into. */
export const isE164 = (value: string): boolean => e164Expression.test(value);
export const isSipUser = (value: string): boolean => sipUserExpression.test(value);
export const isSipUri = (value: string): boolean => value.length <= 1024 && sipUriExpression.test(value);
