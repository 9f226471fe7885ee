import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { toneLevel } from '../dsp/tone-level.ts';
import { loadOpus, type OpenOpus } from '../io/opus.ts';
import { createRtpHeader, readRtpPacket } from '../rtp/rtp-packet.ts';
import { createRtpSender } from '../rtp/rtp-sender.ts';
import { createMediaEngine } from './media-engine.ts';

const tones = [700, 1500, 2600, 4100];

describe('the encoders of listeners with Opus', () => {
  let openOpus: OpenOpus;
  // A pair of encoder and decoder is made while the event loop turns: enough of them are there before each test.
  beforeEach(async () => {
    openOpus = await loadOpus(64);
  });

  /** An engine whose legs speak Opus: a tone each, when they speak. Encoders and what they do are counted. */
  function createRoom(legs: number, parameters = (_leg: number) => 'useinbandfec=1', phases = 1) {
    let now = 1_700_000_000_000;
    const counts = { open: 0, encoded: 0 };
    const packets: Uint8Array[][] = Array.from({ length: legs }, () => []);
    const header = createRtpHeader();
    const engine = createMediaEngine({
      send(leg, bytes, length) {
        const index = indexes.indexOf(leg);
        if (readRtpPacket(bytes, length, header) && header.payloadType === 111) {
          const { payloadOffset: from, payloadLength } = header;
          packets[index]!.push(bytes.slice(from, from + payloadLength));
        }
      },
      sendReport() {},
      notify() {},
      random: () => 0.25,
      cname: 'room',
      phases,
      openOpus(fmtp) {
        const codec = openOpus(fmtp);
        const { encode, close } = codec;
        counts.open++;
        codec.encode = (...given) => {
          counts.encoded++;
          return encode.apply(codec, given);
        };
        codec.close = () => {
          counts.open--;
          close?.apply(codec);
        };
        return codec;
      },
    });
    const indexes: number[] = [];
    const talkers = Array.from({ length: legs }, (_, n) => {
      const name = `leg${n}`;
      indexes.push(engine.openLeg(name)!);
      const agreed = { codec: 'opus', payloadType: 111, direction: 'sendrecv', ptimeMs: 20 } as const;
      const at = { address: '192.0.2.1', port: 4000 + 2 * n };
      engine.connectLeg(name, { ...agreed, ...at, parameters: parameters(n) }, now);
      const rtp = createRtpSender({ ssrc: n + 1, sequenceNumber: 1, timestamp: 1 });
      const codec = openOpus('');
      let position = 0;
      return {
        name,
        speak() {
          const hz = tones[n % tones.length]!;
          const frame = Int16Array.from({ length: 960 }, () =>
            Math.round(8000 * Math.sin((2 * Math.PI * hz * position++) / 48_000)),
          );
          const length = rtp.writeAudio(codec, 111, frame, 960);
          engine.receive(indexes[n]!, rtp.packet, length, at.address, at.port, now);
        },
        pause: () => rtp.skip(960),
        close: () => codec.close?.(),
      };
    });
    const names = talkers.map(({ name }) => name);
    engine.apply({ do: 'open-mix', mix: 'm' }, now);
    const members = names.map((leg) => ({ leg, hears: names.filter((other) => other !== leg) }));
    engine.apply({ do: 'set-hearing', mix: 'm', members }, now);
    return {
      counts,
      packets,
      /** One frame, in which these speak; returns the frames that were encoded. */
      frame(speakers: readonly number[]): number {
        for (const [n, talker] of talkers.entries()) {
          if (speakers.includes(n)) talker.speak();
          else talker.pause();
        }
        const encoded = counts.encoded;
        for (let step = 0; step < phases; step++) {
          now += 20 / phases;
          engine.tick(now);
        }
        return counts.encoded - encoded;
      },
      close(): void {
        for (const name of names) engine.closeLeg(name, now);
        for (const { close } of talkers) close();
        engine.apply({ do: 'close-mix', mix: 'm' }, now);
        for (let step = 1; step <= phases; step++) engine.tick(now + (20 * step) / phases);
      },
    };
  }

  function decoded(packets: readonly Uint8Array[]): Int16Array {
    const codec = openOpus('');
    const samples = new Int16Array(960 * packets.length);
    for (const [n, packet] of packets.entries()) codec.decode(packet, 0, packet.length, samples, 960 * n);
    codec.close?.();
    return samples;
  }

  for (const phases of [1, 8])
    it(`are one for twenty who hear the same talker, and each hears him (${phases} phases)`, () => {
      const room = createRoom(21, undefined, phases);
      for (let n = 0; n < 60; n++) room.frame([0]);
      // One for the twenty, and that of the talker, who hears silence.
      assert.deepEqual(
        Array.from({ length: 20 }, () => room.frame([0])),
        Array(20).fill(2),
      );
      for (const listener of room.packets.slice(1)) {
        assert.ok(listener.length >= 79);
        assert.deepEqual(listener.slice(-20), room.packets[1]!.slice(-20));
      }
      assert.ok(toneLevel(decoded(room.packets[7]!).subarray(-9600), 48_000, 700) > -20);
      room.close();
      assert.equal(room.counts.open, 0);
    });

  it('are one for each set of parameters that the listeners requested', () => {
    const room = createRoom(9, (leg) => (leg % 2 === 0 ? 'maxplaybackrate=8000' : 'useinbandfec=1'));
    for (let n = 0; n < 60; n++) room.frame([0]);
    assert.equal(room.frame([0]), 3);
    room.close();
  });

  it('change without a gap: the tone stays within 3 dB when a listener leaves its own and comes back', () => {
    const room = createRoom(4);
    for (let n = 0; n < 100; n++) room.frame([0]);
    // He says something: his own voice is in the sum, so he has his own encoder for that time.
    for (let n = 0; n < 20; n++) room.frame([0, 1]);
    for (let n = 0; n < 80; n++) room.frame([0]);
    assert.equal(room.frame([0]), 2);
    const heard = decoded(room.packets[1]!);
    const levels = Array.from({ length: 180 }, (_, n) =>
      toneLevel(heard.subarray(960 * (n + 15), 960 * (n + 16)), 48_000, 700),
    );
    const usual = levels.toSorted((a, b) => a - b)[90]!;
    const apart = levels.filter((level) => Math.abs(level - usual) > 3);
    assert.ok(apart.length <= 2, `${apart.length} frames of 180 are more than 3 dB off`);
    room.close();
  });

  it('follow any order of speakers: one packet a frame, no talker hears itself, and quiet listeners end up with one encoder', async () => {
    const spell = fc.record({
      speakers: fc.uniqueArray(fc.nat(3), { maxLength: 3 }),
      frames: fc.integer({ min: 1, max: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(spell, { maxLength: 5 }), async (spells) => {
        await new Promise(setImmediate);
        const room = createRoom(5);
        let frames = 0;
        const say = (speakers: readonly number[], count: number) => {
          for (let n = 0; n < count; n++, frames++) assert.ok(room.frame(speakers) <= 5);
        };
        for (const { speakers, frames: count } of spells) say(speakers, count);
        say([2], 60);
        assert.equal(room.frame([2]), 2);
        for (const packets of room.packets) assert.equal(packets.length, frames + 1);
        const own = decoded(room.packets[2]!).subarray(-960 * 20);
        assert.ok(toneLevel(own, 48_000, tones[2]!) < -50);
        for (const listener of [0, 1, 3, 4])
          assert.ok(toneLevel(decoded(room.packets[listener]!).subarray(-9600), 48_000, tones[2]!) > -20);
        room.close();
        assert.equal(room.counts.open, 0);
      }),
      { numRuns: 12 },
    );
  });
});
