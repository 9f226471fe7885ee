import { invalidParameter } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';

export type SipHeaders = Readonly<{ [name: string]: string }>;

/** docs/interface/calls.md#sip-headers: a browser phone reads no longer name. */
const maxNameLength = 24;

/** Reads a request's `sip_headers`, whose shape has been checked. */
export function readSipHeaders(text: string | undefined): Result<SipHeaders> {
  if (text === undefined) return accepted({});
  const read = parseSipHeaders(text);
  return 'headers' in read
    ? accepted(read.headers)
    : refused(invalidParameter('sip_headers', text, read.allowed));
}

/** `name=value,name=value`; a name may already have the prefix that is added on the wire. */
export function parseSipHeaders(
  text: string,
): { readonly headers: SipHeaders } | { readonly allowed: string } {
  const headers = new Map<string, readonly [string, string]>();
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    const name = pair
      .slice(0, at)
      .trim()
      .replace(/^x-ph-/i, '');
    if (name === '' || name.length > maxNameLength) {
      return { allowed: `pairs with names of 1 to ${maxNameLength} characters` };
    }
    if (headers.has(name.toLowerCase())) return { allowed: 'pairs of which each name occurs once' };
    headers.set(name.toLowerCase(), [name, pair.slice(at + 1).trim()]);
  }
  // Built from entries, so that a name such as __proto__ stays a name.
  return { headers: Object.fromEntries(headers.values()) };
}
