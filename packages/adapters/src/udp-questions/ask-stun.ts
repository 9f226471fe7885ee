import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { askByUdp } from './ask-by-udp.ts';

/** RFC 8489 §5. */
const magicCookie = 0x2112_a442;
const bindingRequest = 0x0001;
const bindingSuccess = 0x0101;
const xorMappedAddress = 0x0020;
const headerBytes = 20;
const usualPort = 3478;

/** Asks a STUN server over UDP, which may lose each request, for the address that it sees (RFC 8489 §6.2.1); rejects without an answer. */
export async function askStun(server: string, { answerMs = 2_000, tries = 3 } = {}): Promise<string> {
  const { hostname, port } = new URL(`stun://${server}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const { address } = isIP(host) === 0 ? await lookup(host) : { address: host };
  const request = bindingRequestOf(randomBytes(12));
  return askByUdp({
    ...{ host: address, port: port === '' ? usualPort : Number(port), request, tries, answerMs },
    read(answer) {
      if (!answer.subarray(4, headerBytes).equals(request.subarray(4))) return undefined;
      const seen = mappedAddress(answer);
      if (seen === undefined) throw new Error('the answer has no address');
      return seen;
    },
  });
}

function bindingRequestOf(transaction: Buffer): Buffer {
  const request = Buffer.alloc(headerBytes);
  request.writeUInt16BE(bindingRequest, 0);
  request.writeUInt32BE(magicCookie, 4);
  transaction.copy(request, 8);
  return request;
}

/** XOR-MAPPED-ADDRESS (RFC 8489 §14.2). */
function mappedAddress(answer: Buffer): string | undefined {
  if (answer.readUInt16BE(0) !== bindingSuccess) return undefined;
  for (let at = headerBytes; at + 4 <= answer.length; ) {
    const [type, length] = [answer.readUInt16BE(at), answer.readUInt16BE(at + 2)];
    const value = answer.subarray(at + 4, at + 4 + length);
    if (type === xorMappedAddress && value.length >= 8)
      return addressOf(value, answer.subarray(4, headerBytes));
    at += 4 + Math.ceil(length / 4) * 4;
  }
  return undefined;
}

/** `mask` is the magic cookie and the transaction id. */
function addressOf(value: Buffer, mask: Buffer): string | undefined {
  const bytes = [...value.subarray(4)].map((byte, index) => byte ^ mask[index]!);
  if (value[1] === 1) return bytes.slice(0, 4).join('.');
  if (value[1] !== 2 || bytes.length < 16) return undefined;
  const groups = Array.from({ length: 8 }, (_, index) => (bytes[index * 2]! << 8) | bytes[index * 2 + 1]!);
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(':')}]`).hostname.slice(1, -1);
}
