import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nodeCiphers } from '../io/srtp-ciphers.ts';
import { PacketIndexes } from './packet-index.ts';
import { createSrtpCounters, createSrtpReceiver } from './srtp-receiver.ts';
import { createSrtpSender } from './srtp-sender.ts';

/** The fate of a packet: `late` is the number of packets that overtake it. */
const fate = fc.record({
  lost: fc.boolean(),
  late: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(140) }),
  copies: fc.integer({ min: 1, max: 2 }),
  tampered: fc.nat(9).map((draw) => draw === 0),
});

test('RFC 3711 §3.3: through loss, reordering, repetition and three wraps each authentic packet is accepted exactly once', () => {
  fc.assert(
    fc.property(
      fc.nat(0x7fff),
      fc.integer({ min: 40, max: 900 }),
      fc.array(fate, { minLength: 50, maxLength: 300 }),
      (start, stride, fates) => {
        const master = { suite: 'AES_CM_128_HMAC_SHA1_80', keyAndSalt: new Uint8Array(30).fill(3) } as const;
        const sender = createSrtpSender(nodeCiphers, master);
        const counters = createSrtpCounters();
        const receiver = createSrtpReceiver(nodeCiphers, master, counters);
        const sent: { index: number; arrives: number; bytes: Uint8Array; tampered: boolean }[] = [];
        // Only every n-th packet is sent, so that a short walk wraps; the packets between count as lost.
        for (const [n, { lost, late, copies, tampered }] of fates.entries()) {
          const index = start + n * stride;
          const bytes = new Uint8Array(36);
          bytes.set([0x80, 0, (index >> 8) & 0xff, index & 0xff]);
          new DataView(bytes.buffer).setUint32(12, index);
          const length = sender.protect(bytes, 20);
          assert.equal(length, 30);
          if (tampered) bytes[12 + (n % 18)]! ^= 1 << (n % 8);
          if (lost && n > 0) continue;
          for (let copy = 0; copy < copies; copy++) {
            const arrives = n + (stride < 200 ? Math.floor(late / stride) : 0) + copy / 2;
            sent.push({ index, arrives: n === 0 ? -1 : arrives, bytes: bytes.subarray(0, length), tampered });
          }
        }
        sent.sort((one, other) => one.arrives - other.arrives);
        const out = new Uint8Array(64);
        const taken = new Set<number>();
        let highest = -1;
        for (const { index, bytes, tampered } of sent) {
          const isTaken = receiver.unprotect(bytes, bytes.length, out) === 20;
          const isDue = !tampered && !taken.has(index) && index > highest - 128;
          assert.equal(isTaken, isDue, `packet ${index}`);
          if (!isTaken) continue;
          assert.equal(new DataView(out.buffer).getUint32(12), index);
          taken.add(index);
          highest = Math.max(highest, index);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('RFC 3711 Appendix A: the estimated index is the nearest to the highest, within half a cycle on either side', () => {
  fc.assert(
    fc.property(fc.nat(0x7fff_ffff), fc.integer({ min: -0x7fff, max: 0x7fff }), (highest, distance) => {
      fc.pre(highest + distance >= 0);
      const indexes = new PacketIndexes();
      indexes.take(highest);
      assert.equal(indexes.estimate((highest + distance) & 0xffff), highest + distance);
    }),
  );
});

test('RFC 3711 §3.3.2: the window remembers the last 128 packets and accepts none twice', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(600), { maxLength: 400 }), (steps) => {
      const indexes = new PacketIndexes();
      const seen = new Set<number>();
      for (const index of steps) {
        const isDue = !seen.has(index) && index > indexes.highest - 128;
        assert.equal(indexes.isNew(index), isDue);
        if (!isDue) continue;
        indexes.take(index);
        seen.add(index);
      }
    }),
  );
});
