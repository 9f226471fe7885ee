/** A message of a capture. */
export interface CapturedMessage {
  readonly atMs: number;
  readonly direction: 'received' | 'sent';
  /** Address and port of the other side, an IPv6 address in brackets; empty where it is not known. */
  readonly remoteAddress: string;
  readonly text: string;
}

interface Endpoint {
  readonly address: Uint8Array;
  readonly port: number;
}

/** LINKTYPE_RAW: each packet begins with its IP header. */
const rawLinkType = 101;
const udpProtocol = 17;
/** RFC 5737 and RFC 3849: addresses for documentation stand for this server. */
const ourIpv4 = Uint8Array.of(192, 0, 2, 1);
const ourIpv6 = Uint8Array.of(0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
const sipPort = 5060;

/**
 * A capture file (libpcap 2.4, microseconds) of SIP messages, each as one UDP datagram whatever its transport was, between the other side
 * and 192.0.2.1 or 2001:db8::1, which stands for this server.
 */
export function captureFileOf(messages: readonly CapturedMessage[]): Uint8Array {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(65_535, 16);
  header.writeUInt32LE(rawLinkType, 20);
  return Buffer.concat([header, ...messages.flatMap(recordOf)]);
}

function recordOf({ atMs, direction, remoteAddress, text }: CapturedMessage): readonly Buffer[] {
  const remote = endpointOf(remoteAddress);
  const ours = { address: remote.address.length === 4 ? ourIpv4 : ourIpv6, port: sipPort };
  const [from, to] = direction === 'received' ? [remote, ours] : [ours, remote];
  // Messages of SIP are byte strings.
  const packet = packetOf(from, to, Buffer.from(text, 'latin1'));
  const header = Buffer.alloc(16);
  header.writeUInt32LE(Math.floor(atMs / 1000), 0);
  header.writeUInt32LE((atMs % 1000) * 1000, 4);
  header.writeUInt32LE(packet.length, 8);
  header.writeUInt32LE(packet.length, 12);
  return [header, packet];
}

function packetOf(from: Endpoint, to: Endpoint, payload: Buffer): Buffer {
  const udp = Buffer.alloc(8);
  udp.writeUInt16BE(from.port, 0);
  udp.writeUInt16BE(to.port, 2);
  udp.writeUInt16BE(8 + payload.length, 4);
  const isIpv4 = from.address.length === 4;
  const datagram = Buffer.concat([udp, payload]);
  const checked = Buffer.concat([from.address, to.address, pseudoEnd(datagram.length), datagram]);
  // RFC 768: a sum of 0 is sent as all ones.
  datagram.writeUInt16BE(checksumOf(checked) || 0xffff, 6);
  return Buffer.concat([isIpv4 ? ipv4Header(from, to, datagram) : ipv6Header(from, to, datagram), datagram]);
}

/** The end of the pseudo header of RFC 8200 §8.1; its sum is that of RFC 768. */
function pseudoEnd(length: number): Buffer {
  const end = Buffer.alloc(8);
  end.writeUInt32BE(length, 0);
  end.writeUInt8(udpProtocol, 7);
  return end;
}

function ipv4Header(from: Endpoint, to: Endpoint, datagram: Buffer): Buffer {
  const header = Buffer.alloc(20);
  header.writeUInt8(0x45, 0);
  header.writeUInt16BE(20 + datagram.length, 2);
  header.writeUInt8(64, 8);
  header.writeUInt8(udpProtocol, 9);
  header.set(from.address, 12);
  header.set(to.address, 16);
  header.writeUInt16BE(checksumOf(header), 10);
  return header;
}

function ipv6Header(from: Endpoint, to: Endpoint, datagram: Buffer): Buffer {
  const header = Buffer.alloc(40);
  header.writeUInt8(0x60, 0);
  header.writeUInt16BE(datagram.length, 4);
  header.writeUInt8(udpProtocol, 6);
  header.writeUInt8(64, 7);
  header.set(from.address, 8);
  header.set(to.address, 24);
  return header;
}

/** RFC 1071. */
function checksumOf(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += (bytes[at]! << 8) | (bytes[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/** A host name, as of a carrier, has no address here: 0.0.0.0 stands for it. */
function endpointOf(written: string): Endpoint {
  const colon = written.lastIndexOf(':');
  const port = Number(written.slice(colon + 1)) || sipPort;
  const host = written.slice(0, Math.max(0, colon)).replace(/^\[|\]$/g, '');
  const ipv4 = /^(?:::ffff:)?(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host);
  if (ipv4 !== null) return { address: Uint8Array.from(ipv4.slice(1), Number), port };
  return { address: host.includes(':') ? ipv6Of(host) : Uint8Array.of(0, 0, 0, 0), port };
}

function ipv6Of(host: string): Uint8Array {
  const [head = '', tail] = host.split('%')[0]!.split('::');
  const groupsOf = (part: string | undefined) => (part === undefined || part === '' ? [] : part.split(':'));
  const [first, last] = [groupsOf(head), groupsOf(tail)];
  const zeros: string[] = new Array(Math.max(0, 8 - first.length - last.length)).fill('0');
  const groups = [...first, ...zeros, ...last].slice(0, 8).map((group) => Number.parseInt(group, 16) || 0);
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
