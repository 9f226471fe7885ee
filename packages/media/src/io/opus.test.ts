import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { opusSamples } from '../codec/opus-packet.ts';
import { isSilent } from '../dsp/level.ts';
import { toneLevel } from '../dsp/tone-level.ts';
import { createJitterBuffer } from '../jitter/create-jitter-buffer.ts';
import { createRtpHeader, readRtpPacket } from '../rtp/rtp-packet.ts';
import { createRtpSender } from '../rtp/rtp-sender.ts';
import { loadOpus, type OpenOpus } from './opus.ts';

const sine = (hz: number, frame: number): Int16Array =>
  Int16Array.from({ length: 960 }, (_, i) =>
    Math.round(8192 * Math.sin((2 * Math.PI * hz * (frame * 960 + i)) / 48_000)),
  );

/** A voice-like signal: 20 harmonics of a moving pitch, louder around 600 Hz, in syllables. */
function createVoice(): (frame: number) => Int16Array {
  let phase = 0;
  return (frame) =>
    Int16Array.from({ length: 960 }, (_, i) => {
      const seconds = (frame * 960 + i) / 48_000;
      phase += (2 * Math.PI * (120 + 20 * Math.sin(3 * Math.PI * seconds))) / 48_000;
      let sum = 0;
      for (let k = 1; k <= 20; k++) sum += Math.sin(k * phase) / (1 + Math.abs(k * 120 - 600) / 300);
      return 2500 * sum * (0.55 + 0.45 * Math.sin(6 * Math.PI * seconds));
    });
}

describe('Opus', () => {
  let openOpus: OpenOpus;
  before(async () => {
    openOpus = await loadOpus(24);
  });

  function encodeFrames(hz: number | 'voice', frames: number, parameters: string): Uint8Array[] {
    const codec = openOpus(parameters);
    const voice = createVoice();
    const packets = Array.from({ length: frames }, (_, n) => {
      const out = new Uint8Array(1300);
      return out.slice(0, codec.encode(hz === 'voice' ? voice(n) : sine(hz, n), 960, out, 0));
    });
    codec.close?.();
    return packets;
  }

  /** Plays packets through a jitter buffer without the lost ones; each frame is taken `waitMs` after its packet. */
  function play(packets: readonly Uint8Array[], isLost: (n: number) => boolean, lateTicks = 0) {
    const codec = openOpus('');
    const buffer = createJitterBuffer({
      clockRate: 48_000,
      frameSamples: 960,
      payloads: [{ payloadType: 111, codec }],
      maxPayloadBytes: 1275,
      minDelayMs: lateTicks * 20,
    });
    const rtp = createRtpSender({ ssrc: 1, sequenceNumber: 1, timestamp: 1 });
    const header = createRtpHeader();
    const frame = new Int16Array(960);
    const heard = new Int16Array(960 * packets.length);
    packets.forEach((packet, n) => {
      const length = rtp.writePayload(111, packet, 0, packet.length, 960);
      if (!isLost(n) && readRtpPacket(rtp.packet, length, header)) buffer.put(header, rtp.packet, n * 20);
      buffer.take(frame, n * 20 + 5);
      heard.set(frame, n * 960);
    });
    codec.close?.();
    return { heard, counters: buffer.counters };
  }

  it('carries a tone at its level, also above the telephone band', () => {
    for (const hz of [400, 3000, 6000]) {
      const { heard, counters } = play(encodeFrames(hz, 50, 'useinbandfec=1'), () => false);
      assert.ok(Math.abs(toneLevel(heard.subarray(24_000), 48_000, hz) + 12) < 1.5, `${hz} Hz`);
      assert.equal(counters.concealedFrames, 0);
    }
  });

  it('sends no more bandwidth than the other side plays (RFC 7587 §6.1, maxplaybackrate)', () => {
    const { heard } = play(encodeFrames(6000, 50, 'maxplaybackrate=8000;stereo=0'), () => false);
    assert.ok(
      toneLevel(play(encodeFrames(6000, 50, ''), () => false).heard.subarray(24_000), 48_000, 6000) > -14,
    );
    assert.ok(toneLevel(heard.subarray(24_000), 48_000, 6000) < -40);
  });

  it('decodes a lost packet from the redundancy of the next one, and counts it as concealed', () => {
    const isLost = (n: number): boolean => n > 20 && n % 10 === 0;
    const ratioWith = (parameters: string): number => {
      const packets = encodeFrames('voice', 100, parameters);
      const { heard, counters } = play(packets, isLost, 1);
      assert.deepEqual([counters.lost, counters.concealedFrames, counters.underruns], [7, 7, 0]);
      const whole = play(packets, () => false, 1).heard;
      let signal = 0;
      let error = 0;
      for (let n = 0; n < 99; n++) {
        if (!isLost(n)) continue;
        // One frame waits in the buffer.
        for (let i = (n + 1) * 960; i < (n + 2) * 960; i++) {
          signal += whole[i]! ** 2;
          error += (whole[i]! - heard[i]!) ** 2;
        }
      }
      return 10 * Math.log10(signal / error);
    };
    const [recovered, guessed] = [ratioWith('useinbandfec=1'), ratioWith('useinbandfec=0')];
    assert.ok(recovered > 8, `${recovered.toFixed(1)} dB from redundancy`);
    assert.ok(recovered > guessed + 5, `${guessed.toFixed(1)} dB from concealment alone`);
  });

  it('conceals missing packets with the codec for 60 ms; silence follows until the next packet', () => {
    const packets = encodeFrames(400, 100, '');
    const { heard, counters } = play(packets, (n) => n >= 40 && n < 60);
    assert.equal(counters.concealedFrames, 3);
    assert.ok(!isSilent(heard.subarray(40 * 960), 960, 2000), 'the tone continues for some time');
    assert.ok(heard.subarray(46 * 960, 58 * 960).every((sample) => Math.abs(sample) < 100));
    assert.ok(toneLevel(heard.subarray(70 * 960, 95 * 960), 48_000, 400) > -13);
  });

  it('does not count a pause of the sender (DTX) as loss, and adds no delay', () => {
    const packets = encodeFrames(400, 100, '');
    // Sequence numbers continue, timestamps jump (RFC 7587 §3.1.3): the sender skips silent frames.
    const codec = openOpus('');
    const buffer = createJitterBuffer({
      clockRate: 48_000,
      frameSamples: 960,
      payloads: [{ payloadType: 111, codec }],
    });
    const rtp = createRtpSender({ ssrc: 1, sequenceNumber: 1, timestamp: 1 });
    const header = createRtpHeader();
    const frame = new Int16Array(960);
    packets.forEach((packet, n) => {
      if (n >= 30 && n < 50) rtp.skip(960);
      else {
        const length = rtp.writePayload(111, packet, 0, packet.length, 960);
        if (readRtpPacket(rtp.packet, length, header)) buffer.put(header, rtp.packet, n * 20);
      }
      buffer.take(frame, n * 20 + 5);
    });
    assert.equal(buffer.counters.lost, 0);
    assert.ok(buffer.depthMs <= 20);
    codec.close?.();
  });

  it('accepts any bytes without a throw, as at most 120 ms', () => {
    const codec = openOpus('');
    const out = new Int16Array(5760);
    let state = 1;
    for (let n = 0; n < 2000; n++) {
      const bytes = Uint8Array.from({ length: n % 60 }, () => {
        state = (state * 48_271) % 2_147_483_647;
        return state & 0xff;
      });
      const samples = codec.samplesIn(bytes.length, bytes, 0);
      assert.ok(samples >= 0 && samples <= 5760);
      assert.equal(codec.decode(bytes, 0, bytes.length, out), samples);
    }
    codec.close?.();
    assert.doesNotThrow(() => codec.close?.(), 'closing twice has no effect');
  });

  it('reads the length of a packet from its first bytes (RFC 6716 §3.1)', () => {
    for (const [bytes, samples] of [
      [[0x08], 960],
      [[0x18], 2880],
      [[0x68], 960],
      [[0xf8], 960],
      [[0xe0], 120],
      [[0x09], 1920],
      [[0xfb, 0x03], 2880],
      [[0xfb, 0x07], 0],
      [[0xfb], 0],
      [[], 0],
    ] as const) {
      assert.equal(opusSamples(Uint8Array.from(bytes), 0, bytes.length), samples, bytes.join(' '));
    }
  });

  it('sends audio from the next turn on for a leg without a prepared pair', async () => {
    const many = Array.from({ length: 40 }, () => openOpus(''));
    const out = new Uint8Array(1300);
    assert.ok(many.every((codec) => codec.encode(sine(400, 0), 960, out, 0) >= 1));
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(many.every((codec) => codec.encode(sine(400, 1), 960, out, 0) > 20));
    for (const codec of many) codec.close?.();
  });

  it('carries a tone at its level again after a rest', () => {
    const [sender, receiver] = [openOpus(''), openOpus('')];
    const out = new Uint8Array(1300);
    const heard = new Int16Array(960);
    for (let n = 0; n < 60; n++) {
      // The receiver goes on: it has followed another stream, as after a relay.
      if (n === 30) sender.rest?.();
      const length = sender.encode(sine(1000, n), 960, out, 0);
      if (n === 30) receiver.rest?.();
      receiver.decode(out, 0, length, heard);
    }
    assert.ok(Math.abs(toneLevel(heard, 48_000, 1000) + 12) < 1.5);
    for (const codec of [sender, receiver]) codec.close?.();
  });

  it('conceals with silence and sends silence while it rests', () => {
    const codec = openOpus('');
    const heard = new Int16Array(960).fill(1);
    codec.rest?.();
    assert.equal(codec.conceal?.(960, heard, 0), 960);
    assert.ok(isSilent(heard, heard.length));
    const out = new Uint8Array(1300);
    assert.equal(codec.encode(heard, 960, out, 0), 1);
    assert.ok(codec.encode(sine(1000, 0), 960, out, 0) > 20, 'the first audible frame is sent');
    codec.close?.();
  });

  it('opens a thousand legs that rest, and send silence, in the memory of a few', async () => {
    const legs: ReturnType<OpenOpus>[] = [];
    const silence = new Int16Array(960);
    const out = new Uint8Array(1300);
    const open = async (count: number) => {
      for (let n = 0; n < count; n++) {
        const codec = openOpus('');
        legs.push(codec);
        codec.rest?.();
        codec.encode(silence, 960, out, 0);
        if (n % 8 === 7) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await open(40);
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().external;
    await open(1000);
    const grown = process.memoryUsage().arrayBuffers + process.memoryUsage().external - before;
    // A thousand pairs of encoder and decoder take over 40 MB.
    assert.ok(grown < 4 * 2 ** 20, `${grown} bytes`);
    for (const codec of legs) codec.close?.();
  });
});
