import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pcmu } from '../codec/g711.ts';
import { isSilent } from '../dsp/level.ts';
import { readRtcp } from '../rtp/rtcp.ts';
import { createRtpHeader, readRtpPacket, writeRtpHeader } from '../rtp/rtp-packet.ts';
import { sequenceDistance, timestampDistance } from '../rtp/serial-number.ts';
import type { AgreedMedia, MixCommand } from './commands.ts';
import { costlyCodec } from './testing/costly-codec.ts';
import {
  createPacketRig,
  type HeardPacket,
  type PacketPhone,
  type PacketRig,
} from './testing/packet-phones.ts';

function hearing(legs: readonly (readonly [string, readonly string[]])[], mix = 'm'): MixCommand {
  return { do: 'set-hearing', mix, members: legs.map(([leg, hears]) => ({ leg, hears })) };
}

const eachOther = hearing([
  ['a', ['b']],
  ['b', ['a']],
]);

function pair(
  phases: number,
  agreed: { a?: Partial<AgreedMedia>; b?: Partial<AgreedMedia> } = {},
): { rig: PacketRig; a: PacketPhone; b: PacketPhone } {
  const rig = createPacketRig({ phases, captured: () => {} });
  const a = rig.phone('a', 3, agreed.a);
  const b = rig.phone('b', 11, agreed.b);
  rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
  rig.engine.apply(eachOther, rig.nowMs());
  return { rig, a, b };
}

/** Packets relayed in this time, by the engine's counter. */
function relayedIn(rig: PacketRig, ms: number): number {
  const before = rig.engine.counters.relayed;
  rig.run(ms);
  return rig.engine.counters.relayed - before;
}

/** Asserts one stream: a single SSRC, and sequence numbers and audio timestamps without a gap. */
function assertUnbroken(heard: readonly HeardPacket[]): void {
  for (let n = 1; n < heard.length; n++) {
    const [before, packet] = [heard[n - 1]!, heard[n]!];
    assert.equal(packet.ssrc, before.ssrc);
    assert.equal(sequenceDistance(before.sequenceNumber, packet.sequenceNumber), 1, `packet ${n}`);
    const step = timestampDistance(before.timestamp, packet.timestamp);
    assert.equal(step, before.payload.length, `timestamp of packet ${n} at ${packet.atMs % 100_000}`);
  }
}

/**
 * Asserts that `heard` equals what the talker sent, from some packet on, without a gap, a repetition or a changed byte.
 */
function assertIsTalk(heard: readonly HeardPacket[], talker: PacketPhone): void {
  const bytes = Buffer.concat(heard.map(({ payload }) => payload));
  const talk = Buffer.concat(talker.sentMs.map((_, packet) => talker.payloadOf(packet)));
  const from = talk.indexOf(bytes.subarray(0, 160));
  assert.ok(from >= 0, 'the first packet is not the talker’s');
  const expected = talk.subarray(from, from + bytes.length);
  for (let n = 0; n < bytes.length; n++) {
    if (bytes[n] !== expected[n]) assert.fail(`byte ${n} of ${bytes.length} (frame ${n / 160}) differs`);
  }
  assert.ok(expected.length === bytes.length);
}

for (const phases of [1, 8]) {
  for (const ptimeMs of [10, 20, 40]) {
    test(`two members who hear only each other are relayed at once, in the listener's stream (${phases} phases, ${ptimeMs} ms)`, () => {
      const { rig, a, b } = pair(phases, { a: { ptimeMs }, b: { ptimeMs } });
      rig.run(3000);
      const from = b.heard.length;
      assert.equal(relayedIn(rig, 2000), (2 * 2000) / ptimeMs);
      const heard = b.heard.slice(from);
      assert.equal(heard.length, 2000 / ptimeMs);
      const last = a.sentMs.length - 1;
      heard.forEach((packet, n) => {
        const number = last - heard.length + 1 + n;
        assert.deepEqual([...packet.payload], [...a.payloadOf(number)]);
        assert.equal(packet.atMs, a.sentMs[number], 'a packet is relayed at the moment of its arrival');
        assert.notEqual(packet.ssrc, a.ssrc);
      });
      assertUnbroken(b.heard);
      assertUnbroken(a.heard);
      assert.equal(rig.engine.countLeaks(), 0);
      // Undecoded: the mix does not preserve µ-law's negative zero.
      a.payloadOf = () => new Uint8Array(ptimeMs * 8).fill(0x7f);
      rig.run(100);
      assert.ok(b.heard.at(-1)!.payload.every((byte) => byte === 0x7f));
      const statistics = rig.hangUp(b);
      assert.deepEqual([statistics.packetsSent, statistics.framesConcealed], [b.heard.length, 0]);
    });
  }
}

const notRelayed: readonly (readonly [string, () => PacketRig])[] = [
  ['other codecs', () => pair(1, { b: { codec: 'PCMA', payloadType: 8 } }).rig],
  ['packets of other lengths', () => pair(1, { b: { ptimeMs: 40 } }).rig],
  [
    'one hears, the other does not',
    () =>
      with_(
        hearing([
          ['a', ['b']],
          ['b', []],
        ]),
      ),
  ],
  [
    'one hears itself as well',
    () =>
      with_(
        hearing([
          ['a', ['a', 'b']],
          ['b', ['a']],
        ]),
      ),
  ],
  [
    'a third member, although no member hears it',
    () =>
      with_(
        hearing([
          ['a', ['b']],
          ['b', ['a']],
          ['c', []],
        ]),
      ),
  ],
  [
    'a play',
    () => with_({ do: 'play', mix: 'm', key: 'k', to: ['a'], sound: { kind: 'hold-music' }, loop: true }),
  ],
  ['a capture', () => with_({ do: 'capture', capture: 'c', tracks: [{ said: [], heard: ['b'] }] })],
  ['a watch', () => with_({ do: 'watch-voice', leg: 'a', watched: true })],
  ['hold', () => pair(1, { a: { direction: 'sendonly' } }).rig],
];

function with_(command: MixCommand): PacketRig {
  const { rig } = pair(1);
  rig.engine.apply(command, rig.nowMs());
  return rig;
}

for (const [reason, create] of notRelayed) {
  test(`a pair is not relayed: ${reason}`, () => {
    const rig = create();
    rig.run(1500);
    assert.equal(rig.engine.counters.relayed, 0);
  });
}

test('a relay between two A-law phones uses the payload types of the receiver', () => {
  const { rig, a, b } = pair(8, {
    a: { codec: 'PCMA', payloadType: 8 },
    b: {
      codec: 'PCMA',
      payloadType: 96,
      telephoneEventPayloadType: 97,
      receive: [{ codec: 'PCMA', payloadType: 8 }],
    },
  });
  rig.run(3000);
  assert.ok(relayedIn(rig, 200) >= 10);
  assert.equal(b.heard.at(-1)!.payloadType, 96);
  for (let packet = 0; packet < 8; packet++) {
    a.press(
      Uint8Array.of(5, packet >= 5 ? 0x8a : 10, ((packet + 1) * 160) >> 8, (packet + 1) * 160),
      packet === 0,
    );
  }
  const from = b.heard.length;
  rig.run(600);
  const events = b.heard.slice(from).filter(({ payloadType }) => payloadType === 97);
  assert.ok(events.length >= 3 && events[0]!.marker && events[0]!.payload[0] === 5);
  assert.ok(
    rig.notices.some((notice) => notice.type === 'digit' && notice.leg === 'a' && notice.digit === '5'),
  );
  for (let n = from + 1; n < b.heard.length; n++) {
    assert.equal(sequenceDistance(b.heard[n - 1]!.sequenceNumber, b.heard[n]!.sequenceNumber), 1);
  }
  assert.ok(b.heard.every(({ payloadType }) => payloadType === 96 || payloadType === 97));
});

/** What ends a relay, and what lets it return. */
const switches: readonly (readonly [
  begin: (rig: PacketRig, b: PacketPhone) => void,
  end: (rig: PacketRig) => void,
])[] = [
  [
    (rig) => rig.engine.apply({ do: 'watch-voice', leg: 'a', watched: true }, rig.nowMs()),
    (rig) => rig.engine.apply({ do: 'watch-voice', leg: 'a', watched: false }, rig.nowMs()),
  ],
  [
    (rig) =>
      rig.engine.apply({ do: 'capture', capture: 'c', tracks: [{ said: ['b'], heard: ['b'] }] }, rig.nowMs()),
    (rig) => rig.engine.apply({ do: 'end-capture', capture: 'c' }, rig.nowMs()),
  ],
  [
    (rig) =>
      rig.engine.apply(
        hearing([
          ['a', ['b']],
          ['b', ['a']],
          ['c', ['a', 'b']],
        ]),
        rig.nowMs(),
      ),
    (rig) => rig.engine.apply(eachOther, rig.nowMs()),
  ],
  [(rig, b) => rig.engine.connectLeg('b', b.agreed, rig.nowMs()), () => {}],
];

for (const phases of [1, 8]) {
  test(`switches between relay and mix lose, repeat and change no sample (${phases} phases)`, () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            which: fc.nat(switches.length - 1),
            mixedMs: fc.integer({ min: 0, max: 400 }),
            relayedMs: fc.integer({ min: 0, max: 500 }),
          }),
          { minLength: 3, maxLength: 10 },
        ),
        fc.nat(19),
        fc.nat(19),
        (steps, offsetA, offsetB) => {
          const rig = createPacketRig({ phases, captured: () => {} });
          const a = rig.phone('a', offsetA + 0.5);
          const b = rig.phone('b', offsetB + 0.5);
          rig.phone('c', 5).sending = false;
          rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
          rig.engine.apply(eachOther, rig.nowMs());
          // The mix first finds its phase, which removes samples from the buffers.
          rig.run(6000);
          for (const phone of [a, b]) phone.heard.length = 0;
          for (const { which, mixedMs, relayedMs } of steps) {
            const [begin, end] = switches[which]!;
            begin(rig, b);
            rig.run(mixedMs);
            end(rig);
            rig.run(relayedMs);
            assert.equal(rig.engine.countLeaks(), 0);
          }
          const before = rig.engine.counters.relayed;
          rig.run(1000);
          assert.ok(rig.engine.counters.relayed - before > 50, 'the relay returns');
          for (const [listener, talker] of [
            [a, b],
            [b, a],
          ] as const) {
            assertUnbroken(listener.heard);
            assertIsTalk(listener.heard, talker);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
}

test('a play ends the relay with its first sample, and the relay returns after the last', () => {
  const { rig, a, b } = pair(8);
  rig.run(4000);
  const samples = new Int16Array(4000).fill(12_000);
  rig.engine.loadClip('clip', { sampleRate: 8000, samples });
  a.payloadOf = () => new Uint8Array(160).fill(0xff);
  rig.run(100);
  const from = b.heard.length;
  const startMs = rig.nowMs();
  rig.engine.apply(
    { do: 'play', mix: 'm', key: 'k', to: ['b'], sound: { kind: 'clip', name: 'clip' }, loop: false },
    startMs,
  );
  rig.run(1500);
  const heard = b.heard.slice(from);
  assertUnbroken(heard);
  const pcm = new Int16Array(160);
  let loud = 0;
  let firstMs = 0;
  for (const { payload, atMs } of heard) {
    pcmu.decode(payload, 0, payload.length, pcm);
    const count = pcm.subarray(0, payload.length).filter((sample) => sample > 6000).length;
    if (count > 0 && loud === 0) firstMs = atMs;
    loud += count;
  }
  assert.equal(loud, 4000);
  assert.ok(firstMs - startMs <= 40, `${firstMs - startMs} ms`);
  assert.ok(relayedIn(rig, 200) >= 20);
});

test('no packet of a muted, held or removed member is relayed, not even before the next tick', () => {
  for (const end of [
    (rig: PacketRig) =>
      rig.engine.apply(
        hearing([
          ['a', ['b']],
          ['b', []],
        ]),
        rig.nowMs(),
      ),
    (rig: PacketRig) => rig.engine.apply({ do: 'close-mix', mix: 'm' }, rig.nowMs()),
    (rig: PacketRig) => rig.engine.apply(hearing([['a', []]]), rig.nowMs()),
  ]) {
    const { rig, b } = pair(1);
    rig.run(3001);
    const from = b.heard.length;
    assert.ok(relayedIn(rig, 40) > 0);
    end(rig);
    const to = b.heard.length;
    rig.run(500);
    const pcm = new Int16Array(160);
    for (const { payload } of b.heard.slice(to)) {
      pcmu.decode(payload, 0, payload.length, pcm);
      assert.ok(isSilent(pcm, payload.length), 'audio passed');
    }
    assert.ok(b.heard.length - to >= 23);
    assertUnbroken(b.heard.slice(from));
  }
});

test('a talker who hangs up leaves an unbroken stream of silence to the listener', () => {
  const { rig, a, b } = pair(8);
  rig.run(3000);
  rig.hangUp(a);
  const from = b.heard.length;
  rig.run(500);
  assert.ok(b.heard.length - from >= 22);
  assertUnbroken(b.heard);
  rig.hangUp(b);
  rig.engine.apply({ do: 'close-mix', mix: 'm' }, rig.nowMs());
  assert.equal(rig.engine.census().legs, 0);
});

test('a relay keeps lost packets visible: sequence numbers and timestamps have the gap', () => {
  const { rig, a, b } = pair(1);
  rig.run(3000);
  const lost = a.sentMs.length + 10;
  a.fate = (packet) => (packet === lost ? undefined : 0);
  const from = b.heard.length;
  rig.run(1000);
  const heard = b.heard.slice(from);
  const gaps = heard.flatMap((packet, n) => {
    const before = heard[n - 1];
    if (before === undefined) return [];
    const step = sequenceDistance(before.sequenceNumber, packet.sequenceNumber);
    assert.equal(timestampDistance(before.timestamp, packet.timestamp), step * 160);
    return step === 1 ? [] : [[n, step]];
  });
  assert.deepEqual(gaps, [[10, 2]]);
  assert.equal(rig.hangUp(a).packetsLost, 1);
});

test('a relayed packet that was overtaken keeps its number, and a duplicate is dropped', () => {
  const { rig, a, b } = pair(1);
  rig.run(3000);
  const late = a.sentMs.length + 5;
  a.fate = (packet) => (packet === late ? 25 : 0);
  const from = b.heard.length;
  rig.run(400);
  const heard = b.heard.slice(from);
  const index = heard.findIndex(({ payload }) => Buffer.compare(payload, a.payloadOf(late)) === 0);
  assert.equal(sequenceDistance(heard[index]!.sequenceNumber, heard[index - 1]!.sequenceNumber), 1);
  const inOrder = [...heard].sort((x, y) => sequenceDistance(y.sequenceNumber, x.sequenceNumber));
  assertUnbroken(inOrder);
  const header = createRtpHeader();
  const copy = new Uint8Array(172);
  rig.run(5);
  const before = rig.engine.counters.relayed;
  writeRtpHeader(
    copy,
    0,
    false,
    (65_400 + a.sentMs.length - 1) & 0xffff,
    4_294_900_000 + 160 * (a.sentMs.length - 1),
    a.ssrc,
  );
  assert.ok(readRtpPacket(copy, 172, header));
  a.sendRaw(copy);
  assert.equal(rig.engine.counters.relayed, before);
});

test('a relay leaves out payloads that the listener did not agree on, without a gap in its sequence numbers', () => {
  const { rig, a, b } = pair(1, { b: { telephoneEventPayloadType: undefined as never } });
  rig.run(3000);
  const from = b.heard.length;
  for (let packet = 0; packet < 2; packet++) {
    a.press(Uint8Array.of(5, 0x8a, 0, 160), packet === 0);
    rig.run(100);
  }
  const heard = b.heard.slice(from);
  assert.ok(heard.every(({ payloadType }) => payloadType === 0));
  for (let n = 1; n < heard.length; n++) {
    assert.equal(sequenceDistance(heard[n - 1]!.sequenceNumber, heard[n]!.sequenceNumber), 1);
    const units = timestampDistance(heard[n - 1]!.timestamp, heard[n]!.timestamp);
    assert.ok(units === 160 || units === 320);
  }
  assert.ok(relayedIn(rig, 200) >= 20);
});

test('strangers, malformed packets and other streams are not relayed', () => {
  const { rig, a } = pair(1);
  rig.run(3000);
  const before = rig.engine.counters.relayed;
  const packet = new Uint8Array(172);
  writeRtpHeader(packet, 0, false, 65_400 + a.sentMs.length, 4_294_900_000 + 160 * a.sentMs.length, a.ssrc);
  a.sendRaw(packet, 40_000);
  a.sendRaw(packet.slice(0, 5));
  writeRtpHeader(packet, 0, false, 77, 77, 4711);
  a.sendRaw(packet);
  assert.equal(rig.engine.counters.relayed, before);
  const statistics = rig.hangUp(a);
  assert.deepEqual([statistics.strangersDropped, statistics.malformedDropped], [1, 1]);
});

test('a flood is relayed at the rate of a telephone at most', () => {
  const { rig, a, b } = pair(1);
  rig.run(3000);
  const from = b.heard.length;
  const packet = new Uint8Array(172);
  let sequence = 65_400 + a.sentMs.length;
  let timestamp = 4_294_900_000 + 160 * a.sentMs.length;
  a.sending = false;
  for (let ms = 0; ms < 5000; ms++) {
    for (let k = 0; k < 5; k++) {
      timestamp += 8;
      writeRtpHeader(packet, 0, false, sequence++ & 0xffff, timestamp >>> 0, a.ssrc);
      a.sendRaw(packet);
    }
    rig.run(1);
  }
  assert.ok(b.heard.length - from <= 5 * 200 + 50 + 250, `${b.heard.length - from} packets`);
});

test('when a relayed sender stops, the mix continues in time, and the relay returns with the sender', () => {
  const { rig, a, b } = pair(8);
  rig.run(4000);
  a.sending = false;
  rig.run(1000);
  const atMs = b.heard.at(-1)!.atMs;
  assert.ok(rig.nowMs() - atMs <= 20);
  a.sending = true;
  rig.run(1000);
  assert.ok(relayedIn(rig, 200) >= 20);
  for (let n = 1; n < b.heard.length; n++) {
    const [before, packet] = [b.heard[n - 1]!, b.heard[n]!];
    assert.equal(sequenceDistance(before.sequenceNumber, packet.sequenceNumber), 1);
    const step = timestampDistance(before.timestamp, packet.timestamp);
    assert.ok(step >= 0 && step <= 80 * 8 + 160, `${step} at ${packet.atMs}`);
  }
});

test('on a bad network, switches of a relay repeat and skip no sequence number and move no timestamp back', () => {
  const step = fc.record({ which: fc.nat(switches.length - 1), ms: fc.integer({ min: 0, max: 900 }) });
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 3, maxLength: 8 }),
      fc.nat(1000),
      fc.constantFrom(1, 8),
      (steps, seed, phases) => {
        const rig = createPacketRig({ phases, captured: () => {} });
        const a = rig.phone('a', 3);
        const b = rig.phone('b', 14);
        rig.phone('c', 5).sending = false;
        rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
        rig.engine.apply(eachOther, rig.nowMs());
        let state = seed + 1;
        let lost = 0;
        a.fate = () => {
          state = (state * 16807) % 2147483647;
          if (state % 50 !== 0) return state % 37;
          lost++;
          return undefined;
        };
        rig.run(5000);
        for (const { which, ms } of steps) {
          const [begin, end] = switches[which]!;
          begin(rig, b);
          rig.run(ms % 300);
          end(rig);
          rig.run(ms);
        }
        rig.run(2000);
        assert.ok(rig.engine.counters.relayed > 0);
        const { ssrc, sequenceNumber: first } = b.heard[0]!;
        const inOrder = [...b.heard].sort(
          (x, y) => sequenceDistance(first, x.sequenceNumber) - sequenceDistance(first, y.sequenceNumber),
        );
        let missing = 0;
        for (let n = 1; n < inOrder.length; n++) {
          const [before, packet] = [inOrder[n - 1]!, inOrder[n]!];
          assert.equal(packet.ssrc, ssrc);
          const ahead = sequenceDistance(before.sequenceNumber, packet.sequenceNumber);
          assert.ok(ahead >= 1, 'a sequence number was used twice');
          missing += ahead - 1;
          const units = timestampDistance(before.timestamp, packet.timestamp);
          assert.ok(units >= before.payload.length, `${units} at ${packet.atMs}`);
        }
        // Lost packets, and packets that arrived after the mix had taken over.
        assert.ok(
          missing <= lost + 3 * steps.length,
          `${missing} numbers are missing, ${lost} packets were lost`,
        );
      },
    ),
    { numRuns: 40 },
  );
});

test('a relayed leg that stops emits media-silent, and reports count the relayed packets', () => {
  const rig = createPacketRig({ mediaSilentMs: 3000 });
  const a = rig.phone('a', 3);
  const b = rig.phone('b', 11);
  rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
  rig.engine.apply(eachOther, rig.nowMs());
  rig.run(20_000);
  const reports = rig.reports.flatMap((bytes) => [...(readRtcp(bytes, bytes.length) ?? [])]);
  const mine = reports.filter(
    (packet) => packet.type === 'sender-report' && packet.ssrc === b.heard[0]!.ssrc,
  );
  assert.ok(mine.length >= 2);
  const last = mine.at(-1)!;
  assert.ok(last.type === 'sender-report' && last.sender.packets > 300);
  assert.ok(last.type === 'sender-report' && last.reports[0]!.cumulativeLost === 0);
  a.sending = false;
  rig.run(3100);
  assert.deepEqual(rig.notices, [{ type: 'media-silent', leg: 'a', forMs: 3017 }]);
});

/** Two members with a codec that rests; `work` counts its calls by the mix. */
function costlyPair() {
  const work = { decoded: 0, encoded: 0, rests: 0 };
  const openOpus = () =>
    costlyCodec({ encode: () => work.encoded++, decode: () => work.decoded++, rest: () => work.rests++ });
  const rig = createPacketRig({ openOpus });
  const agreed = { codec: 'opus', payloadType: 111 } as const;
  const a = rig.phone('a', 3, agreed);
  const b = rig.phone('b', 11, agreed);
  rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
  rig.engine.apply(eachOther, rig.nowMs());
  return { rig, a, b, agreed, work };
}

test('a talker who pauses for less than a second wakes no codec that rests; in a longer pause the mix takes over', () => {
  const { rig, a, b, work } = costlyPair();
  rig.run(2000);
  Object.assign(work, { decoded: 0, encoded: 0 });
  const heardInPause = (ms: number) => {
    a.sending = false;
    const from = b.heard.length;
    rig.run(ms);
    a.sending = true;
    return b.heard.length - from;
  };
  assert.equal(heardInPause(960), 0);
  assert.equal(relayedIn(rig, 1000), 100);
  assert.deepEqual([work.decoded, work.encoded], [0, 0]);
  for (let n = 1; n < b.heard.length; n++)
    assert.equal(sequenceDistance(b.heard[n - 1]!.sequenceNumber, b.heard[n]!.sequenceNumber), 1);
  assert.ok(heardInPause(2000) >= 48, 'the mix sends silence from the second second on');
  rig.run(1000);
  assert.equal(relayedIn(rig, 1000), 100);
});

test('a costly codec is neither decoded nor encoded while it is relayed, and both again when a third member joins', () => {
  const { rig, a, b, agreed, work } = costlyPair();
  rig.run(2000);
  assert.equal(work.rests, 2, 'each leg lets its codec rest when both ways are relayed');
  Object.assign(work, { decoded: 0, encoded: 0 });
  assert.equal(relayedIn(rig, 2000), 200);
  assert.deepEqual([work.decoded, work.encoded], [0, 0]);
  assertIsTalk(b.heard.slice(-50), a);
  rig.phone('c', 5, agreed);
  rig.engine.apply(
    hearing([
      ['a', ['b', 'c']],
      ['b', ['a', 'c']],
      ['c', ['a', 'b']],
    ]),
    rig.nowMs(),
  );
  rig.run(1000);
  Object.assign(work, { decoded: 0, encoded: 0 });
  rig.run(1000);
  // Each of three speaks, and hears a sum without itself.
  assert.deepEqual([work.decoded, work.encoded], [150, 150]);
  assert.ok(b.heard.slice(-50).some(({ payload }) => !isSilent(decoded(payload), payload.length)));
});

function decoded(payload: Uint8Array): Int16Array {
  const samples = new Int16Array(payload.length);
  pcmu.decode(payload, 0, payload.length, samples);
  return samples;
}
