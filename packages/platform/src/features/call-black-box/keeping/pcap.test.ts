import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CapturedMessage, captureFileOf } from './pcap.ts';

interface Packet {
  readonly atMs: number;
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** RFC 1071: over data with a right checksum the sum is all ones. */
function isSumRight(bytes: Buffer): boolean {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += bytes.readUInt8(at) * 256 + (bytes[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  return sum === 0xffff;
}

/** Reads a capture file by the description of its format, and checks every length and checksum. */
function readCapture(file: Buffer): readonly Packet[] {
  assert.deepEqual([file.readUInt32LE(0), file.readUInt16LE(4), file.readUInt16LE(6)], [0xa1b2c3d4, 2, 4]);
  assert.equal(file.readUInt32LE(20), 101);
  const packets: Packet[] = [];
  for (let at = 24; at < file.length; ) {
    const atMs = file.readUInt32LE(at) * 1000 + file.readUInt32LE(at + 4) / 1000;
    const length = file.readUInt32LE(at + 8);
    assert.equal(file.readUInt32LE(at + 12), length);
    packets.push({ atMs, ...readPacket(file.subarray(at + 16, at + 16 + length)) });
    at += 16 + length;
  }
  return packets;
}

function readPacket(packet: Buffer): Omit<Packet, 'atMs'> {
  const isIpv4 = packet.readUInt8(0) >> 4 === 4;
  const headerLength = isIpv4 ? 20 : 40;
  const addresses = isIpv4 ? packet.subarray(12, 20) : packet.subarray(8, 40);
  if (isIpv4) {
    assert.equal(packet.readUInt16BE(2), packet.length);
    assert.ok(isSumRight(packet.subarray(0, 20)));
  } else {
    assert.equal(packet.readUInt16BE(4), packet.length - 40);
  }
  assert.equal(packet.readUInt8(isIpv4 ? 9 : 6), 17);
  const udp = packet.subarray(headerLength);
  assert.equal(udp.readUInt16BE(4), udp.length);
  const pseudo = Buffer.alloc(4);
  pseudo.writeUInt16BE(17, 0);
  pseudo.writeUInt16BE(udp.length, 2);
  assert.ok(isSumRight(Buffer.concat([addresses, pseudo, udp])));
  const half = addresses.length / 2;
  const nameOf = (address: Buffer, port: number) =>
    `${isIpv4 ? address.join('.') : `[${address.toString('hex')}]`}:${port}`;
  return {
    from: nameOf(addresses.subarray(0, half), udp.readUInt16BE(0)),
    to: nameOf(addresses.subarray(half), udp.readUInt16BE(2)),
    text: udp.subarray(8).toString('latin1'),
  };
}

test('A capture file has each message as a UDP datagram with right lengths and checksums', () => {
  const messages: readonly CapturedMessage[] = [
    { atMs: 1_770_000_000_125, direction: 'received', remoteAddress: '198.51.100.7:5062', text: 'INVITE é' },
    {
      atMs: 1_770_000_000_130,
      direction: 'sent',
      remoteAddress: '[2001:db8::7]:5061',
      text: 'SIP/2.0 200 OK',
    },
    { atMs: 1_770_000_000_140, direction: 'sent', remoteAddress: 'sip.example.com:5060', text: 'odd' },
    { atMs: 1_770_000_000_150, direction: 'received', remoteAddress: '', text: '' },
  ];
  const packets = readCapture(Buffer.from(captureFileOf(messages)));
  assert.deepEqual(packets, [
    { atMs: 1_770_000_000_125, from: '198.51.100.7:5062', to: '192.0.2.1:5060', text: 'INVITE é' },
    {
      atMs: 1_770_000_000_130,
      from: '[20010db8000000000000000000000001]:5060',
      to: '[20010db8000000000000000000000007]:5061',
      text: 'SIP/2.0 200 OK',
    },
    { atMs: 1_770_000_000_140, from: '192.0.2.1:5060', to: '0.0.0.0:5060', text: 'odd' },
    { atMs: 1_770_000_000_150, from: '0.0.0.0:5060', to: '192.0.2.1:5060', text: '' },
  ]);
  assert.deepEqual(readCapture(Buffer.from(captureFileOf([]))), []);
});
