import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createSrtpCounters,
  createSrtpReceiver,
  createSrtpSender,
  type SrtpCiphers,
  type SrtpMaster,
  srtpPacketBytes,
} from '@jackfield/media';

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const hex = (data: Uint8Array): string => Buffer.from(data).toString('hex');

/** `ab` in 16 bytes behind a header: the plain packets in the tests of libsrtp. */
const plainRtp = bytes(`800f1234decafbadcafebabe ${'ab'.repeat(16)}`);
const plainReport = bytes(`81c8000bcafebabe ${'ab'.repeat(16)}`);

/** Packets that libsrtp protects under these keys, first of their stream. */
const packets: readonly (SrtpMaster & { readonly rtp: string; readonly report: string })[] = [
  {
    suite: 'AES_CM_128_HMAC_SHA1_80',
    keyAndSalt: bytes('E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6'),
    rtp: '800f1234decafbadcafebabe 4e55dc4ce79978d88ca4d215949d2402 b78d6acc99ea179b8dbb',
    report: '81c8000bcafebabe 7128035be487b9bdbef89041f977a5a8 80000001 993e08cd54d6c1230798',
  },
  {
    suite: 'AEAD_AES_128_GCM',
    keyAndSalt: bytes('000102030405060708090a0b0c0d0e0f a0a1a2a3a4a5a6a7a8a9aaab'),
    rtp: '800f1234decafbadcafebabe c5002ede04cfdd2eb91159e0880aa06e d2976826f796b201df3131a127e8a392',
    report: '81c8000bcafebabe c98b8b5df0392a55852b6c21ac8e7025 c52c6fbea2b3b446ea31123ba88ce61e 80000001',
  },
];

/** RFC 7714 §16.1.1, §16.2.1: session keys of both sizes over one RTP packet. */
const sealed = [
  {
    key: bytes('000102030405060708090a0b0c0d0e0f'),
    sealed: `f24de3a3fb34de6cacba861c9d7e4bcabe633bd50d294e6f42a5f47a51c7d19b36de3adf8833
      899d7f27beb16a9152cf765ee4390cce`,
  },
  {
    key: bytes('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'),
    sealed: `32b1de78a822fe12ef9f78fa332e33aab18012389a58e2f3b50b2a0276ffae0f1ba63799b87b
      7aa3db36dfffd6b0f9bb7878d7a76c13`,
  },
];
const gcmNonce = bytes('51753c6580c2726f20718414');
const gcmPacket = `8040f17b8041f8d35501a0b2 ${Buffer.from('Gallia est omnis divisa in partes tres').toString('hex')}`;

/** Rules that every implementation of the ciphers of SRTP keeps: published vectors, bounds, and an end. */
export function srtpCiphersContract(ciphers: SrtpCiphers): void {
  test('AES encrypts blocks one by one: FIPS 197 C.1 and C.3', () => {
    const block = bytes('00112233445566778899aabbccddeeff');
    const twice = new Uint8Array([...block, ...block, ...block]);
    for (const [key, expected] of [
      ['000102030405060708090a0b0c0d0e0f', '69c4e0d86a7b0430d8cdb78070b4c55a'],
      [
        '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
        '8ea2b7ca516745bfeafc49904b496089',
      ],
    ] as const) {
      const aes = ciphers.aes(bytes(key));
      assert.equal(hex(aes.encrypt(twice, 32).subarray(0, 32)), expected.repeat(2));
      assert.equal(hex(aes.encrypt(block, 16).subarray(0, 16)), expected);
      aes.close();
    }
  });

  test('HMAC-SHA1 signs message after message under one key: RFC 2202 cases 1 and 2', () => {
    const one = ciphers.hmacSha1(new Uint8Array(20).fill(0x0b));
    const greeting = new TextEncoder().encode('Hi There, and more');
    for (let n = 0; n < 2; n++) {
      assert.equal(hex(one.sign(greeting, 8).subarray(0, 20)), 'b617318655057264e28bc0b6fb378c8ef146be00');
    }
    const two = ciphers.hmacSha1(new TextEncoder().encode('Jefe'));
    const question = new TextEncoder().encode('what do ya want for nothing?');
    assert.equal(hex(two.sign(question, 28).subarray(0, 20)), 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79');
    one.close();
    two.close();
  });

  test('RFC 7714 §16: AES-GCM seals and opens the example packet with keys of 128 and 256 bits', () => {
    for (const { key, sealed: expected } of sealed) {
      const gcm = ciphers.aesGcm(key);
      const plain = bytes(gcmPacket);
      const packet = new Uint8Array(plain.length + 16);
      packet.set(plain);
      gcm.seal(gcmNonce, packet, 12, packet, 12, plain.length);
      assert.equal(hex(packet.subarray(12)), hex(bytes(expected.replaceAll(/\s/g, ''))));
      const changed = packet.slice();
      changed[3]! ^= 1;
      assert.equal(gcm.open(gcmNonce, changed, 12, changed, 12, plain.length), false);
      assert.equal(gcm.open(gcmNonce, packet, 12, packet, 12, plain.length), true);
      assert.equal(hex(packet.subarray(0, plain.length)), hex(plain));
      gcm.close();
    }
  });

  for (const { rtp, report, ...master } of packets) {
    test(`${master.suite}: the packets of libsrtp, both ways`, () => {
      const sender = createSrtpSender(ciphers, master);
      const counters = createSrtpCounters();
      const receiver = createSrtpReceiver(ciphers, master, counters);
      const out = new Uint8Array(srtpPacketBytes);
      const room = new Uint8Array(100);
      room.set(plainRtp);
      const length = sender.protect(room, plainRtp.length);
      assert.equal(hex(room.subarray(0, length)), hex(bytes(rtp)));
      assert.equal(receiver.unprotect(room, length, out), plainRtp.length);
      assert.equal(hex(out.subarray(0, plainRtp.length)), hex(plainRtp));
      room.set(plainReport);
      const reportLength = sender.protectReport(room, plainReport.length);
      assert.equal(hex(room.subarray(0, reportLength)), hex(bytes(report)));
      assert.equal(receiver.unprotectReport(room, reportLength, out), plainReport.length);
      assert.equal(hex(out.subarray(0, plainReport.length)), hex(plainReport));
      sender.close();
      receiver.close();
      assert.deepEqual(counters, { unauthenticated: 0, replayed: 0 });
    });
  }

  test('a sender and a receiver that are closed, even twice, hold no cipher and pass no packet', () => {
    const before = ciphers.openCount;
    for (const { rtp, report, ...master } of packets) {
      const sender = createSrtpSender(ciphers, master);
      const receiver = createSrtpReceiver(ciphers, master, createSrtpCounters());
      for (const each of [sender, receiver, sender, receiver]) each.close();
      const room = new Uint8Array(100);
      room.set(plainRtp);
      assert.equal(sender.protect(room, plainRtp.length), -1);
      assert.equal(sender.protectReport(room, plainReport.length), -1);
      const out = new Uint8Array(100);
      assert.equal(receiver.unprotect(bytes(rtp), bytes(rtp).length, out), -1);
      assert.equal(receiver.unprotectReport(bytes(report), bytes(report).length, out), -1);
    }
    assert.equal(ciphers.openCount, before);
  });
}
