import { addressOfHost, hostOfAddress, isHost, portColon } from './host.ts';
import type { SipRequest } from './message.ts';
import { type Param, paramOf, parseParams, printParams, withParam } from './params.ts';
import { isToken, parseDigits, trimSpace } from './tokens.ts';

/** One Via value (RFC 3261 §20.42). */
export interface Via {
  /** Version of the sent-protocol, `2.0`; another one stands in requests that are answered with 505. */
  readonly version: string;
  /** Upper case: UDP, TCP, TLS, WS, WSS. */
  readonly transport: string;
  /** Host of sent-by, an IPv6 address in brackets. */
  readonly host: string;
  readonly port: number | undefined;
  readonly branch: string | undefined;
  readonly params: readonly Param[];
}

/** Where a response without a usable connection goes. */
export interface ResponseTarget {
  readonly protocol: string;
  /** Name or address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Branches that start so come from RFC 3261 elements and identify their transaction alone (§8.1.1.7). */
export const BRANCH_COOKIE = 'z9hG4bK';

const LOOSE_PROTOCOL = /^SIP[ \t]*\/[ \t]*([0-9]+\.[0-9]+)[ \t]*\/[ \t]*/i;

const PLAIN_PROTOCOL: readonly string[] = ['SIP/2.0/', '2.0'];

/** Reads one Via value, or undefined when it is malformed. */
export function parseVia(value: string): Via | undefined {
  const semicolon = value.indexOf(';');
  const front = semicolon < 0 ? value : value.slice(0, semicolon);
  const loose = front.startsWith('SIP/2.0/') ? PLAIN_PROTOCOL : LOOSE_PROTOCOL.exec(front);
  if (loose === null) return undefined;
  const start = loose[0]!.length;
  let space = start;
  while (space < front.length && front.charCodeAt(space) > 0x20) space += 1;
  const transport = front.slice(start, space);
  if (!isToken(transport)) return undefined;
  const sentBy = trimSpace(front.slice(space));
  const colon = portColon(sentBy);
  const host = colon < 0 ? sentBy : trimSpace(sentBy.slice(0, colon));
  if (!isHost(host)) return undefined;
  const port = colon < 0 ? undefined : parseDigits(trimSpace(sentBy.slice(colon + 1)), 65_535);
  if (colon >= 0 && port === undefined) return undefined;
  const params = semicolon < 0 ? [] : parseParams(value, semicolon);
  if (params === undefined) return undefined;
  const branch = paramOf(params, 'branch');
  return { version: loose[1]!, transport: transport.toUpperCase(), host, port, branch, params };
}

/** Prints a Via value from its version, transport, sent-by and parameters. */
export function printVia(via: Omit<Via, 'branch'>): string {
  const port = via.port === undefined ? '' : `:${via.port}`;
  return `SIP/${via.version}/${via.transport} ${via.host}${port}${printParams(via.params)}`;
}

/**
 * Notes the packet's source in the top Via of a request: `received` whenever sent-by is not that address (RFC 3261 §18.2.1),
 * and with `rport` always, filled with the source port (RFC 3581 §4). A malformed Via is left alone; answers false.
 */
export function stampReceived(request: SipRequest, address: string, port: number): boolean {
  const top = request.headers.get('Via');
  const via = top === undefined ? undefined : parseVia(top);
  if (via === undefined) return false;
  const wantsPort = paramOf(via.params, 'rport') !== undefined;
  const isDirect = addressOfHost(via.host) === address;
  // A `received` that the sender put there itself is a lie about its address: ours replaces it.
  const isClaimed = paramOf(via.params, 'received') !== undefined;
  if (isDirect && !wantsPort && !isClaimed) return true;
  let params = withParam(via.params, 'received', address);
  if (wantsPort) params = withParam(params, 'rport', String(port));
  request.headers.removeFirst('Via');
  request.headers.prepend('Via', printVia({ ...via, params }));
  return true;
}

/**
 * Where a response with this top Via goes (RFC 3261 §18.2.2, RFC 3581 §4). Over a connection it goes back on that; this is
 * where a new one leads when it is gone, so `rport`, which names the lost connection's port, counts for UDP alone.
 * `maddr` is not followed: it would let anybody aim our responses at a third party.
 */
export function responseTarget(via: Via): ResponseTarget {
  const protocol = via.transport.toLowerCase();
  const received = paramOf(via.params, 'received');
  const rport = protocol === 'udp' ? parseDigits(paramOf(via.params, 'rport') ?? '', 65_535) : undefined;
  return {
    protocol,
    host: addressOfHost(received || via.host),
    port: rport ?? via.port ?? (protocol === 'tls' || protocol === 'wss' ? 5061 : 5060),
  };
}

/** A Via value for a request of ours, asking for `rport` (RFC 3581 §3). */
export function createVia(transport: string, address: string, port: number, branch: string): string {
  return `SIP/2.0/${transport.toUpperCase()} ${hostOfAddress(address)}:${port};rport;branch=${branch}`;
}
