import { addressOfHost } from '../message/host.ts';
import { paramOf } from '../message/params.ts';
import type { SipUri } from '../message/uri.ts';
import type { NaptrRecord } from './dns-records.ts';

/** What a user agent can open by itself; WebSocket is opened by clients alone. */
export type LocatableProtocol = 'udp' | 'tcp' | 'tls';

/** What a URI says before DNS is asked (RFC 3263 §4.1 and §4.2). */
export interface Destination {
  /** Name or address without brackets: `maddr` where it stands, else the host. */
  readonly target: string;
  readonly isAddress: boolean;
  /** The host of the URI, which a certificate must name (RFC 5922 §7.3). */
  readonly identity: string;
  readonly isSecure: boolean;
  /** The transport that the URI names, or the only one that is left; undefined where DNS decides. */
  readonly protocol: LocatableProtocol | undefined;
  readonly port: number | undefined;
}

/** Reads a URI as a destination; undefined where it leads nowhere that could be opened. A sips URI leads to TLS alone. */
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

/** §4.1: without a word of the URI or of DNS, UDP, and TLS for a sips URI. */
export function defaultProtocol(isSecure: boolean): LocatableProtocol {
  return isSecure ? 'tls' : 'udp';
}

/** RFC 3261 §19.1.2. */
export function defaultPort(protocol: LocatableProtocol): number {
  return protocol === 'tls' ? 5061 : 5060;
}

/** The name under which SRV records of a transport stand (§4.1). */
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
 * The transports that NAPTR records lead to, each with its SRV name, best first (§4.1): by order and preference, without what we do not support, and for
 * a sips URI without what is not secure.
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

/** A root label alone, or nothing, is no name. */
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

/** The grammar of hosts has let names, dotted quads and IPv6 references through, and nothing else (RFC 3261 §25.1). */
function isAddress(host: string): boolean {
  return host.includes(':') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host);
}
