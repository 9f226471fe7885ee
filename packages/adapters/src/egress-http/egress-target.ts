import { isIP } from 'node:net';
import { writtenAuthority } from '@jackfield/ports';
import type { AddressGuard } from './address-guard.ts';

/** An address that a name resolves to. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name; rejects when there are none. */
export type Resolve = (name: string) => Promise<readonly ResolvedAddress[]>;

/** The target of a request for `node:http`, with checked addresses. */
export interface EgressTarget {
  readonly secure: boolean;
  /** Without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Path and query. */
  readonly path: string;
  /** The Host header: exactly as in the URL, since receivers rebuild the signed text from it. */
  readonly host: string;
  readonly addresses: readonly ResolvedAddress[];
}

export type TargetOutcome =
  | { readonly ok: true; readonly target: EgressTarget }
  | { readonly ok: false; readonly kind: 'refused' | 'unreachable'; readonly sentence: string };

const refusal = (sentence: string): TargetOutcome => ({ ok: false, kind: 'refused', sentence });

/** Parses the URL, resolves its name once and checks every address of it. */
export async function findTarget(
  text: string,
  guard: AddressGuard,
  resolve: Resolve,
): Promise<TargetOutcome> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return refusal('the URL must begin with http:// or https:// and name a host');
  }
  if (url.username !== '' || url.password !== '') return refusal('the URL must not hold credentials');
  const secure = url.protocol === 'https:';
  // The URL parser has turned decimal, octal and hexadecimal IPv4 addresses into dotted ones.
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(hostname);
  let addresses: readonly ResolvedAddress[];
  try {
    addresses = family === 0 ? await resolve(hostname) : [{ address: hostname, family }];
  } catch {
    return { ok: false, kind: 'unreachable', sentence: `${hostname} cannot be resolved` };
  }
  if (addresses.length === 0) {
    return { ok: false, kind: 'unreachable', sentence: `${hostname} has no address` };
  }
  // One closed address refuses the name: an attacker who mixes addresses relies on a retry to the closed one.
  const closed = addresses.find(({ address }) => !guard(address));
  if (closed !== undefined) {
    const through = family === 0 ? `${hostname} is ${closed.address}, which` : `${hostname}`;
    return refusal(`${through} is not open to requests: no address of the public Internet`);
  }
  return {
    ok: true,
    target: {
      secure,
      hostname,
      port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
      path: `${url.pathname}${url.search}`,
      host: writtenAuthority(text) ?? url.host,
      addresses,
    },
  };
}
