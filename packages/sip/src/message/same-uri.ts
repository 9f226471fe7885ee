import type { Param } from './params.ts';
import { type RawUri, splitUri } from './uri.ts';
import { normaliseEscapes } from './uri-escapes.ts';

// RFC 3261 §19.1.4: a parameter in only one of the URIs makes them differ if it is one of these, else it is ignored.
const DISTINGUISHING = new Set(['user', 'ttl', 'method', 'maddr', 'transport']);

/** Whether two URIs are equal by RFC 3261 §19.1.4; other texts are compared without case. */
export function sameUri(one: string, other: string): boolean {
  if (one === other) return true;
  const a = splitUri(one);
  const b = splitUri(other);
  if (a === undefined || b === undefined) return a === b && one.toLowerCase() === other.toLowerCase();
  return (
    a.scheme === b.scheme &&
    sameText(a.user, b.user) &&
    sameText(a.password, b.password) &&
    a.host.toLowerCase() === b.host.toLowerCase() &&
    // "A URI omitting any component with a default value will not match a URI explicitly containing that component."
    a.port === b.port &&
    sameParams(a, b) &&
    sameHeaders(a.headers, b.headers)
  );
}

function sameText(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one === other || normaliseEscapes(one) === normaliseEscapes(other);
}

function sameParams(a: RawUri, b: RawUri): boolean {
  if (a.params.length === 0 && b.params.length === 0) return true;
  const theirs = paramMap(b.params);
  for (const [name, value] of paramMap(a.params)) {
    const other = theirs.get(name);
    if (other === undefined) {
      if (DISTINGUISHING.has(name)) return false;
    } else if (other !== value) return false;
    theirs.delete(name);
  }
  for (const name of theirs.keys()) if (DISTINGUISHING.has(name)) return false;
  return true;
}

function paramMap(params: readonly Param[]): Map<string, string> {
  const map = new Map<string, string>();
  for (const { name, value } of params) {
    map.set(normaliseEscapes(name).toLowerCase(), normaliseEscapes(value ?? '').toLowerCase());
  }
  return map;
}

// "URI header components are never ignored. Any present header component MUST be present in both URIs and match."
function sameHeaders(a: readonly Param[], b: readonly Param[]): boolean {
  if (a.length !== b.length) return false;
  if (a.length === 0) return true;
  const sorted = (headers: readonly Param[]): string =>
    headers
      .map(({ name, value }) => `${normaliseEscapes(name).toLowerCase()}=${normaliseEscapes(value ?? '')}`)
      .sort()
      .join('&');
  return sorted(a) === sorted(b);
}
