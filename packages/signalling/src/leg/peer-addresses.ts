import { isIP } from 'node:net';
import {
  addressOfHost,
  paramOf,
  parseNameAddr,
  parseSipUri,
  parseVia,
  type SipMessage,
} from '@jackfield/sip';

/** Addresses kept for one peer; the oldest is dropped first. */
const mostAddresses = 8;

/**
 * The IP addresses of a leg's peer, from its messages: the last sender, hops that a proxy recorded (`received` of Via, RFC 3261 §18.2.1),
 * and Contact, which proxies in front of NATs rewrite. A phone behind NAT sends its audio from one of them, whatever its SDP says. The tag
 * separates the phones of a forked call.
 */
export interface PeerAddresses {
  readonly tag: string | undefined;
  /** Addresses of the phone that sent the last message. */
  readonly list: readonly string[];
  /** The source address of the last message: the only address here that the peer did not state itself. */
  readonly source: string | undefined;
}

/** No message has arrived. */
export const noAddresses: PeerAddresses = { tag: undefined, list: [], source: undefined };

/** Adds the addresses of a message; another tag starts a new list. */
export function withMessage(known: PeerAddresses, message: SipMessage): PeerAddresses {
  const tag = message.headers.address(message.kind === 'request' ? 'From' : 'To')?.tag ?? '';
  const before = tag === known.tag ? known.list : [];
  const list = [...new Set([...before, ...addressesOf(message)])].slice(-mostAddresses);
  const { sourceAddress } = message;
  return { tag, list, source: sourceAddress === undefined ? known.source : canonicalAddress(sourceAddress) };
}

function addressesOf({ kind, headers, sourceAddress }: SipMessage): readonly string[] {
  // The Via of a response is ours.
  const vias = kind === 'request' ? headers.all('Via') : [];
  const received = vias.map((value) => paramOf(parseVia(value)?.params ?? [], 'received'));
  const contact = parseNameAddr(headers.get('Contact') ?? '')?.uri;
  const host = contact === undefined ? undefined : parseSipUri(contact)?.host;
  return [sourceAddress, ...received, host]
    .filter((each) => each !== undefined && each !== null)
    .map((each) => canonicalAddress(addressOfHost(each)))
    .filter((each) => isIP(each) !== 0);
}

/** An IPv4-mapped IPv6 address, as RFC 5952 §4 writes it (RFC 4291 §2.5.5.2). */
const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** An IPv6 address as sockets spell it (RFC 5952), and the IPv4 address in a mapped one; any other text unchanged. */
export function canonicalAddress(address: string): string {
  if (isIP(address) !== 6 || address.includes('%')) return address;
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, ...words] = mapped.exec(text) ?? [];
  if (words.length === 0) return text;
  return words
    .map((word) => Number.parseInt(word, 16))
    .flatMap((word) => [word >> 8, word & 255])
    .join('.');
}
