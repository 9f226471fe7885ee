import { isIP } from 'node:net';
import {
  addressOfHost,
  paramOf,
  parseNameAddr,
  parseSipUri,
  parseVia,
  type SipMessage,
  tagOf,
} from '@jackfield/sip';

/** Addresses of one peer that are kept; the oldest give way. */
const mostAddresses = 8;

/**
 * The IP addresses that the messages of a leg's peer came from, as far as they show them: of the last sender, of hops that a proxy saw
 * (`received` of Via, RFC 3261 §18.2.1), and of Contact, which proxies in front of NATs rewrite. A phone behind NAT sends its audio from one of
 * them, whatever its SDP says. Several phones of a forked call are told apart by their tag.
 */
export class SignallingAddresses {
  #tag: string | undefined;
  #addresses: readonly string[] = [];

  /** Of the phone that sent the last message. */
  get list(): readonly string[] {
    return this.#addresses;
  }

  /** Takes the addresses of a message that came. */
  cameFrom(message: SipMessage): void {
    const tag = tagOf(message.headers.get(message.kind === 'request' ? 'From' : 'To') ?? '') ?? '';
    const before = tag === this.#tag ? this.#addresses : [];
    this.#tag = tag;
    this.#addresses = [...new Set([...before, ...addressesOf(message)])].slice(-mostAddresses);
  }
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

/** An IPv6 address as sockets spell it (RFC 5952); everything else as it is. */
export function canonicalAddress(address: string): string {
  return isIP(address) === 6 && !address.includes('%')
    ? new URL(`http://[${address}]`).hostname.slice(1, -1)
    : address;
}
