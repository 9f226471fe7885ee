import { addressOfHost, hostOfAddress, isHost, portColon } from './host.ts';
import type { SipRequest } from './message.ts';
import { type Param, paramOf, parseParams, printParams, withParam } from './params.ts';
import { isToken, parseDigits, trimSpace } from './tokens.ts';

/** One Via value (RFC 3261 §20.42). */
export interface Via {
  /** Version of the sent-protocol, `2.0`; requests with another one get 505. */
  readonly version: string;
  /** Upper case: UDP, TCP, TLS, WS, WSS. */
  readonly transport: string;
  /** Host of sent-by, an IPv6 address in brackets. */
  readonly host: string;
  readonly port: number | undefined;
  readonly branch: string | undefined;
  readonly params: readonly Param[];
}

/** The target of a response without a usable connection. */
export interface ResponseTarget {
  readonly protocol: string;
  /** Name or address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The start of branches of RFC 3261 elements, which identify a transaction by themselves (§8.1.1.7). */
export const BRANCH_COOKIE = 'z9hG4bK';

const LOOSE_PROTOCOL = /^SIP[ \t]*\/[ \t]*([0-9]+\.[0-9]+)[ \t]*\/[ \t]*/i;

const PLAIN_PROTOCOL: readonly string[] = ['SIP/2.0/', '2.0'];

/** Parses one Via value; undefined when it is malformed. */
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
 * Adds the packet's source to the top Via of a request: `received` if sent-by is another address (RFC 3261 §18.2.1), and always
 * with `rport`, which gets the source port (RFC 3581 §4). Returns false for a malformed Via, which stays unchanged. `via` is the top Via of
 * a caller that has parsed it.
 */
export function stampReceived(
  request: SipRequest,
  address: string,
  port: number,
  via = parseVia(request.headers.get('Via') ?? ''),
): boolean {
  if (via === undefined) return false;
  const wantsPort = paramOf(via.params, 'rport') !== undefined;
  const isDirect = addressOfHost(via.host) === address;
  // Ours replaces a `received` of the sender, which may be false.
  const isClaimed = paramOf(via.params, 'received') !== undefined;
  if (isDirect && !wantsPort && !isClaimed) return true;
  let params = withParam(via.params, 'received', address);
  if (wantsPort) params = withParam(params, 'rport', String(port));
  request.headers.replaceFirst('Via', printVia({ ...via, params }));
  return true;
}

/**
 * The target of a response with this top Via (RFC 3261 §18.2.2, RFC 3581 §4): over UDP, or over a new connection when that of the
 * request is closed. `rport` names the port of the closed connection, so it counts for UDP only. `maddr` is ignored: any sender
 * could aim our responses at a third party with it.
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

/** A Via value for our request, with `rport` (RFC 3581 §3). */
export function createVia(transport: string, address: string, port: number, branch: string): string {
  return `SIP/2.0/${transport.toUpperCase()} ${hostOfAddress(address)}:${port};rport;branch=${branch}`;
}
