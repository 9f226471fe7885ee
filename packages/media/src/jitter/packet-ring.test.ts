import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createRtpHeader } from '../rtp/rtp-packet.ts';
import { PacketRing, type StoredPacket, slotState } from './packet-ring.ts';

const header = createRtpHeader();

function store(ring: PacketRing, sequenceNumber: number, payload: Uint8Array): void {
  Object.assign(header, { sequenceNumber, timestamp: sequenceNumber * 160, payloadType: 0 });
  Object.assign(header, { payloadOffset: 0, payloadLength: payload.length });
  ring.storeAudio(header, payload);
}

function read(ring: PacketRing, sequenceNumber: number): Uint8Array | undefined {
  const into: StoredPacket = {
    payload: new Uint8Array(0),
    offset: 0,
    length: 0,
    payloadType: 0,
    timestamp: 0,
  };
  if (!ring.read(sequenceNumber, into)) return undefined;
  return into.payload.slice(into.offset, into.offset + into.length);
}

test('a ring has memory for the packets that have waited at once, of the length that they had', () => {
  const ring = new PacketRing(24, 640);
  ring.clear();
  assert.deepEqual([ring.payload.length, ring.stateOf(0)], [0, slotState.empty]);
  for (let n = 0; n < 100; n++) {
    store(ring, n, new Uint8Array(160));
    if (n > 1) ring.release(n - 2);
  }
  assert.equal(ring.payload.length, 4 * 160);
  for (let n = 100; n < 110; n++) store(ring, n, new Uint8Array(160));
  assert.equal(ring.payload.length, 16 * 160);
  store(ring, 110, new Uint8Array(400));
  assert.equal(ring.payload.length, 16 * 480);
});

test('a ring returns each waiting payload as it was stored, in any order of lengths, releases and clears', () => {
  const step = fc.record({
    length: fc.integer({ min: 1, max: 640 }),
    release: fc.nat(30),
    clear: fc.integer({ min: 0, max: 40 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const ring = new PacketRing(24, 640);
      const waiting = new Map<number, Uint8Array>();
      steps.forEach(({ length, release, clear }, index) => {
        if (clear === 0) {
          ring.clear();
          waiting.clear();
        }
        const sequenceNumber = (65_500 + index) & 0xffff;
        // The jitter buffer makes room before it stores.
        const oldest = (sequenceNumber - ring.slots) & 0xffff;
        if (waiting.delete(oldest)) ring.release(oldest);
        const payload = Uint8Array.from({ length }, (_, at) => (index * 31 + at) & 0xff);
        store(ring, sequenceNumber, payload);
        waiting.set(sequenceNumber, payload);
        const released = [...waiting.keys()][release];
        if (released !== undefined && waiting.delete(released)) ring.release(released);
        assert.equal(ring.audioCount, waiting.size);
        for (const [number, kept] of waiting) assert.deepEqual(read(ring, number), kept);
      });
    }),
  );
});
