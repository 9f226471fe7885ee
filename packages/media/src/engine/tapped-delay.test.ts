import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pcmu } from '../codec/g711.ts';
import { createRtpSender } from '../rtp/rtp-sender.ts';
import { createMediaEngine } from './media-engine.ts';

const startMs = 1_700_000_000_000;
const seconds = 30;

interface Network {
  /** Delay of a packet: the mean, and the maximum of the rare late ones. */
  readonly usualMs: number;
  readonly rareMs: number;
}

/**
 * Phones in no mix with tapped streams: each sends a click now and then. Returns the delay of each click from its
 * packet to its frame, in ascending order, and the numbers of concealed frames and of all frames.
 */
function tappedDelays({ usualMs, rareMs }: Network): { delays: number[]; concealed: number; frames: number } {
  let now = startMs;
  let seed = 7;
  const random = (): number => {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647;
  };
  const phases = 8;
  const delays: number[] = [];
  const engine = createMediaEngine({ send() {}, sendReport() {}, notify() {}, random, cname: 'c', phases });
  let frames = 0;
  const phones = Array.from({ length: 40 }, (_, k) => {
    const leg = `leg-${k}`;
    const index = engine.openLeg(leg)!;
    const port = 20_000 + 2 * index;
    const media = { codec: 'PCMU', payloadType: 0, direction: 'sendrecv', ptimeMs: 20 } as const;
    engine.connectLeg(leg, { address: '192.0.2.1', port, ...media }, now);
    const rtp = createRtpSender({ ssrc: k + 1, sequenceNumber: 1, timestamp: 1 });
    const dueMs = startMs + random() * 20;
    const phone = { leg, index, port, dueMs, sentMs: dueMs, rtp, packets: 0, clickMs: 0 };
    const take = (samples: Int16Array): void => {
      frames++;
      if (phone.clickMs === 0 || !samples.some((sample) => sample > 8000)) return;
      delays.push(now - phone.clickMs);
      phone.clickMs = 0;
    };
    const tracks = [{ said: [leg], heard: [] }];
    assert.equal(engine.streams.tap(leg, { sampleRate: 8000, tracks, take }), true);
    return phone;
  });
  const frame = new Int16Array(160);
  for (let step = 1; step <= seconds * 50 * phases; step++) {
    now = startMs + (step * 20) / phases + random();
    for (const phone of phones) {
      while (phone.sentMs <= now) {
        // Constant speech: in silence a tap may catch up.
        frame.fill(500);
        if (phone.packets++ % 23 === 22 && now > startMs + 5000) {
          frame[80] = 20_000;
          phone.clickMs = phone.sentMs;
        }
        const length = phone.rtp.writeAudio(pcmu, 0, frame, 160);
        engine.receive(phone.index, phone.rtp.packet, length, '192.0.2.1', phone.port, phone.sentMs);
        phone.dueMs += 20;
        const lateMs = -usualMs * Math.log(1 - random()) + (random() < 0.002 ? rareMs * random() : 0);
        phone.sentMs = Math.max(phone.sentMs, phone.dueMs + lateMs);
      }
    }
    engine.tick(now);
  }
  const concealed = phones.reduce((sum, { leg }) => sum + engine.closeLeg(leg, now).framesConcealed, 0);
  return { delays: delays.sort((a, b) => a - b), concealed, frames };
}

const quantile = (delays: readonly number[], share: number): number =>
  delays[Math.floor(delays.length * share)]!;

test('the audio of a phone in no mix reaches its tap within 5 ms of its packet (p99), with ticks up to 1 ms late', () => {
  const { delays, concealed, frames } = tappedDelays({ usualMs: 0.05, rareMs: 0 });
  assert.ok(delays.length > 1500, `${delays.length} clicks`);
  assert.ok(quantile(delays, 0.5) <= 3, `p50 ${quantile(delays, 0.5)}`);
  assert.ok(quantile(delays, 0.99) <= 5, `p99 ${quantile(delays, 0.99)}`);
  assert.equal(concealed, 0);
  assert.ok(Math.abs(frames - 40 * seconds * 50) < 80, `${frames} frames`);
});

test('a tapped leg waits for a packet that is a few milliseconds late, without concealment and without lasting delay', () => {
  const { delays, concealed, frames } = tappedDelays({ usualMs: 0.3, rareMs: 5 });
  assert.ok(quantile(delays, 0.99) <= 8, `p99 ${quantile(delays, 0.99)}`);
  assert.equal(concealed, 0);
  assert.ok(Math.abs(frames - 40 * seconds * 50) < 80, `${frames} frames`);
});
