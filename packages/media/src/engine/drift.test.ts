import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pcmu } from '../codec/g711.ts';
import { createRtpHeader, readRtpPacket } from '../rtp/rtp-packet.ts';
import { createRtpSender } from '../rtp/rtp-sender.ts';
import { createMediaEngine } from './media-engine.ts';

const RATE = 8000;
const FRAME = 160;
const HOUR_FRAMES = 180_000;

/**
 * What a phone says: a tone, and below it a pilot so slow that its phase shows which moment of the phone is heard. Both
 * repeat in whole packets, which are encoded once.
 */
interface Voice {
  readonly toneHz: number;
  readonly pilotPackets: number;
  readonly ppm: number;
}

const TONE = 6000;
const PILOT = 3000;
/** Packets after which both pilots repeat. */
const WINDOW = 16;

function payloadsOf({ toneHz, pilotPackets }: Voice): Uint8Array[] {
  return Array.from({ length: pilotPackets }, (_, packet) => {
    const samples = Int16Array.from({ length: FRAME }, (_, i) => {
      const n = packet * FRAME + i;
      const tone = TONE * Math.sin((2 * Math.PI * toneHz * n) / RATE);
      return Math.round(tone + PILOT * Math.cos((2 * Math.PI * n) / (pilotPackets * FRAME)));
    });
    const payload = new Uint8Array(FRAME);
    pcmu.encode(samples, FRAME, payload, 0);
    return payload;
  });
}

/** Measures one voice in the audio of a listener, frame by frame. */
function createMeter({ toneHz, pilotPackets, ppm }: Voice) {
  const cosine = Float64Array.from({ length: FRAME }, (_, i) => Math.cos((2 * Math.PI * toneHz * i) / RATE));
  const sine = Float64Array.from({ length: FRAME }, (_, i) => Math.sin((2 * Math.PI * toneHz * i) / RATE));
  const periodMs = pilotPackets * 20;
  const means = new Float64Array(WINDOW);
  let lastPhase = Number.NaN;
  let phoneMs = Number.NaN;
  const found = { quietest: 1, loudest: 0, greatestTurn: 0, delaySum: 0, frames: 0, least: 1e9, most: -1e9 };
  return {
    found,
    /** `nowMs` is the time at which the frame's last sample is sent, since the phone's first packet. */
    hear(frame: Int16Array, number: number, nowMs: number, isJudged: boolean): void {
      let [re, im, sum] = [0, 0, 0];
      for (let i = 0; i < FRAME; i++) {
        const sample = frame[i]!;
        re += sample * sine[i]!;
        im += sample * cosine[i]!;
        sum += sample;
      }
      means[number % WINDOW] = sum / FRAME;
      const level = (2 * Math.hypot(re, im)) / FRAME / TONE;
      const phase = Math.atan2(im, re);
      const turn = Math.abs(Math.atan2(Math.sin(phase - lastPhase), Math.cos(phase - lastPhase)));
      lastPhase = phase;
      // Fits both pilots over the last frames. The remainder is large while the window contains a cut or an insertion.
      let rest = 0;
      let positionMs = 0;
      for (let k = 0; k < WINDOW; k++) rest += means[k]! * means[k]!;
      for (const period of [WINDOW / 2, WINDOW]) {
        let [x, y] = [0, 0];
        for (let k = 0; k < WINDOW; k++) {
          const angle = (2 * Math.PI * (k + 0.5)) / period;
          const mean = means[(number + 1 + k) % WINDOW]!;
          x += mean * Math.cos(angle);
          y += mean * Math.sin(angle);
        }
        rest -= (2 * (x * x + y * y)) / WINDOW;
        if (period === pilotPackets) positionMs = (-Math.atan2(y, x) / (2 * Math.PI)) * periodMs;
      }
      const isClear = rest < WINDOW * (PILOT / 50) ** 2;
      if (!isJudged) {
        phoneMs = Number.NaN;
        return;
      }
      // Unwrapped across its periods: it advances by 20 ms a frame, plus or minus cuts and insertions.
      if (Number.isNaN(phoneMs)) {
        phoneMs = Math.round((nowMs - 20 - positionMs) / periodMs) * periodMs + positionMs;
      } else {
        const step = positionMs - phoneMs - 20;
        phoneMs += 20 + step - Math.round(step / periodMs) * periodMs;
      }
      const delayMs = nowMs - phoneMs * (1 - ppm / 1e6);
      found.quietest = Math.min(found.quietest, level);
      found.loudest = Math.max(found.loudest, level);
      found.greatestTurn = Math.max(found.greatestTurn, turn);
      if (!isClear) return;
      found.delaySum += delayMs;
      found.least = Math.min(found.least, delayMs);
      found.most = Math.max(found.most, delayMs);
      found.frames++;
    },
  };
}

test('for an hour, phones 500 ppm fast and slow are heard by a third without a gap or a click, with at most 30 ms of delay', () => {
  const voices: readonly Voice[] = [
    { toneHz: 1000, pilotPackets: 8, ppm: 500 },
    { toneHz: 500, pilotPackets: 16, ppm: -500 },
  ];
  const meters = voices.map(createMeter);
  const header = createRtpHeader();
  const frame = new Int16Array(FRAME);
  const startMs = 1_700_000_000_000;
  let now = startMs;
  let heardFrames = 0;
  let breaks = 0;
  let nextTimestamp = -1;
  const engine = createMediaEngine({
    send(leg, bytes, length) {
      if (leg !== 2) return;
      assert.ok(readRtpPacket(bytes, length, header));
      if (nextTimestamp >= 0 && header.timestamp !== nextTimestamp) breaks++;
      nextTimestamp = (header.timestamp + FRAME) >>> 0;
      pcmu.decode(bytes, header.payloadOffset, header.payloadLength, frame, 0);
      // The first half minute, in which the buffers learn, is not judged.
      const isJudged = heardFrames > 1500;
      for (const meter of meters) meter.hear(frame, heardFrames, now - startMs, isJudged);
      heardFrames++;
    },
    sendReport() {},
    notify() {},
    random: () => 0.3,
    cname: 'drift',
  });
  const names = ['fast', 'slow', 'listener'];
  engine.apply({ do: 'open-mix', mix: 'room' }, now);
  const phones = names.map((leg, index) => {
    assert.equal(engine.openLeg(leg), index);
    const port = 20_000 + 2 * index;
    const agreed = {
      address: '192.0.2.1',
      port,
      codec: 'PCMU',
      payloadType: 0,
      direction: 'sendrecv',
      ptimeMs: 20,
    } as const;
    assert.ok(engine.connectLeg(leg, agreed, now));
    const voice = voices[index];
    const payloads = voice === undefined ? [new Uint8Array(FRAME).fill(0xff)] : payloadsOf(voice);
    const rtp = createRtpSender({ ssrc: index + 1, sequenceNumber: 7, timestamp: 5 });
    return { index, port, payloads, rtp, everyMs: 20 * (1 - (voice?.ppm ?? 0) / 1e6), packets: 0 };
  });
  const members = names.map((leg) => ({ leg, hears: names.filter((other) => other !== leg) }));
  engine.apply({ do: 'set-hearing', mix: 'room', members }, now);

  for (let tick = 1; tick <= HOUR_FRAMES; tick++) {
    const tickMs = startMs + tick * 20;
    for (const phone of phones) {
      const { payloads, rtp, index, port } = phone;
      // A packet is sent when its last sample has been spoken.
      for (;;) {
        const atMs = startMs + (phone.packets + 1) * phone.everyMs;
        if (atMs > tickMs) break;
        const payload = payloads[phone.packets++ % payloads.length]!;
        const length = rtp.writePayload(0, payload, 0, FRAME, FRAME);
        engine.receive(index, rtp.packet, length, '192.0.2.1', port, atMs);
      }
    }
    now = tickMs;
    engine.tick(now);
  }

  assert.equal(breaks, 0);
  assert.equal(heardFrames, HOUR_FRAMES);
  for (const [n, { found }] of meters.entries()) {
    const text = `${names[n]}: ${JSON.stringify(found)}, mean ${(found.delaySum / found.frames).toFixed(1)} ms`;
    assert.ok(found.quietest > 0.97 && found.loudest < 1.03, text);
    assert.ok(found.greatestTurn < 0.03, text);
    assert.ok(found.least > -1 && found.most <= 30, text);
    assert.ok(found.frames > 0.95 * HOUR_FRAMES && found.delaySum / found.frames < 17, text);
  }
});
