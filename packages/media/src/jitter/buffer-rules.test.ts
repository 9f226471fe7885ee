import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AudioCodec } from '../codec/audio-codec.ts';
import { pcma, pcmu } from '../codec/g711.ts';
import { G722 } from '../codec/g722/g722.ts';
import { l16 } from '../codec/l16.ts';
import { createRtpHeader, readRtpPacket, writeRtpHeader } from '../rtp/rtp-packet.ts';
import { arrival } from './arrival.ts';
import { createJitterBuffer } from './create-jitter-buffer.ts';
import type { JitterBuffer, JitterBufferOptions } from './jitter-buffer.ts';
import { taken } from './taken.ts';

const header = createRtpHeader();
const frame = new Int16Array(960);

function open(options: Partial<JitterBufferOptions> = {}): JitterBuffer {
  return createJitterBuffer({
    clockRate: 8000,
    frameSamples: 160,
    payloads: [{ payloadType: 0, codec: pcmu }],
    ...options,
  });
}

/** The name of the result of putting packet n: 20 ms of a constant level, by default on time. */
function put(
  buffer: JitterBuffer,
  n: number,
  { atMs = n * 20 + 5, type = 0, bytes = 160, ssrc = 1, timestamp = n * 160, fill = 0x90 } = {},
): string {
  const packet = new Uint8Array(12 + bytes).fill(fill);
  writeRtpHeader(packet, type, false, n & 0xffff, timestamp >>> 0, ssrc);
  assert.ok(readRtpPacket(packet, packet.length, header));
  const result = buffer.put(header, packet, atMs);
  return Object.entries(arrival).find(([, code]) => code === result)![0];
}

function take(buffer: JitterBuffer, tick: number): string {
  const result = buffer.take(frame, tick * 20);
  return Object.entries(taken).find(([, code]) => code === result)![0];
}

describe('the result of putting a packet', () => {
  it('the first is fresh, its copy a duplicate, the next is kept, and a stranger is stray', () => {
    const buffer = open();
    assert.deepEqual(
      [put(buffer, 0), put(buffer, 0), put(buffer, 1), put(buffer, 2, { ssrc: 9 })],
      ['fresh', 'duplicate', 'kept', 'stray'],
    );
  });

  it('before the first sample is played an overtaken packet still leads, afterwards it is late', () => {
    const buffer = open();
    assert.deepEqual([put(buffer, 5, { atMs: 0 }), put(buffer, 4, { atMs: 1 })], ['fresh', 'kept']);
    assert.equal(take(buffer, 1), 'played');
    assert.equal(put(buffer, 3, { atMs: 21 }), 'late');
    assert.equal(buffer.counters.late, 1);
  });

  it('a copy of a played packet is a duplicate, not late', () => {
    const buffer = open();
    put(buffer, 0);
    take(buffer, 1);
    assert.equal(put(buffer, 0, { atMs: 30 }), 'duplicate');
  });

  for (const [rule, options, packet, counter] of [
    ['an unknown payload type fills its number', {}, { type: 13 }, 'other'],
    ['an empty payload fills its number', {}, { bytes: 0 }, 'other'],
    ['a payload longer than a slot is oversized', { maxPayloadBytes: 320 }, { bytes: 321 }, 'oversized'],
    ['a payload of more than 120 ms is oversized', { maxPayloadBytes: 2000 }, { bytes: 961 }, 'oversized'],
  ] as const) {
    it(`${rule}, and is no loss`, () => {
      const buffer = open(options);
      put(buffer, 0);
      const result = put(buffer, 1, { ...packet, timestamp: 160 });
      assert.equal(result, counter === 'oversized' ? 'oversized' : 'kept');
      put(buffer, 2);
      assert.equal(buffer.counters[counter], 1);
      for (let tick = 1; tick < 5; tick++) take(buffer, tick);
      assert.deepEqual([buffer.counters.lost, buffer.counters.played], [0, 2]);
    });
  }

  for (const [rule, bytes] of [
    ['exactly a slot', 640],
    ['exactly 120 ms', 960],
  ] as const) {
    it(`a payload of ${rule} is played`, () => {
      const buffer = open({ maxPayloadBytes: bytes });
      put(buffer, 0, { bytes });
      assert.equal(take(buffer, 1), 'played');
      assert.equal(buffer.depthMs, bytes / 8 - 20);
    });
  }

  it('every received packet waits, or is counted with exactly one result', () => {
    const buffer = open({ maxDelayMs: 100 });
    let seed = 5;
    const draw = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let n = 0; n < 3000; n++) {
      const late = draw(8) === 0 ? draw(200) : 0;
      if (draw(20) > 0)
        put(buffer, n - draw(4), {
          atMs: n * 20 + late,
          type: draw(30) === 0 ? 101 : 0,
          ssrc: draw(100) === 0 ? 7 : 1,
        });
      if (draw(50) > 0) take(buffer, n);
      const {
        received,
        played,
        other,
        late: tooLate,
        duplicate,
        overflow,
        stray,
        oversized,
      } = buffer.counters;
      const waiting = buffer.packets.audioCount;
      assert.equal(
        received,
        played + other + tooLate + duplicate + overflow + stray + oversized + waiting,
        `packet ${n}`,
      );
    }
    assert.ok(buffer.counters.overflow > 0 && buffer.counters.late > 0 && buffer.counters.stray > 0);
  });
});

describe('what a frame contains', () => {
  it('is empty before any packet, played with one, concealed without, and empty again when concealment has ended', () => {
    const buffer = open();
    assert.equal(take(buffer, 0), 'empty');
    put(buffer, 0, { atMs: 15 });
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6].map((tick) => take(buffer, tick)),
      ['played', 'concealed', 'concealed', 'concealed', 'empty', 'empty'],
    );
    const { playedFrames, concealedFrames, emptyFrames, underruns } = buffer.counters;
    assert.deepEqual([playedFrames, concealedFrames, emptyFrames, underruns], [1, 3, 3, 1]);
  });

  it('a frame of which one sample is concealed counts as concealed', () => {
    const buffer = open();
    put(buffer, 0, { bytes: 159 });
    // Packets and frames share one sample only, so the first packet waits nearly a frame.
    assert.deepEqual([take(buffer, 1), take(buffer, 2)], ['empty', 'concealed']);
    assert.equal(buffer.counters.concealedSamples, 1);
  });

  for (const [rule, codec, clockRate, sampleRate, frameSamples] of [
    ['G.722, whose clock is half of its rate', new G722(), 8000, 16_000, 320],
    ['L16 at 16 kHz', l16(16_000)!, 16_000, 16_000, 320],
    ['L16 at 48 kHz', l16(48_000)!, 48_000, 48_000, 960],
    ['A-law', pcma, 8000, 8000, 160],
  ] as const) {
    it(`${rule}: a packet of 20 ms is a frame, and its depth is 20 ms`, () => {
      const units = clockRate / 50;
      const buffer = open({
        clockRate,
        sampleRate,
        frameSamples,
        payloads: [{ payloadType: 9, codec: codec as AudioCodec }],
        maxPayloadBytes: 2000,
      });
      const bytes = codec.frameBytes;
      for (let n = 0; n < 3; n++) put(buffer, n, { type: 9, bytes, timestamp: n * units, atMs: 5 });
      assert.equal(buffer.depthMs, 60);
      assert.equal(buffer.unitsIn(9, new Uint8Array(bytes), 0, bytes), units);
      assert.equal(buffer.unitsIn(0, new Uint8Array(bytes), 0, bytes), 0);
      assert.equal(take(buffer, 1), 'played');
      assert.equal(buffer.depthMs, 40);
      assert.equal(buffer.position, units);
    });
  }

  it('position and next packet say where the next frame begins', () => {
    const buffer = open();
    for (let n = 0; n < 3; n++) put(buffer, n, { bytes: 240, timestamp: n * 240, atMs: n * 30 + 5 });
    assert.equal(buffer.nextPacket, -1);
    // Packets of 30 ms: after a frame of 20 ms the next one begins within a packet, after three frames with one.
    const seen = [2, 3, 4, 5].map((tick) => [take(buffer, tick), buffer.position, buffer.nextPacket]);
    const first = seen.findIndex(([what]) => what === 'played');
    assert.deepEqual(seen.slice(first, first + 3), [
      ['played', 160, -1],
      ['played', 320, -1],
      ['played', 480, 2],
    ]);
  });

  it('a change of payload types leaves the time of an unplayable packet as a gap', () => {
    const buffer = open();
    for (let n = 0; n < 3; n++) put(buffer, n, { atMs: 5 });
    take(buffer, 1);
    buffer.setPayloads([{ payloadType: 8, codec: pcma }]);
    put(buffer, 3, { type: 8, atMs: 25 });
    const later = [2, 3, 4, 5].map((tick) => take(buffer, tick));
    assert.equal(later.at(-1) !== 'empty' || later.includes('played'), true);
    assert.deepEqual([buffer.counters.played, buffer.counters.lost], [4, 0]);
  });
});

describe('reset', () => {
  it('drops waiting packets, keeps the counters and begins a new stream with any numbers', () => {
    const buffer = open();
    for (let n = 0; n < 4; n++) put(buffer, n, { atMs: 5 });
    take(buffer, 1);
    buffer.reset();
    assert.deepEqual([buffer.depthMs, buffer.isPlaying, buffer.packets.count], [0, false, 0]);
    assert.deepEqual([buffer.counters.received, buffer.counters.overflow], [4, 3]);
    assert.equal(take(buffer, 2), 'empty');
    assert.equal(put(buffer, 40_000, { atMs: 60, timestamp: 9 }), 'fresh');
    assert.equal(take(buffer, 4), 'played');
    assert.equal(buffer.counters.resyncs, 0);
  });
});
