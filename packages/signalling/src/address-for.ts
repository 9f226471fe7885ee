import type { DialTarget } from '@jackfield/ports';
import { addressOfHost, parseNameAddr, parseSipUri } from '@jackfield/sip';

/** The address at which a peer reaches us. `peer` is an address, or a name or undefined where the address is unknown. */
export type AddressFor = (peer: string | undefined) => string;

/** The host of a SIP URI: an address without brackets, or a name. */
export function hostOf(uri: string): string | undefined {
  const host = parseSipUri(uri)?.host;
  return host === undefined ? undefined : addressOfHost(host);
}

/** Where the INVITE to a target is sent: over its flow, else to its first proxy, else to its URI. */
export function peerOf(
  target: DialTarget | undefined,
  remoteAddressOf: (flow: string) => string | undefined,
): string | undefined {
  if (target === undefined) return undefined;
  const { flow, uri, path = [] } = target;
  const open = flow === undefined ? undefined : remoteAddressOf(flow);
  const [proxy] = path;
  return open ?? hostOf(proxy === undefined ? uri : (parseNameAddr(proxy)?.uri ?? ''));
}
