import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nodeCiphers } from '../io/srtp-ciphers.ts';
import { createSrtpCounters, createSrtpReceiver } from '../rtp/srtp-receiver.ts';
import { createSrtpSender } from '../rtp/srtp-sender.ts';
import type { SrtpSuiteName } from '../rtp/srtp-suite.ts';
import type { AgreedKeys } from './commands.ts';
import { canProtect, createLegKeys, type LegProtection, protectionOf } from './leg-protection.ts';

const suites: readonly SrtpSuiteName[] = [
  'AES_CM_128_HMAC_SHA1_80',
  'AES_CM_128_HMAC_SHA1_32',
  'AES_256_CM_HMAC_SHA1_80',
];

/** The agreement of each phone: our key depends on the suite, each phone has its own. One phone has no SRTP. */
const phones: readonly (AgreedKeys | undefined)[] = [
  ...[0, 1, 2, 0].map((suite, phone) => {
    const bytes = suite === 2 ? 46 : 30;
    return {
      by: 'sdes' as const,
      suite: suites[suite]!,
      sendKey: new Uint8Array(bytes).fill(suite + 1),
      receiveKey: new Uint8Array(bytes).fill(phone + 101),
    };
  }),
  undefined,
];

/** One packet of zeros: its ciphertext is the key stream. */
function packet(ssrc: number, sequenceNumber: number): Uint8Array {
  const bytes = new Uint8Array(12 + 32 + 14);
  bytes.set([0x80, 0, (sequenceNumber >> 8) & 0xff, sequenceNumber & 0xff]);
  new DataView(bytes.buffer).setUint32(8, ssrc);
  return bytes;
}

const stay = fc.record({
  phone: fc.nat(phones.length - 1),
  packets: fc.nat(90),
  reports: fc.nat(3),
  /** RFC 7160: another clock rate means another SSRC. */
  ssrc: fc.constantFrom(1, 1, 1, 2),
});

test('RFC 3711 §9.1: a forked call uses no key stream twice, in any order of agreements, and each phone accepts every report', () => {
  fc.assert(
    fc.property(fc.array(stay, { minLength: 2, maxLength: 14 }), (stays) => {
      const keys = createLegKeys();
      const counters = createSrtpCounters();
      const used = new Set<string>();
      const opened = createSrtpCounters();
      const theirs = suites.map((suite, n) =>
        createSrtpReceiver(
          nodeCiphers,
          { suite, keyAndSalt: new Uint8Array(n === 2 ? 46 : 30).fill(n + 1) },
          opened,
        ),
      );
      const out = new Uint8Array(2_000);
      let protection: LegProtection | undefined;
      let index = 0;
      const meets = (bytes: Uint8Array, from: number): void => {
        const stream = Buffer.from(bytes.subarray(from, from + 16)).toString('hex');
        assert.ok(!used.has(stream), 'a key stream is used again');
        used.add(stream);
      };
      for (const { phone, packets, reports, ssrc } of stays) {
        const agreed = phones[phone];
        protection = protectionOf(protection, agreed, nodeCiphers, counters, keys);
        for (let n = 0; n < packets; n++) {
          // The distance is large and constant, so that short stays wrap around and meet earlier numbers.
          index += 1024;
          if (protection === undefined || agreed === undefined) continue;
          const bytes = packet(ssrc, index & 0xffff);
          const length = protection.sender.protect(bytes, 44);
          // After a long absence of its key, a packet whose number is too old is not sent.
          if (length < 0) continue;
          meets(bytes, 12);
          theirs[suites.indexOf(agreed.suite)]!.unprotect(bytes, length, out);
        }
        for (let n = 0; n < reports; n++) {
          if (protection === undefined || agreed === undefined) continue;
          const bytes = new Uint8Array(64);
          bytes.set([0x80, 200, 0, 8]);
          new DataView(bytes.buffer).setUint32(4, ssrc);
          const length = protection.sender.protectReport(bytes, 40);
          meets(bytes, 8);
          assert.equal(
            theirs[suites.indexOf(agreed.suite)]!.unprotectReport(bytes, length, out),
            40,
            'a report',
          );
        }
      }
      assert.equal(opened.replayed, 0);
    }),
    { numRuns: 150 },
  );
});

test('RFC 3711 §3.3.2: no packet of a phone is accepted again when its key returns', () => {
  const [first, second] = [phones[0]!, phones[1]!];
  for (const between of [second, undefined]) {
    const keys = createLegKeys();
    const counters = createSrtpCounters();
    const out = new Uint8Array(100);
    const sender = createSrtpSender(nodeCiphers, { suite: first.suite, keyAndSalt: first.receiveKey });
    const one = packet(7, 1);
    const length = sender.protect(one, 44);
    let protection = protectionOf(undefined, first, nodeCiphers, counters, keys);
    assert.equal(protection!.receiver.unprotect(one, length, out), 44);
    protection = protectionOf(protection, between, nodeCiphers, counters, keys);
    protection = protectionOf(protection, first, nodeCiphers, counters, keys);
    assert.equal(protection!.receiver.unprotect(one, length, out), -1);
    assert.equal(counters.replayed, 1);
    const two = packet(7, 2);
    assert.equal(protection!.receiver.unprotect(two, sender.protect(two, 44), out), 44);
    // The last packets of the phone in between are still under way.
    if (between === undefined) continue;
    protection = protectionOf(protection, between, nodeCiphers, counters, keys);
    const other = createSrtpSender(nodeCiphers, { suite: between.suite, keyAndSalt: between.receiveKey });
    const late = packet(8, 1);
    const lateLength = other.protect(late, 44);
    protection = protectionOf(protection, first, nodeCiphers, counters, keys);
    assert.equal(protection!.receiver.unprotect(late, lateLength, out), 44);
  }
});

test('a leg remembers all of its send keys: above the limit it refuses a new key and still accepts the earlier ones', () => {
  const keys = createLegKeys();
  const agreedWith = (n: number) => {
    const sendKey = new Uint8Array(30).fill(1);
    sendKey.set([n & 255, n >> 8]);
    return { ...phones[0]!, sendKey };
  };
  const may = (protection: AgreedKeys) => canProtect(protection, nodeCiphers, keys);
  let protection: LegProtection | undefined;
  for (let n = 0; n < 256; n++) {
    assert.equal(may(agreedWith(n)), true);
    protection = protectionOf(protection, agreedWith(n), nodeCiphers, createSrtpCounters(), keys);
  }
  assert.deepEqual([may(agreedWith(256)), may(agreedWith(0)), may(agreedWith(255))], [false, true, true]);
});
