import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AudioCodec, CodecName } from '../codec/audio-codec.ts';
import { codecFor } from '../codec/codec-for.ts';
import { levelDb } from '../dsp/level.ts';
import { toneLevel } from '../dsp/tone-level.ts';
import { createRtpHeader, readRtpPacket } from '../rtp/rtp-packet.ts';
import { createRtpSender } from '../rtp/rtp-sender.ts';
import type { AgreedMedia, SoundClip } from './commands.ts';
import type { MediaEngine } from './engine-interface.ts';
import { createMediaEngine } from './media-engine.ts';

interface Phone {
  hz: number;
  /** Its tone is at −12 dB unless a test changes it. */
  amplitude: number;
  heard: number[];
  readonly ssrcs: Set<number>;
  /** Timestamps that are not consecutive within one SSRC. */
  breaks: number;
  codec: AudioCodec;
  speak(codec: CodecName, clockRate?: number): void;
}

interface LivePhone extends Phone {
  /** Sends one frame. */
  talk(): void;
  /** Receives a packet. */
  take(bytes: Uint8Array, length: number): void;
}

/** Phones of any codec on a perfect line; they send 7 ms before each tick. */
function createRig() {
  let now = 1_700_000_000_000;
  let seed = 1;
  const captured: { sampleRate: number; samples: number[] } = { sampleRate: 0, samples: [] };
  const phones = new Map<number, LivePhone>();
  const engine = createMediaEngine({
    send: (leg, bytes, length) => phones.get(leg)?.take(bytes, length),
    sendReport() {},
    notify() {},
    captured(_name, _tracks, samples, _isLast, sampleRate) {
      captured.sampleRate = sampleRate;
      captured.samples.push(...samples);
    },
    random() {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    },
    cname: 'rig',
  });
  return {
    engine,
    captured,
    run(frames: number) {
      for (let n = 0; n < frames; n++) {
        now += 13;
        for (const phone of phones.values()) phone.talk();
        now += 7;
        engine.tick(now);
        assert.equal(engine.countLeaks(), 0);
      }
    },
    room(members: readonly string[]) {
      engine.apply({ do: 'open-mix', mix: 'room' }, now);
      const edges = members.map((leg) => ({ leg, hears: members.filter((other) => other !== leg) }));
      engine.apply({ do: 'set-hearing', mix: 'room', members: edges }, now);
    },
    load: (name: string, clip: SoundClip) => engine.loadClip(name, clip),
    play: (to: readonly string[], name: string) =>
      engine.apply(
        { do: 'play', mix: 'room', key: 'clip', to, sound: { kind: 'clip', name }, loop: false },
        now,
      ),
    capture: (leg: string) =>
      engine.apply({ do: 'capture', capture: 'c', tracks: [{ said: [leg], heard: [] }] }, now),
    endCapture: () => engine.apply({ do: 'end-capture', capture: 'c' }, now),
    phone(leg: string, hz: number, name: CodecName, clockRate?: number): Phone {
      const index = engine.openLeg(leg)!;
      const phone = createPhone(engine, { leg, index, hz, codec: codecFor(name, clockRate)! }, () => now);
      phones.set(index, phone);
      phone.speak(name, clockRate);
      return phone;
    },
  };
}

/** A phone on a perfect line to this leg. */
function createPhone(
  engine: MediaEngine,
  { leg, index, hz, codec: first }: { leg: string; index: number; hz: number; codec: AudioCodec },
  now: () => number,
): LivePhone {
  const port = 20_000 + index;
  const header = createRtpHeader();
  const pcm = new Int16Array(4000);
  let encoder = first;
  let rtp = createRtpSender({ ssrc: index + 1, sequenceNumber: 7, timestamp: 5 });
  let payloadType = 0;
  let position = 0;
  let next = -1;
  let lastSsrc = -1;
  const phone = {
    hz,
    amplitude: 8192,
    heard: [] as number[],
    ssrcs: new Set<number>(),
    breaks: 0,
    codec: encoder,
    speak(codec: CodecName, rate?: number) {
      const before = phone.codec;
      encoder = codecFor(codec, rate)!;
      phone.codec = codecFor(codec, rate)!;
      payloadType = codec === 'PCMU' ? 0 : codec === 'G722' ? 9 : 97;
      if (before.clockRate !== encoder.clockRate) {
        rtp = createRtpSender({
          ssrc: 1000 + index + encoder.clockRate,
          sequenceNumber: 7,
          timestamp: 5,
        });
      }
      const agreed: AgreedMedia = {
        address: '192.0.2.1',
        port,
        codec,
        ...(rate === undefined ? {} : { clockRate: rate }),
        payloadType,
        direction: 'sendrecv',
        ptimeMs: 20,
      };
      assert.ok(engine.connectLeg(leg, agreed, now()));
    },
    talk() {
      const { frameSamples, frameBytes, clockRate: clock, sampleRate } = encoder;
      const frame = Int16Array.from({ length: frameSamples }, (_, i) =>
        Math.round(phone.amplitude * Math.sin(2 * Math.PI * phone.hz * (position + i / sampleRate))),
      );
      position += 0.02;
      const payload = new Uint8Array(frameBytes);
      encoder.encode(frame, frameSamples, payload, 0);
      const parts = frameBytes > 1400 ? 2 : 1;
      for (let p = 0; p < parts; p++) {
        const size = frameBytes / parts;
        const length = rtp.writePayload(payloadType, payload, p * size, size, clock / 50 / parts);
        engine.receive(index, rtp.packet, length, '192.0.2.1', port, now());
      }
    },
    take(bytes: Uint8Array, length: number) {
      if (bytes[1]! >= 200 && bytes[1]! <= 204) return;
      assert.ok(readRtpPacket(bytes, length, header));
      phone.ssrcs.add(header.ssrc);
      const { codec } = phone;
      if (header.ssrc === lastSsrc && next !== header.timestamp) phone.breaks++;
      lastSsrc = header.ssrc;
      const count = codec.decode(bytes, header.payloadOffset, header.payloadLength, pcm);
      next = (header.timestamp + (count * codec.clockRate) / codec.sampleRate) >>> 0;
      for (let i = 0; i < count; i++) phone.heard.push(pcm[i]!);
    },
  };
  return phone;
}

/** Level of a tone in the last half second that a phone heard; our tones are at −12 dB. */
const level = ({ heard, codec }: Phone, hz: number): number =>
  toneLevel(Int16Array.from(heard.slice(-codec.sampleRate / 2)), codec.sampleRate, hz);

describe('legs of different rates', () => {
  it('hear each other and not themselves, each at its own rate', () => {
    const rig = createRig();
    const phones = [
      rig.phone('a', 500, 'PCMU'),
      rig.phone('b', 900, 'G722'),
      rig.phone('c', 1300, 'L16', 24_000),
      rig.phone('d', 1700, 'L16', 48_000),
      rig.phone('e', 2100, 'L16', 16_000),
    ];
    // Four at once must stay below the limiter.
    for (const phone of phones) phone.amplitude = 4096;
    rig.room(['a', 'b', 'c', 'd', 'e']);
    rig.run(100);
    for (const phone of phones) {
      for (const { hz } of phones) {
        const heard = level(phone, hz);
        if (hz === phone.hz) assert.ok(heard < -50, `${hz} Hz hears itself at ${heard.toFixed(1)} dB`);
        else assert.ok(Math.abs(heard + 18) < 0.5, `${phone.hz} hears ${hz} at ${heard.toFixed(1)} dB`);
      }
      assert.equal(phone.breaks, 0);
    }
  });

  it('a tone above the telephone band reaches wideband listeners and causes no alias for telephones', () => {
    const rig = createRig();
    const [telephone, wide] = [rig.phone('a', 500, 'PCMU'), rig.phone('b', 900, 'G722')];
    rig.phone('c', 6000, 'L16', 48_000);
    rig.room(['a', 'b', 'c']);
    rig.run(100);
    assert.ok(level(wide, 6000) > -13.5);
    assert.ok(level(telephone, 2000) < -60, `alias at ${level(telephone, 2000).toFixed(1)} dB`);
    assert.ok(level(telephone, 900) > -13);
  });

  it('a telephone in the room does not lower the rate between two 48 kHz members', () => {
    const rig = createRig();
    const [telephone, full] = [rig.phone('a', 500, 'PCMU'), rig.phone('b', 900, 'L16', 48_000)];
    rig.phone('c', 19_000, 'L16', 48_000);
    const wide = rig.phone('d', 6500, 'L16', 16_000);
    for (const phone of [telephone, full, wide]) phone.amplitude = 4096;
    rig.room(['a', 'b', 'c', 'd']);
    rig.run(100);
    assert.ok(Math.abs(level(full, 19_000) + 12) < 0.5 && Math.abs(level(full, 6500) + 18) < 0.5);
    assert.ok(Math.abs(level(wide, 500) + 18) < 0.5);
    // No alias in the band of the others: 19 kHz would fold to 3 kHz, 6.5 kHz to 1.5 kHz and 9.5 kHz.
    assert.ok(level(wide, 3000) < -60 && level(telephone, 3000) < -60 && level(telephone, 1500) < -60);
    assert.ok(level(full, 9500) < -60);
  });

  it('a member of another rate changes no sample for the others when it joins or leaves', () => {
    const listen = (withGuest: boolean): number[] => {
      const rig = createRig();
      const phone = rig.phone('a', 500, 'PCMU');
      rig.phone('b', 900, 'PCMU');
      rig.phone('b2', 0, 'PCMU');
      rig.room(['a', 'b', 'b2']);
      rig.run(20);
      if (withGuest) {
        rig.phone('c', 0, 'L16', 48_000);
        rig.room(['a', 'b', 'b2', 'c']);
      }
      rig.run(20);
      if (withGuest) rig.engine.closeLeg('c', 1_700_000_000_800);
      rig.run(20);
      return phone.heard;
    };
    assert.deepEqual(listen(true), listen(false));
  });

  it('a change of codec makes no gap for listeners, and another clock rate uses another SSRC (RFC 7160 §4.1)', () => {
    const rig = createRig();
    const [listener, mover] = [rig.phone('a', 500, 'PCMU'), rig.phone('b', 900, 'PCMU')];
    rig.phone('c', 0, 'PCMU');
    rig.room(['a', 'b', 'c']);
    rig.run(50);
    // A sine of −12 dB has a power of −15 dB; the filter of another rate begins with 3 ms of silence.
    const quietest = (from: number): number => {
      let least = 0;
      for (let at = from; at + 80 <= listener.heard.length; at += 20) {
        least = Math.min(least, levelDb(Int16Array.from(listener.heard.slice(at, at + 80))));
      }
      return least;
    };
    const start = listener.heard.length - 400;
    mover.speak('G722');
    rig.run(50);
    assert.equal(mover.ssrcs.size, 1);
    assert.ok(Math.abs(level(mover, 500) + 12) < 1);
    mover.speak('L16', 24_000);
    rig.run(50);
    assert.equal(mover.ssrcs.size, 2);
    assert.ok(Math.abs(level(mover, 500) + 12) < 1);
    assert.ok(Math.abs(level(listener, 900) + 12) < 1);
    assert.ok(quietest(start) > -18, `falls to ${quietest(start).toFixed(1)} dB`);
    assert.equal(listener.breaks, 0);
    assert.equal(rig.engine.closeLeg('b', 1_700_000_100_000).packetsSent, 150, 'one in each frame');
  });

  it('two members alone with G.722 or L16 are relayed undecoded', () => {
    for (const [name, rate] of [
      ['G722', undefined],
      ['L16', 16_000],
    ] as const) {
      const rig = createRig();
      const [a, b] = [rig.phone('a', 500, name, rate), rig.phone('b', 900, name, rate)];
      rig.room(['a', 'b']);
      rig.run(100);
      assert.ok(rig.engine.counters.relayed > 150, `${rig.engine.counters.relayed} packets of ${name}`);
      assert.ok(Math.abs(level(a, 900) + 12) < 0.5);
      const relayed = rig.engine.counters.relayed;
      rig.phone('c', 2500, 'PCMU');
      rig.room(['a', 'b', 'c']);
      rig.run(60);
      assert.equal(rig.engine.counters.relayed - relayed <= 4, true);
      assert.ok(Math.abs(level(b, 500) + 12) < 0.5 && Math.abs(level(b, 2500) + 12) < 1);
      assert.equal(a.breaks + b.breaks, 0);
    }
  });

  it('two members with one codec and different clock rates are not relayed', () => {
    const rig = createRig();
    const [a, b] = [rig.phone('a', 500, 'L16', 16_000), rig.phone('b', 900, 'L16', 8000)];
    rig.room(['a', 'b']);
    rig.run(60);
    assert.equal(rig.engine.counters.relayed, 0);
    assert.ok(level(a, 900) > -12.5 && level(b, 500) > -12.5);
  });

  it('a capture keeps the best rate of the legs that are present when it begins', () => {
    const rig = createRig();
    const talker = rig.phone('a', 5000, 'G722');
    rig.capture('a');
    rig.run(50);
    talker.hz = 1000;
    talker.speak('PCMU');
    rig.run(50);
    rig.endCapture();
    assert.equal(rig.captured.sampleRate, 16_000);
    const samples = Int16Array.from(rig.captured.samples);
    assert.ok(Math.abs(samples.length - 2 * 16_000) <= 640);
    assert.ok(toneLevel(samples.subarray(4000, 12_000), 16_000, 5000) > -13);
    assert.ok(toneLevel(samples.subarray(20_000, 30_000), 16_000, 1000) > -13);
  });

  it('a clip is heard at the full rate of the listener’s codec', () => {
    const rig = createRig();
    const [narrow, wide] = [rig.phone('a', 0, 'PCMU'), rig.phone('b', 0, 'G722')];
    rig.room(['a', 'b']);
    const samples = Int16Array.from({ length: 48_000 }, (_, i) =>
      Math.round(
        8192 * Math.sin((2 * Math.PI * 1000 * i) / 48_000) +
          8192 * Math.sin((2 * Math.PI * 5000 * i) / 48_000),
      ),
    );
    assert.ok(rig.load('two-tones', { sampleRate: 48_000, samples }));
    rig.run(5);
    rig.play(['a', 'b'], 'two-tones');
    rig.run(45);
    assert.ok(Math.abs(level(wide, 1000) + 12) < 1 && Math.abs(level(wide, 5000) + 12) < 1);
    assert.ok(Math.abs(level(narrow, 1000) + 12) < 1 && level(narrow, 3000) < -60);
  });
});
