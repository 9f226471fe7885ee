import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pcma, pcmu } from '../codec/g711.ts';
import { createRtpHeader, readRtpPacket } from '../rtp/rtp-packet.ts';
import { createJitterBuffer } from './create-jitter-buffer.ts';
import { taken } from './taken.ts';
import { packetsOf, play, playStream, tone } from './testing/simulated-stream.ts';

/** A repeatable random sequence. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

/** The largest step from one sample to the next: 1 kHz at this level has 7,100, a click has more. */
function greatestStep(pcm: Int16Array, from: number, to: number): number {
  let greatest = 0;
  for (let i = from + 1; i < to; i++) greatest = Math.max(greatest, Math.abs(pcm[i]! - pcm[i - 1]!));
  return greatest;
}

/**
 * Samples from `from` on that differ from the tone by more than the codec's rounding or this share of it: concealment
 * fades by a fifth in its second 10 ms.
 */
function offTone(pcm: Int16Array, from: number, quieter = 0): number {
  let wrong = 0;
  for (let i = from; i < pcm.length; i++) {
    const expected = tone(i - from);
    if (Math.abs(pcm[i]! - expected) > 300 + Math.abs(expected) * quieter) wrong++;
  }
  return wrong;
}

function percentile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)]!;
}

describe('a loss-free stream', () => {
  for (const packetMs of [10, 20, 30, 40, 60]) {
    it(`plays a 1 kHz tone in packets of ${packetMs} ms without a break in its phase`, () => {
      const { pcm, codes, buffer } = playStream({ packets: 6000 / packetMs, packetMs });
      const first = codes.indexOf(taken.played);
      assert.ok(first >= 0 && first <= 3);
      assert.deepEqual(new Set(codes.slice(first)), new Set([taken.played]));
      assert.equal(offTone(pcm, first * 160), 0);
      assert.equal(buffer.counters.insertedSamples + buffer.counters.removedSamples, 0);
    });
  }

  it('plays on over the wraps of sequence number and timestamp', () => {
    const { pcm, codes } = playStream({ packets: 200, sequenceNumber: 65_450, timestamp: 0xffffffff - 9000 });
    assert.equal(offTone(pcm, codes.indexOf(0) * 160), 0);
  });

  it('adds at most 20 ms of delay (p99) and 12 ms (median) for any phase of the sender', () => {
    const waits: number[] = [];
    for (let phase = 0; phase < 200; phase++) {
      const random = chance(phase + 1);
      const phaseMs = phase / 10 + 0.05;
      const packets = packetsOf({
        packets: 100,
        phaseMs,
        delayMs: () => random() * 0.2,
        // Neighbouring packets have different levels, which identify them after decoding.
        sample: (index) => ((Math.floor(index / 160) % 16) + 1) * 1900,
      });
      const { pcm, codes, tickMs } = play(packets, 100);
      for (const [tick, code] of codes.entries()) {
        if (code !== taken.played) continue;
        const level = Math.round(pcm[tick * 160 + 80]! / 1900) - 1;
        const packet = tick - ((tick - level + 160) % 16);
        waits.push(tickMs[tick]! - packets[packet]!.atMs);
      }
    }
    assert.ok(waits.length > 19_000);
    const median = percentile(waits, 0.5);
    const worst = percentile(waits, 0.99);
    assert.ok(median <= 12 && median > 5, `median ${median}`);
    assert.ok(worst <= 20, `p99 ${worst}`);
  });

  it('decodes each packet with the codec of its payload type, also when it changes in mid-stream', () => {
    const payloads = [
      { payloadType: 0, codec: pcmu },
      { payloadType: 8, codec: pcma },
    ];
    const first = packetsOf({ packets: 50 });
    const second = packetsOf({
      packets: 50,
      phaseMs: 1005,
      sequenceNumber: 50,
      timestamp: 8000,
      codec: pcma,
      payloadType: 8,
    });
    const { pcm, codes } = play([...first, ...second], 99, { payloads });
    assert.equal(offTone(pcm, codes.indexOf(0) * 160), 0);
  });

  it('keeps minDelayMs even on a perfect network', () => {
    const { codes } = playStream({ packets: 50, phaseMs: 5 }, { minDelayMs: 50 });
    assert.equal(codes.indexOf(taken.played), 3);
  });
});

describe('loss', () => {
  it('conceals a lost packet with the pitch of the audio before it, and counts it', () => {
    const { pcm, codes, buffer } = playStream({ packets: 100, delayMs: (i) => (i === 50 ? undefined : 0) });
    assert.equal(buffer.counters.lost, 1);
    assert.equal(codes.filter((code) => code === taken.concealed).length, 1);
    // The tone continues in phase.
    assert.equal(offTone(pcm, codes.indexOf(0) * 160, 0.2), 0);
    assert.ok(offTone(pcm, codes.indexOf(0) * 160) <= 100);
    assert.equal(buffer.counters.insertedSamples, 0);
  });

  it('fades to silence within 60 ms and returns without a click after a long loss', () => {
    const { pcm, codes, buffer } = playStream({
      packets: 100,
      delayMs: (i) => (i >= 50 && i < 60 ? undefined : 0),
    });
    const lostFrom = codes.indexOf(taken.concealed) * 160;
    assert.deepEqual(new Set(pcm.subarray(lostFrom + 480, lostFrom + 1600)), new Set([0]));
    assert.ok(greatestStep(pcm, 160, pcm.length) <= 7600);
    assert.equal(buffer.counters.lost, 10);
    assert.equal(codes.at(-1), taken.played);
  });

  it('plays all received packets at 10 % loss, with unchanged delay', () => {
    const random = chance(7);
    const { buffer, depthsMs } = playStream({
      packets: 1000,
      delayMs: () => (random() < 0.1 ? undefined : 0),
    });
    const { received, played, late, lost, overflow } = buffer.counters;
    assert.equal(played, received);
    assert.deepEqual([late, overflow], [0, 0]);
    assert.ok(lost >= 999 - received && lost <= 1000 - received);
    assert.ok(Math.max(...depthsMs) <= 20);
  });
});

describe('order', () => {
  it('plays packets that overtook each other in order', () => {
    // Every fourth packet is 25 ms late, so its successor arrives first.
    const { pcm, buffer } = playStream({
      packets: 300,
      phaseMs: 1,
      delayMs: (i) => (i % 4 === 3 ? 25 : 0),
      sample: (index) => 1000 + Math.floor(index / 160) * 50,
    });
    let last = 0;
    for (let i = 0; i < pcm.length; i += 160) {
      const level = pcm[i + 80]!;
      if (level > 900 && level < 30_000) {
        assert.ok(level >= last - 300, `frame ${i / 160}`);
        last = level;
      }
    }
    assert.ok(buffer.counters.late <= 1);
  });

  it('plays a duplicated packet once, whether its first copy still waits or was played', () => {
    const { pcm, codes, buffer } = playStream({ packets: 100, isDuplicate: () => true });
    // The copy of the last packet arrives with or after the last tick.
    assert.ok(buffer.counters.duplicate >= 98);
    assert.equal(buffer.counters.late, 0);
    assert.equal(offTone(pcm, codes.indexOf(0) * 160), 0);
  });

  it('drops a packet whose turn is over, and counts it as late', () => {
    const { buffer } = playStream({ packets: 100, delayMs: (i) => (i === 30 ? 90 : 0) });
    assert.equal(buffer.counters.late, 1);
    assert.equal(buffer.counters.lost, 1);
  });
});

describe('delay', () => {
  it('grows with the jitter until packets are in time, and no further', () => {
    const random = chance(3);
    const { codes, depthsMs } = playStream({ packets: 1500, delayMs: () => random() * 50 });
    const concealed = codes.slice(500).filter((code) => code !== taken.played).length;
    assert.ok(concealed <= 20, `${concealed} of 1000 frames`);
    assert.ok(Math.max(...depthsMs.slice(500)) <= 80);
  });

  it('falls again after a burst of delay, without a click', () => {
    const { pcm, buffer, depthsMs } = playStream({
      packets: 1500,
      delayMs: (i) => (i >= 300 && i < 309 ? (309 - i) * 20 : 0),
    });
    assert.ok(Math.max(...depthsMs) >= 100);
    assert.equal(depthsMs.at(-1), 0);
    assert.equal(buffer.counters.played, buffer.counters.received);
    assert.ok(greatestStep(pcm, 400 * 160, pcm.length) <= 7600);
  });

  for (const ppm of [500, -500]) {
    it(`stays bounded over ten minutes of a clock that is off by ${ppm} ppm, and never conceals`, () => {
      const { codes, buffer, depthsMs, pcm } = playStream({
        packets: 30_000,
        ppm,
        sample: (index) => Math.round(9000 * Math.sin((index * Math.PI) / 4)),
      });
      const first = codes.indexOf(taken.played);
      const last = Math.min(codes.length, Math.floor(30_000 * (1 - ppm / 1e6)) - 1);
      assert.ok(codes.slice(first, last).every((code) => code === taken.played));
      assert.ok(Math.max(...depthsMs) <= 40);
      // 500 ppm of 600 s are 300 ms or 2,400 samples, corrected in whole packets.
      const { removedSamples, insertedSamples } = buffer.counters;
      const net = ppm > 0 ? removedSamples - insertedSamples : insertedSamples - removedSamples;
      assert.ok(Math.abs(net - 2400) <= 320, `${net} samples`);
      assert.ok(greatestStep(pcm, first * 160, last * 160) <= 7100);
    });
  }

  it('is bounded when packets are put and none are taken', () => {
    const buffer = createJitterBuffer({
      clockRate: 8000,
      frameSamples: 160,
      payloads: [{ payloadType: 0, codec: pcmu }],
      maxDelayMs: 100,
    });
    const header = createRtpHeader();
    for (const { bytes, atMs } of packetsOf({ packets: 1000 })) {
      readRtpPacket(bytes, bytes.length, header);
      buffer.put(header, bytes, atMs);
      assert.ok(buffer.depthMs <= 100);
    }
    assert.ok(buffer.counters.overflow >= 990);
  });
});

describe('streams that change', () => {
  it('plays on after silence suppression: a gap in timestamps without a gap in sequence numbers is not a loss', () => {
    const first = packetsOf({ packets: 50 });
    const second = packetsOf({ packets: 50, phaseMs: 5 + 3000, sequenceNumber: 50, timestamp: 24_000 });
    const { buffer, codes } = play([...first, ...second], 199);
    assert.equal(buffer.counters.lost, 0);
    assert.equal(buffer.counters.played, buffer.counters.received);
    assert.equal(codes[100], taken.empty);
    assert.equal(codes.at(-1), taken.played);
  });

  it('follows a new SSRC from its second packet on, or at once when the old one is silent', () => {
    const first = packetsOf({ packets: 50 });
    const second = packetsOf({ packets: 50, phaseMs: 1005, ssrc: 2, sequenceNumber: 9000, timestamp: 77 });
    const at = play([...first, ...second], 99).buffer.counters;
    assert.deepEqual([at.resyncs, at.stray], [1, 1]);
    const later = play([...first, ...second.map((packet) => ({ ...packet, atMs: packet.atMs + 100 }))], 99);
    assert.deepEqual([later.buffer.counters.resyncs, later.buffer.counters.stray], [1, 0]);
    assert.equal(later.codes.at(-1), taken.played);
  });

  it('drops a single packet of another SSRC, sequence or clock', () => {
    const { buffer, pcm, codes } = playStream({
      packets: 100,
      isDuplicate: (i) => i === 20 || i === 40 || i === 60,
      edit: (bytes, i) => {
        if (i === 20) bytes[8] = 99;
        if (i === 40) bytes[2] = 200;
        if (i === 60) bytes[4] = 128;
      },
    });
    // Both copies of each are stray, and each leaves a gap of one packet.
    assert.equal(buffer.counters.stray, 6);
    assert.equal(buffer.counters.resyncs, 0);
    assert.equal(buffer.counters.lost, 3);
    assert.equal(offTone(pcm, codes.indexOf(0) * 160, 0.2), 0);
  });

  it('follows a stream after a jump of its timestamp', () => {
    const first = packetsOf({ packets: 50 });
    const second = packetsOf({ packets: 50, phaseMs: 1005, sequenceNumber: 50, timestamp: 0x50000000 });
    const { buffer, codes } = play([...first, ...second], 99);
    assert.equal(buffer.counters.resyncs, 1);
    assert.equal(codes.at(-1), taken.played);
  });

  it('counts an outage of ten seconds as loss, not as a new stream', () => {
    const { buffer, codes } = playStream({
      packets: 700,
      delayMs: (i) => (i >= 100 && i < 600 ? undefined : 0),
    });
    assert.equal(buffer.counters.lost, 500);
    assert.equal(codes.at(-1), taken.played);
  });

  it('neither plays packets of other payload types nor counts them as lost: telephone events, comfort noise', () => {
    const { buffer, codes } = playStream({
      packets: 100,
      edit: (bytes, i) => {
        if (i >= 40 && i < 50) bytes[1] = 101;
      },
    });
    assert.deepEqual([buffer.counters.other, buffer.counters.lost], [10, 0]);
    assert.equal(codes.at(-1), taken.played);
  });

  it('plays on when a payload is longer than its slot', () => {
    const { buffer } = playStream({ packets: 40, packetMs: 60 }, { maxPayloadBytes: 320 });
    assert.equal(buffer.counters.oversized, buffer.counters.received);
  });

  it('is empty before the first packet and after reset', () => {
    const { buffer } = playStream({ packets: 10 });
    buffer.reset();
    const out = new Int16Array(160).fill(1);
    assert.equal(buffer.take(out, 1000), taken.empty);
    assert.ok(out.every((sample) => sample === 0));
  });
});
