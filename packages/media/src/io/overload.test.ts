import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMediaEngine } from '../engine/media-engine.ts';
import { costlyCodec } from '../engine/testing/costly-codec.ts';
import { createRtpSender, type RtpSender } from '../rtp/rtp-sender.ts';
import { createTickLoop } from './tick-loop.ts';

interface Talker {
  readonly leg: number;
  readonly rtp: RtpSender;
  nextMs: number;
}

/** What Opus costs on a busy machine, and what a packet costs, in ms. */
const costs = { encode: 6, decode: 1.5, packet: 0.01 };
/** What a poll reads at most, and what the socket holds, in packets. */
const mostRead = 256;
const mostWaiting = 4700;

/** An engine and its loop on a clock that only work and waiting move; pairs of legs talk to each other from the start. */
function overloaded(legs: number) {
  const startMs = 1_700_000_000_000;
  let now = startMs;
  let encoded = 0;
  const costly = () =>
    costlyCodec({
      encode() {
        now += costs.encode;
        encoded++;
      },
      decode() {
        now += costs.decode;
      },
    });
  const engine = createMediaEngine({
    send: () => {},
    sendReport: () => {},
    notify: () => {},
    random: () => 0.5,
    cname: 'overload',
    phases: 8,
    openOpus: costly,
  });
  const talkers: Talker[] = [];
  const agreed = { codec: 'opus', payloadType: 111, direction: 'sendrecv', ptimeMs: 20 } as const;
  for (let n = 0; n < legs; n++) {
    const leg = engine.openLeg(`${n}`)!;
    engine.connectLeg(`${n}`, { address: '192.0.2.1', port: 20_000 + 2 * leg, ...agreed }, now);
    const rtp = createRtpSender({ ssrc: 1000 + leg, sequenceNumber: 1, timestamp: 1 });
    talkers.push({ leg, rtp, nextMs: now + ((7 * n) % 20) });
  }
  for (let n = 0; n < legs; n += 2) {
    const mix = `mix of ${n}`;
    engine.apply({ do: 'open-mix', mix }, now);
    const members = [
      { leg: `${n}`, hears: [`${n + 1}`] },
      { leg: `${n + 1}`, hears: [`${n}`] },
    ];
    engine.apply({ do: 'set-hearing', mix, members }, now);
  }
  const waiting: { readonly leg: number; readonly bytes: Uint8Array }[] = [];
  const payload = new Uint8Array(160).fill(0x33);
  const talk = () => {
    for (const talker of talkers) {
      for (; talker.nextMs <= now; talker.nextMs += 20) {
        const length = talker.rtp.writePayload(111, payload, 0, 160, 160);
        if (waiting.length < mostWaiting)
          waiting.push({ leg: talker.leg, bytes: talker.rtp.packet.slice(0, length) });
      }
    }
  };
  const loop = createTickLoop({
    intervalMs: 2.5,
    ticksPerFrame: 8,
    pollsPerTick: 0,
    now: () => now,
    tick: (nowMs, skipped) => engine.tick(nowMs, skipped),
    poll() {
      talk();
      for (const { leg, bytes } of waiting.splice(0, mostRead)) {
        now += costs.packet;
        engine.receive(leg, bytes, bytes.length, '192.0.2.1', 20_000 + 2 * leg, now);
      }
    },
    wait: {
      untilWork(ms) {
        now += ms;
        return false;
      },
      pause(ms) {
        now += ms;
      },
    },
  });
  const work = () => ({ encoded, relayed: engine.counters.relayed });
  return {
    loop,
    async runUntil(ms: number) {
      while (now < startMs + ms) await new Promise(setImmediate);
      return work();
    },
  };
}

test('Opus legs that begin at once, with more work than the thread can do, settle into relays', async () => {
  const legs = 48;
  const { loop, runUntil } = overloaded(legs);
  loop.start();
  const before = await runUntil(4000);
  const after = await runUntil(5000);
  loop.stop();
  assert.ok(loop.stats().skipped > 100, 'the thread was late');
  assert.equal(after.encoded, before.encoded);
  const perSecond = after.relayed - before.relayed;
  assert.ok(Math.abs(perSecond - 50 * legs) <= legs, `${perSecond} packets a second`);
});
