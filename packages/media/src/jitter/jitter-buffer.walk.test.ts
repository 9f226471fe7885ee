import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { pcmu } from '../codec/g711.ts';
import { createRtpHeader, readRtpPacket } from '../rtp/rtp-packet.ts';
import { createJitterBuffer } from './create-jitter-buffer.ts';
import { taken } from './taken.ts';
import { packetsOf, play } from './testing/simulated-stream.ts';

const network = fc.record({
  packetMs: fc.constantFrom(10, 20, 30, 40, 60),
  phaseMs: fc.double({ min: 0, max: 20, noNaN: true }),
  ppm: fc.integer({ min: -1000, max: 1000 }),
  sequenceNumber: fc.integer({ min: 0, max: 65_535 }),
  timestamp: fc.integer({ min: 0, max: 0xffffffff }),
  fates: fc.array(
    fc.record({
      delayMs: fc.oneof(
        { weight: 8, arbitrary: fc.constant(0) },
        { weight: 4, arbitrary: fc.integer({ min: 0, max: 50 }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 400 }) },
      ),
      drop: fc.integer({ min: 0, max: 9 }),
      isDuplicate: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
    { minLength: 20, maxLength: 150 },
  ),
});

it('on any network, a jitter buffer does not throw, bounds its delay, keeps the order and counts every packet', () => {
  fc.assert(
    fc.property(network, fc.integer({ min: 0, max: 9 }), ({ fates, packetMs, ...rest }, lossTenths) => {
      const perPacket = packetMs * 8;
      const packets = packetsOf({
        packets: fates.length,
        packetMs,
        ...rest,
        // Rising levels show the order of playing.
        sample: (index) => 2000 + Math.floor(index / perPacket) * 160,
        delayMs: (i) => (fates[i]!.drop < lossTenths / 2 ? undefined : fates[i]!.delayMs),
        isDuplicate: (i) => fates[i]!.isDuplicate,
      });
      const ticks = Math.ceil((fates.length * packetMs + 500) / 20);
      const { pcm, codes, depthsMs, buffer } = play(packets, ticks, { maxDelayMs: 160 });

      assert.ok(Math.max(...depthsMs) <= 160 + packetMs, 'bounded');
      let highest = 0;
      for (const [tick, code] of codes.entries()) {
        // Audio fades in after silence.
        if (code !== taken.played || codes[tick - 1] !== taken.played) continue;
        for (let i = tick * 160; i < tick * 160 + 160; i++) {
          // µ-law rounds by up to 512 at this level: a step back by one packet is within rounding, a step by four is
          // not.
          assert.ok(pcm[i]! > highest - 700 - 4 * 160, `sample ${i}: ${pcm[i]} after ${highest}`);
          if (pcm[i]! > highest) highest = pcm[i]!;
        }
      }
      const { received, played, late, duplicate, overflow, stray, oversized, other } = buffer.counters;
      assert.equal(received, packets.length);
      assert.equal(played + late + duplicate + overflow + stray + oversized + other, received);
      const { playedFrames, concealedFrames, emptyFrames } = buffer.counters;
      assert.equal(playedFrames + concealedFrames + emptyFrames, ticks);
    }),
    { numRuns: 60 },
  );
});

it('random packets at random times neither make a jitter buffer throw or hang nor raise its delay', () => {
  const input = fc.array(
    fc.record({
      bytes: fc.uint8Array({ minLength: 12, maxLength: 60 }),
      sequence: fc.integer({ min: 0, max: 65_535 }),
      stepMs: fc.integer({ min: 0, max: 50 }),
    }),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(input, (packets) => {
      const buffer = createJitterBuffer({
        clockRate: 8000,
        frameSamples: 160,
        payloads: Array.from({ length: 128 }, (_, payloadType) => ({ payloadType, codec: pcmu })),
      });
      const header = createRtpHeader();
      const out = new Int16Array(160);
      let nowMs = 0;
      for (const { bytes: random, sequence, stepMs } of packets) {
        const bytes = random.slice();
        bytes[0] = 0x80;
        // Half of them belong to one stream, with sequence numbers and timestamps near each other.
        if (sequence % 2 === 0) {
          bytes.set([0, 0, (sequence >> 2) & 0xff, 0, 0, sequence & 0x3f, 0, 0, 0, 0, 1], 1);
        }
        assert.ok(readRtpPacket(bytes, bytes.length, header));
        buffer.put(header, bytes, nowMs);
        nowMs += stepMs;
        if (stepMs > 20) buffer.take(out, nowMs);
        assert.ok(buffer.depthMs <= 200 + 120);
      }
    }),
    { numRuns: 150 },
  );
});
