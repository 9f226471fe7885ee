import { isIPv4 } from 'node:net';
import type { ByteString } from '../message/message.ts';

const BINDING_REQUEST = 0x0001;
const BINDING_SUCCESS = 0x0101;
const MAGIC_COOKIE = 0x2112_a442;
const XOR_MAPPED_ADDRESS = 0x0020;
const HEADER_BYTES = 20;
const TRANSACTION_BYTES = 12;

/** The bytes of a datagram that is a STUN Binding request (RFC 8489 §5); no SIP message begins with such a byte. */
export function bindingRequestOf(text: ByteString): Buffer | undefined {
  if (text.length < HEADER_BYTES || text.charCodeAt(0) !== BINDING_REQUEST >>> 8) return undefined;
  const datagram = Buffer.from(text, 'latin1');
  const isRequest =
    datagram.readUInt16BE(0) === BINDING_REQUEST &&
    datagram.readUInt32BE(4) === MAGIC_COOKIE &&
    datagram.readUInt16BE(2) === datagram.length - HEADER_BYTES &&
    datagram.length % 4 === 0;
  return isRequest ? datagram : undefined;
}

/** The answer to a STUN keep-alive: the source of the request (RFC 5626 §8, RFC 8489 §14.2). `address` is IPv4 or IPv6. */
export function bindingSuccess(request: Buffer, address: string, port: number): Buffer {
  const transaction = request.subarray(8, 8 + TRANSACTION_BYTES);
  const bytes = isIPv4(address) ? address.split('.').map(Number) : bytesOfIpv6(address);
  const answer = Buffer.alloc(HEADER_BYTES + 8 + bytes.length);
  answer.writeUInt16BE(BINDING_SUCCESS, 0);
  answer.writeUInt16BE(8 + bytes.length, 2);
  answer.writeUInt32BE(MAGIC_COOKIE, 4);
  transaction.copy(answer, 8);
  answer.writeUInt16BE(XOR_MAPPED_ADDRESS, HEADER_BYTES);
  answer.writeUInt16BE(4 + bytes.length, HEADER_BYTES + 2);
  answer[HEADER_BYTES + 5] = bytes.length === 4 ? 1 : 2;
  answer.writeUInt16BE(port ^ (MAGIC_COOKIE >>> 16), HEADER_BYTES + 6);
  // The address is XORed with the cookie and the transaction id, which are adjacent in the header.
  for (const [index, byte] of bytes.entries()) answer[HEADER_BYTES + 8 + index] = byte ^ answer[4 + index]!;
  return answer;
}

function bytesOfIpv6(address: string): number[] {
  const [text = ''] = address.split('%');
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const plain =
    dotted === null
      ? text
      : `${dotted[1]}${hex(Number(dotted[2]) * 256 + Number(dotted[3]))}:${hex(Number(dotted[4]) * 256 + Number(dotted[5]))}`;
  const [head = '', tail] = plain.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].flatMap((group) => {
    const word = Number.parseInt(group, 16);
    return [word >> 8, word & 0xff];
  });
}

function hex(word: number): string {
  return word.toString(16);
}
