import { addressOfHost } from '../message/host.ts';
import { paramOf } from '../message/params.ts';
import type { SipUri } from '../message/uri.ts';
import type { NaptrRecord } from './dns-records.ts';

/** Transports that a user agent can open; only clients open a WebSocket. */
export type LocatableProtocol = 'udp' | 'tcp' | 'tls';

/** The destination in a URI, before DNS (RFC 3263 §4.1 and §4.2). */
export interface Destination {
  /** Name or address without brackets: `maddr` if present, else the host. */
  readonly target: string;
  readonly isAddress: boolean;
  /** The host of the URI, which a certificate must name (RFC 5922 §7.3). */
  readonly identity: string;
  readonly isSecure: boolean;
  /** The transport of the URI, or the only possible one; undefined if DNS decides. */
  readonly protocol: LocatableProtocol | undefined;
  readonly port: number | undefined;
}

/** The destination of a URI; undefined if we cannot open its transport. A sips URI allows TLS only. */
export function destinationOf(uri: SipUri): Destination | undefined {
  const isSecure = uri.scheme === 'sips';
  const named = paramOf(uri.params, 'transport')?.toLowerCase();
  const protocol = protocolOf(named, isSecure);
  if (protocol === 'none') return undefined;
  const target = addressOfHost(paramOf(uri.params, 'maddr') || uri.host);
  return {
    target,
    isAddress: isAddress(target),
    identity: addressOfHost(uri.host),
    isSecure,
    protocol,
    port: uri.port,
  };
}

/** §4.1: UDP, or TLS for a sips URI, when neither the URI nor DNS names a transport. */
export function defaultProtocol(isSecure: boolean): LocatableProtocol {
  return isSecure ? 'tls' : 'udp';
}

/** RFC 3261 §19.1.2. */
export function defaultPort(protocol: LocatableProtocol): number {
  return protocol === 'tls' ? 5061 : 5060;
}

/** The name of the SRV records of a transport (§4.1). */
export function srvName(protocol: LocatableProtocol, domain: string): string {
  switch (protocol) {
    case 'udp':
      return `_sip._udp.${domain}`;
    case 'tcp':
      return `_sip._tcp.${domain}`;
    case 'tls':
      return `_sips._tcp.${domain}`;
  }
}

/**
 * The transports of NAPTR records, each with its SRV name, best first (§4.1): by order and preference, without unsupported ones
 * and, for a sips URI, without insecure ones.
 */
export function selectTransports(
  records: readonly NaptrRecord[],
  supported: readonly LocatableProtocol[],
  isSecure: boolean,
): readonly { readonly protocol: LocatableProtocol; readonly name: string }[] {
  return [...records]
    .sort((a, b) => a.order - b.order || a.preference - b.preference)
    .flatMap(({ flags, service, regexp, replacement }) => {
      const protocol = protocolOfNaptr[service.toUpperCase()];
      const isUsable = flags.toLowerCase() === 's' && regexp === '' && isName(replacement);
      if (!isUsable || protocol === undefined || !supported.includes(protocol)) return [];
      return isSecure && protocol !== 'tls' ? [] : [{ protocol, name: replacement }];
    });
}

const protocolOfNaptr: Readonly<Record<string, LocatableProtocol>> = {
  'SIP+D2U': 'udp',
  'SIP+D2T': 'tcp',
  'SIPS+D2T': 'tls',
};

/** False for an empty name and for the root label alone. */
export function isName(name: string): boolean {
  return name !== '' && name !== '.';
}

function protocolOf(named: string | undefined, isSecure: boolean): LocatableProtocol | undefined | 'none' {
  switch (named) {
    case undefined:
      return isSecure ? 'tls' : undefined;
    case 'udp':
      return isSecure ? 'none' : 'udp';
    case 'tcp':
      return isSecure ? 'tls' : 'tcp';
    case 'tls':
      return 'tls';
    default:
      return 'none';
  }
}

/** The grammar of hosts allows only names, dotted quads and IPv6 references (RFC 3261 §25.1). */
function isAddress(host: string): boolean {
  return host.includes(':') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host);
}
