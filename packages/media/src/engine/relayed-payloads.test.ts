import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AudioCodec } from '../codec/audio-codec.ts';
import { createRtpSender } from '../rtp/rtp-sender.ts';
import { costlyCodec } from './testing/costly-codec.ts';
import { createPacketRig, type PacketRig } from './testing/packet-phones.ts';

function hearEachOther(rig: PacketRig, keepsKeys = false): void {
  rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
  const members = [
    { leg: 'a', hears: ['b'], keepsKeys },
    { leg: 'b', hears: ['a'], keepsKeys },
  ];
  rig.engine.apply({ do: 'set-hearing', mix: 'm', members }, rig.nowMs());
}

/** Padding makes a packet of 20 ms of any length (RFC 6716 §3.2.5). */
const paddedOpus: AudioCodec = {
  ...costlyCodec({ encode: () => {}, decode: () => {} }),
  samplesIn: () => 160,
  decode(_bytes, _offset, _length, out, outOffset = 0) {
    out.fill(1000, outOffset, outOffset + 160);
    return 160;
  },
};

for (const [rule, lengths, isRelayed] of [
  ['as long as the longest frame is relayed (RFC 6716 §3.2.1)', [160, 1275], true],
  ['longer than our packets is not relayed, also when a relay is open', [160, 1500], false],
  ['longer than our packets is not relayed, also when it waits before a relay begins', [1500, 1500], false],
] as const) {
  test(`a packet of Opus that is ${rule}, and no byte behind our packet is sent`, () => {
    const sent: { leg: number; bytes: number; room: number }[] = [];
    const rig = createPacketRig({
      send: (leg, bytes, length) => sent.push({ leg, bytes: length, room: bytes.length }),
      openOpus: () => paddedOpus,
    });
    const agreed = { codec: 'opus', payloadType: 111 } as const;
    const a = rig.phone('a', 3, agreed);
    const b = rig.phone('b', 11, agreed);
    a.sending = false;
    hearEachOther(rig);
    const packet = new Uint8Array(2048);
    const rtp = createRtpSender({ ssrc: 9, sequenceNumber: 9, timestamp: 9, packet });
    for (const payloadBytes of lengths) {
      for (let n = 0; n < 50; n++) {
        const payload = new Uint8Array(payloadBytes).fill(0x55);
        a.sendRaw(packet.slice(0, rtp.writePayload(111, payload, 0, payloadBytes, 160)));
        rig.run(20);
      }
    }
    const length = 12 + lengths[1];
    const relayed = sent.filter(({ leg, bytes }) => leg === b.index && bytes === length);
    assert.equal(relayed.length, isRelayed ? 50 : 0);
    assert.deepEqual(
      sent.filter(({ bytes, room }) => bytes > room),
      [],
    );
  });
}

interface Report {
  readonly timestamp: number;
  readonly duration: number;
}

/** What a phone receives of these reports of a key, which a relayed phone with another event clock sends. Timestamps count from the first. */
function relayedKey(fromClock: number, toClock: number, reports: readonly Report[]): readonly Report[] {
  const rig = createPacketRig();
  const a = rig.phone('a', 3, { telephoneEventClockRate: fromClock });
  const b = rig.phone('b', 11, { telephoneEventClockRate: toClock });
  a.sending = false;
  hearEachOther(rig);
  const rtp = createRtpSender({ ssrc: 9, sequenceNumber: 9, timestamp: 0xffff_0000 });
  for (let n = 0; n < 50; n++) {
    a.sendRaw(rtp.packet.slice(0, rtp.writePayload(0, new Uint8Array(160).fill(0x55), 0, 160, 160)));
    rig.run(20);
  }
  const relayed = rig.engine.counters.relayed;
  const start = rtp.timestamp;
  for (const [n, { timestamp, duration }] of reports.entries()) {
    const report = { event: 5, end: n === reports.length - 1, volume: 10, duration };
    a.sendRaw(rtp.packet.slice(0, rtp.writeEvent(101, report, (start + timestamp) >>> 0, n === 0)));
    rig.run(20);
  }
  assert.ok(rig.engine.counters.relayed >= relayed + reports.length);
  const events = b.heard.filter(({ payloadType }) => payloadType === 101);
  assert.deepEqual(
    events.map(({ payload: [event, flags] }) => [event, flags]),
    reports.map((_, n) => [5, n === reports.length - 1 ? 0x8a : 10]),
  );
  return events.map(({ timestamp, payload }) => ({
    timestamp: (timestamp - events[0]!.timestamp) >>> 0,
    duration: (payload[2]! << 8) | payload[3]!,
  }));
}

const reportsOf = (...durations: readonly number[]): readonly Report[] =>
  durations.map((duration) => ({ timestamp: 0, duration }));

for (const [rule, fromClock, toClock, sent, received] of [
  ['to a slower clock is as long', 48_000, 8000, [960, 2880, 4800], [160, 480, 800]],
  ['to a faster clock is as long', 8000, 48_000, [160, 480, 800], [960, 2880, 4800]],
  [
    'to a faster clock has the longest duration of 16 bits at most',
    8000,
    48_000,
    [10_922, 10_923],
    [65_532, 65_535],
  ],
  ['to the same clock is unchanged', 8000, 8000, [160, 65_535], [160, 65_535]],
] as const) {
  test(`a relayed key ${rule} (RFC 4733 §2.3)`, () => {
    assert.deepEqual(relayedKey(fromClock, toClock, reportsOf(...sent)), reportsOf(...received));
  });
}

test('a relayed key of several segments stays one key for a slower clock (RFC 4733 §2.5.1.3)', () => {
  const sent = [
    { timestamp: 0, duration: 960 },
    { timestamp: 0, duration: 0xffff },
    { timestamp: 0xffff, duration: 960 },
    { timestamp: 0xffff, duration: 0xffff },
    { timestamp: 2 * 0xffff, duration: 6 },
  ];
  assert.deepEqual(relayedKey(48_000, 8000, sent), reportsOf(160, 10_923, 11_083, 21_845, 21_846));
});

test('a key that follows a long one is a key of its own, and keeps its time', () => {
  const sent = [
    { timestamp: 0, duration: 0xffff },
    { timestamp: 0xffff + 9600, duration: 4800 },
  ];
  const [long, next] = relayedKey(48_000, 8000, sent);
  assert.deepEqual([long!.duration, next], [10_923, { timestamp: 0xffff + 9600, duration: 800 }]);
});

test('a key reaches the partner once: relayed in its own packets, or pressed where there is no relay', () => {
  for (const watched of [false, true]) {
    const rig = createPacketRig();
    const [a, b] = [rig.phone('a', 3), rig.phone('b', 11)];
    hearEachOther(rig);
    rig.engine.apply({ do: 'watch-voice', leg: 'a', watched }, rig.nowMs());
    rig.run(3000);
    assert.equal(rig.engine.counters.relayed > 0, !watched);
    const from = b.heard.length;
    for (const digit of [5, 6]) {
      for (let packet = 0; packet < 8; packet++) {
        const units = (packet + 1) * 160;
        a.press(Uint8Array.of(digit, packet >= 5 ? 0x8a : 10, units >> 8, units), packet === 0);
        rig.run(20);
      }
      const digits = String(digit);
      rig.engine.apply({ do: 'send-digits', leg: 'b', digits, pressedBy: 'a' }, rig.nowMs());
      rig.run(600);
    }
    const starts = b.heard.slice(from).filter(({ payloadType, marker }) => payloadType === 101 && marker);
    assert.deepEqual(
      starts.map(({ payload }) => payload[0]),
      [5, 6],
    );
  }
});

test('the partner of a leg that keeps its keys gets none by the relay, and each that is pressed for it once', () => {
  for (const isPressed of [false, true]) {
    const rig = createPacketRig();
    const [a, b] = [rig.phone('a', 3), rig.phone('b', 11)];
    hearEachOther(rig, true);
    rig.run(3000);
    assert.ok(rig.engine.counters.relayed > 0);
    const from = b.heard.length;
    for (let packet = 0; packet < 8; packet++) {
      const units = (packet + 1) * 160;
      a.press(Uint8Array.of(5, packet >= 5 ? 0x8a : 10, units >> 8, units), packet === 0);
      rig.run(20);
    }
    if (isPressed)
      rig.engine.apply({ do: 'send-digits', leg: 'b', digits: '5', pressedBy: 'a' }, rig.nowMs());
    rig.run(600);
    const starts = b.heard.slice(from).filter(({ payloadType, marker }) => payloadType === 101 && marker);
    assert.deepEqual(
      starts.map(({ payload }) => payload[0]),
      isPressed ? [5] : [],
    );
    const relayed = rig.engine.counters.relayed;
    rig.run(1000);
    assert.ok(rig.engine.counters.relayed >= relayed + 90, 'the audio is relayed again');
  }
});
