import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nodeCiphers } from '../io/srtp-ciphers.ts';
import { PacketIndexes } from './packet-index.ts';
import { GcmTransform } from './srtp-gcm.ts';
import { createSrtpCounters, createSrtpReceiver, restoreSrtpReceiver } from './srtp-receiver.ts';
import { createSrtpSender } from './srtp-sender.ts';
import { masterBytes, type SrtpSuiteName, srtpSuites } from './srtp-suite.ts';
import { bytesOf, hexOf } from './testing/hex.ts';
import {
  authTag,
  counterMode,
  deriveSessionKey,
  gcmNonce,
  gcmOpen,
  gcmSeal,
  type SessionKeys,
  sessionKeys,
  wordOf,
} from './testing/reference-srtp.ts';

const suites = Object.keys(srtpSuites) as SrtpSuiteName[];
const ssrc = 0xf1a2b3c4;
const out = new Uint8Array(2100);

function masterOf(suite: SrtpSuiteName) {
  const keyAndSalt = Uint8Array.from(
    { length: masterBytes(srtpSuites[suite]) },
    (_, n) => (n * 37 + 11) & 0xff,
  );
  const { keyBytes } = srtpSuites[suite];
  const [key, salt] = [keyAndSalt.subarray(0, keyBytes), keyAndSalt.subarray(keyBytes)];
  return {
    master: { suite, keyAndSalt },
    rtp: sessionKeys(key, salt, 'rtp'),
    rtcp: sessionKeys(key, salt, 'rtcp'),
  };
}

function rtp(sequenceNumber: number, payloadBytes: number, head = '80'): Uint8Array {
  const number = sequenceNumber.toString(16).padStart(4, '0');
  const rest = 'a5'.repeat(payloadBytes);
  return bytesOf(`${head}00 ${number} 12345678 ${ssrc.toString(16)} ${rest}`);
}

/** The protected packet of RFC 3711 or RFC 7714, by the reference. */
function sealedRtp(
  suite: SrtpSuiteName,
  keys: SessionKeys,
  plain: Uint8Array,
  index: number,
  start = 12,
): Uint8Array {
  const [head, payload] = [plain.subarray(0, start), plain.subarray(start)];
  if (srtpSuites[suite].mode === 'gcm') {
    return Buffer.concat([head, gcmSeal(keys, gcmNonce(keys, ssrc, BigInt(index)), head, payload)]);
  }
  const body = Buffer.concat([head, counterMode(keys, ssrc, BigInt(index), payload)]);
  return Buffer.concat([body, authTag(keys, srtpSuites[suite].tagBytes, body, Math.floor(index / 65_536))]);
}

/** The same for RTCP; without `isEncrypted` the E bit is 0 and the report is only authenticated. */
function sealedRtcp(
  suite: SrtpSuiteName,
  keys: SessionKeys,
  plain: Uint8Array,
  index: number,
  isEncrypted = true,
): Uint8Array {
  const [head, rest] = [plain.subarray(0, 8), plain.subarray(8)];
  const word = wordOf(index + (isEncrypted ? 0x80000000 : 0));
  if (srtpSuites[suite].mode === 'gcm') {
    const nonce = gcmNonce(keys, ssrc, BigInt(index));
    if (isEncrypted)
      return Buffer.concat([head, gcmSeal(keys, nonce, Buffer.concat([head, word]), rest), word]);
    return Buffer.concat([
      plain,
      gcmSeal(keys, nonce, Buffer.concat([plain, word]), new Uint8Array(0)),
      word,
    ]);
  }
  const body = Buffer.concat([head, isEncrypted ? counterMode(keys, ssrc, BigInt(index), rest) : rest, word]);
  return Buffer.concat([body, authTag(keys, 10, body)]);
}

function protect(sender: ReturnType<typeof createSrtpSender>, plain: Uint8Array): Uint8Array {
  const room = new Uint8Array(plain.length + 20);
  room.set(plain);
  return room.slice(0, sender.protect(room, plain.length));
}

const report = bytesOf(`80c80006 ${ssrc.toString(16)} ${'5b'.repeat(20)}`);

describe('vectors of the standards', () => {
  it('RFC 3711 B.3: session cipher key, salt and authentication key', () => {
    const key = bytesOf('E1F97A0D3E018BE0D64FA32C06DE4139');
    const salt = bytesOf('0EC675AD498AFEEBB6960B3AABE6');
    assert.equal(hexOf(deriveSessionKey(key, salt, 0, 16)), 'c61e7a93744f39ee10734afe3ff7a087');
    assert.equal(hexOf(deriveSessionKey(key, salt, 2, 14)), '30cbbc08863d8c85d49db34a9ae1');
    assert.equal(
      hexOf(deriveSessionKey(key, salt, 1, 94)).slice(0, 64),
      'cebe321f6ff7716b6fd4ab49af256a156d38baa48f0a0acf3c34e2359e6cdbce',
    );
  });

  const key = bytesOf('000102030405060708090a0b0c0d0e0f');
  const keyOf256 = bytesOf('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f');
  const salt = bytesOf('517569642070726f2071756f');
  const plain = bytesOf(`8040f17b 8041f8d3 5501a0b2
    47616c6c 69612065 7374206f 6d6e6973 20646976 69736120 696e2070 61727465 73207472 6573`);
  for (const [section, cipherKey, suite, sealed] of [
    [
      '16.1.1',
      key,
      'AEAD_AES_128_GCM',
      `8040f17b 8041f8d3 5501a0b2 f24de3a3 fb34de6c acba861c 9d7e4bca be633bd5 0d294e6f 42a5f47a 51c7d19b 36de3adf 8833
        899d7f27 beb16a91 52cf765e e4390cce`,
    ],
    [
      '16.2.1',
      keyOf256,
      'AEAD_AES_256_GCM',
      `8040f17b 8041f8d3 5501a0b2 32b1de78 a822fe12 ef9f78fa 332e33aa b1801238 9a58e2f3 b50b2a02 76ffae0f 1ba63799 b87b
        7aa3db36 dfffd6b0 f9bb7878 d7a76c13`,
    ],
  ] as const) {
    it(`RFC 7714 §${section}: ${suite}`, () => {
      const transform = new GcmTransform(nodeCiphers, srtpSuites[suite], (label) =>
        (label % 3 === 0 ? cipherKey : salt).slice(),
      );
      const packet = new Uint8Array(plain.length + 16);
      packet.set(plain);
      transform.seal(packet, 12, plain.length, 0x5501a0b2, 0xf17b);
      assert.equal(hexOf(packet), sealed.replaceAll(/\s/g, ''));
      assert.ok(transform.open(packet, 12, plain.length, 0x5501a0b2, 0xf17b, out));
      assert.equal(hexOf(out.subarray(0, plain.length)), hexOf(plain));
    });
  }
});

for (const suite of suites) {
  describe(`${suite} against the counter mode, HMAC and GCM of OpenSSL`, () => {
    const { master, rtp: keys, rtcp } = masterOf(suite);

    it('each length of payload up to four blocks is sealed alike, and opened again', () => {
      const sender = createSrtpSender(nodeCiphers, master);
      const receiver = createSrtpReceiver(nodeCiphers, master, createSrtpCounters());
      for (let length = 0; length <= 64; length++) {
        const plain = rtp(length, length);
        const sent = protect(sender, plain);
        assert.equal(hexOf(sent), hexOf(sealedRtp(suite, keys, plain, length)), `${length} bytes`);
        assert.equal(receiver.unprotect(sent, sent.length, out), plain.length);
        assert.equal(hexOf(out.subarray(0, plain.length)), hexOf(plain));
      }
    });

    for (const [rule, index] of [
      ['the first rollover', 0x10000],
      ['an index that needs 32 bits', 0xfffffff0],
      ['an index beyond 32 bits', 0x1_0000_0005],
      ['the highest rollover counter', 0xffff_fffe_0000 + 7],
    ] as const) {
      it(`at ${rule} the index is in the key stream and in the tag`, () => {
        const indexes = new PacketIndexes();
        indexes.take(index - 1);
        const saved = [[ssrc, indexes.save()] as const];
        const plain = rtp(index % 0x10000, 50);
        const expected = sealedRtp(suite, keys, plain, index);
        const sent = protect(createSrtpSender(nodeCiphers, master, { streams: saved, reports: 0 }), plain);
        assert.equal(hexOf(sent), hexOf(expected));
        const receiver = restoreSrtpReceiver(nodeCiphers, master, createSrtpCounters(), {
          streams: saved,
          reports: [],
        });
        assert.equal(receiver.unprotect(expected, expected.length, out), plain.length);
      });
    }

    for (const [rule, head, extra, start] of [
      ['CSRCs', '82', '0000000100000002', 20],
      ['a header extension', '90', 'bede000151aa0000', 20],
      ['both', '91', '00000001bede000151aa0000', 24],
    ] as const) {
      it(`${rule} are authenticated and not encrypted`, () => {
        const plain = bytesOf(`${head}000001 12345678 ${ssrc.toString(16)} ${extra} ${'77'.repeat(33)}`);
        const sent = protect(createSrtpSender(nodeCiphers, master), plain);
        assert.equal(hexOf(sent), hexOf(sealedRtp(suite, keys, plain, 1, start)));
      });
    }

    it('reports have the indexes 1, 2, 3 after the E bit', () => {
      const sender = createSrtpSender(nodeCiphers, master);
      for (const index of [1, 2, 3]) {
        const room = new Uint8Array(report.length + 20);
        room.set(report);
        const sent = room.slice(0, sender.protectReport(room, report.length));
        assert.equal(hexOf(sent), hexOf(sealedRtcp(suite, rtcp, report, index)));
      }
    });

    it('the index of reports returns to 0 after 2³¹ − 1, and the E bit stays', () => {
      const sender = createSrtpSender(nodeCiphers, master, { streams: [], reports: 0x7ffffffe });
      for (const index of [0x7fffffff, 0]) {
        const room = new Uint8Array(report.length + 20);
        room.set(report);
        const sent = room.slice(0, sender.protectReport(room, report.length));
        assert.equal(hexOf(sent), hexOf(sealedRtcp(suite, rtcp, report, index)));
      }
    });

    for (const isEncrypted of [true, false]) {
      it(`a report ${isEncrypted ? 'with' : 'without'} the E bit is opened, once (RFC 3711 §3.4, RFC 7714 §9.3)`, () => {
        const counters = createSrtpCounters();
        const receiver = createSrtpReceiver(nodeCiphers, master, counters);
        for (const index of [0, 5, 0x7fffffff]) {
          const sealed = sealedRtcp(suite, rtcp, report, index, isEncrypted);
          assert.equal(receiver.unprotectReport(sealed, sealed.length, out), report.length);
          assert.equal(hexOf(out.subarray(0, report.length)), hexOf(report));
          assert.equal(receiver.unprotectReport(sealed, sealed.length, out), -1);
        }
        assert.deepEqual(counters, { unauthenticated: 0, replayed: 3 });
      });
    }

    it('a report of which any byte was changed is refused, the E bit and the index included', () => {
      const sealed = sealedRtcp(suite, rtcp, report, 9);
      const receiver = createSrtpReceiver(nodeCiphers, master, createSrtpCounters());
      for (let at = 0; at < sealed.length; at++) {
        const changed = Uint8Array.from(sealed);
        changed[at]! ^= 0x80;
        assert.equal(receiver.unprotectReport(changed, changed.length, out), -1, `byte ${at}`);
      }
      assert.equal(receiver.unprotectReport(sealed, sealed.length, out), report.length);
    });

    it('the reference refuses a packet under another index, so its acceptance proves the index', () => {
      const plain = rtp(3, 20);
      const nonce = gcmNonce(keys, ssrc, 4n);
      const sealed = sealedRtp(suite, keys, plain, 3);
      if (srtpSuites[suite].mode === 'gcm')
        assert.equal(gcmOpen(keys, nonce, plain.subarray(0, 12), sealed.subarray(12)), undefined);
      else assert.notEqual(hexOf(sealedRtp(suite, keys, plain, 4)), hexOf(sealed));
    });
  });
}
