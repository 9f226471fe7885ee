import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSilent, levelDb } from '../dsp/level.ts';
import { toneLevel } from '../dsp/tone-level.ts';
import { readRtcp } from '../rtp/rtcp.ts';
import { agreedWith, createEngineRig, type EngineRig, type TonePhone } from './testing/phones.ts';

/** Tones at least 150 Hz apart are distinguishable in ten frames. */
const tones = [400, 700, 1000, 1300, 1600, 1900, 2200, 2500, 2800, 3100];

function hears(rig: EngineRig, phone: TonePhone, hz: number, frames = 10): boolean {
  const level = toneLevel(rig.lastHeard(phone, frames), 8000, hz);
  // A talker is at −12 dB; the quantization noise of G.711 is 30 dB below it.
  assert.ok(level > -20 || level < -40, `${phone.leg} hears ${hz} Hz at ${level} dB`);
  return level > -20;
}

function connectAll(rig: EngineRig, mix: string, phones: readonly TonePhone[]): void {
  rig.engine.apply({ do: 'open-mix', mix }, rig.nowMs());
  rig.engine.apply(
    {
      do: 'set-hearing',
      mix,
      members: phones.map(({ leg }) => ({
        leg,
        hears: phones.filter((other) => other.leg !== leg).map((other) => other.leg),
      })),
    },
    rig.nowMs(),
  );
}

function room(count: number, mix = 'room'): { rig: EngineRig; phones: TonePhone[] } {
  const rig = createEngineRig();
  const phones = Array.from({ length: count }, (_, k) => rig.phone(`leg-${k}`, tones[k]!));
  connectAll(rig, mix, phones);
  return { rig, phones };
}

test('each member of a room hears all others and not itself', () => {
  const { rig, phones } = room(4);
  rig.run(20);
  for (const listener of phones) {
    for (const talker of phones) {
      assert.equal(hears(rig, listener, talker.frequencyHz), talker !== listener);
    }
  }
  assert.equal(rig.engine.countLeaks(), 0);
});

test('a sound that has just ended and an edge that waits for the next tick are not leaks', () => {
  const { rig, phones } = room(3);
  const sound = { kind: 'beep', count: 1 } as const;
  const to = phones.map(({ leg }) => leg);
  rig.engine.apply({ do: 'play', mix: 'room', key: 'enter', to, sound, loop: false }, rig.nowMs());
  for (let frame = 0; frame < 30; frame++) {
    rig.run(1);
    assert.equal(rig.engine.countLeaks(), 0, `after frame ${frame}`);
  }
  rig.engine.apply({ do: 'set-hearing', mix: 'room', members: [] }, rig.nowMs());
  assert.equal(rig.engine.countLeaks(), 0);
});

test('a leg in no mix receives silence in an unbroken stream of packets', () => {
  const rig = createEngineRig();
  const phone = rig.phone('alone', 1000);
  rig.run(50);
  assert.equal(phone.packets, 50);
  assert.equal(phone.breaks, 0);
  assert.ok(isSilent(rig.lastHeard(phone, 50), 8000));
});

test('a leg that opens after a loud call, in its place, receives and emits silence: nothing of the call is left', () => {
  const { rig, phones } = room(2);
  rig.run(30);
  for (const phone of phones) rig.hangUp(phone);
  const later = [rig.phone('next', 0), rig.phone('last', 0)];
  assert.deepEqual(
    later.map(({ index }) => index),
    phones.map(({ index }) => index).reverse(),
  );
  for (const phone of later) phone.sending = false;
  connectAll(rig, 'next', later);
  rig.run(30);
  for (const phone of later) {
    assert.equal(phone.packets, 30);
    assert.ok(rig.lastHeard(phone, 30).every((sample) => sample === 0));
  }
});

test('a muted member lacks edges to others: it hears, is not heard and needs no encoding of its own', () => {
  const { rig, phones } = room(3);
  const [a, b, muted] = phones as [TonePhone, TonePhone, TonePhone];
  rig.run(10);
  rig.engine.apply(
    {
      do: 'set-hearing',
      mix: 'room',
      members: [
        { leg: a.leg, hears: [b.leg] },
        { leg: b.leg, hears: [a.leg] },
        { leg: muted.leg, hears: [a.leg, b.leg] },
      ],
    },
    rig.nowMs(),
  );
  rig.run(15);
  assert.deepEqual(
    [hears(rig, a, muted.frequencyHz), hears(rig, muted, a.frequencyHz), hears(rig, muted, b.frequencyHz)],
    [false, true, true],
  );
});

test('a whisperer is heard by one member only, from the first frame on', () => {
  const rig = createEngineRig();
  const [insider, other, whisperer] = [
    rig.phone('insider', 400),
    rig.phone('other', 1000),
    rig.phone('whisperer', 1900),
  ];
  rig.run(20);
  rig.engine.apply({ do: 'open-mix', mix: 'call' }, rig.nowMs());
  rig.engine.apply(
    {
      do: 'set-hearing',
      mix: 'call',
      members: [
        { leg: 'insider', hears: ['other', 'whisperer'] },
        { leg: 'other', hears: ['insider'] },
        { leg: 'whisperer', hears: ['other', 'insider'] },
      ],
    },
    rig.nowMs(),
  );
  rig.run(100);
  assert.ok(hears(rig, insider, 1900) && hears(rig, insider, 1000) && !hears(rig, insider, 400));
  assert.ok(hears(rig, whisperer, 400) && hears(rig, whisperer, 1000) && !hears(rig, whisperer, 1900));
  const all = other.heard.subarray(0, other.heardCount);
  for (let at = 0; at + 800 <= all.length; at += 160) {
    assert.ok(!(toneLevel(all.subarray(at, at + 800), 8000, 1900) > -40));
  }
});

test('listeners of the same sources with the same codec share one encoding', () => {
  const rig = createEngineRig();
  const talker = rig.phone('talker', 1000);
  const crowd = Array.from({ length: 20 }, (_, k) =>
    rig.phone(`listener-${k}`, 0, k % 2 ? { codec: 'PCMA' } : {}),
  );
  rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
  rig.engine.apply(
    {
      do: 'set-hearing',
      mix: 'm',
      members: [{ leg: 'talker', hears: [] }, ...crowd.map(({ leg }) => ({ leg, hears: [talker.leg] }))],
    },
    rig.nowMs(),
  );
  rig.run(10);
  const before = { ...rig.engine.counters };
  rig.run(10);
  const after = rig.engine.counters;
  assert.equal(after.encoded - before.encoded, 2 * 10);
  assert.equal(after.shared - before.shared, 18 * 10);
  for (const listener of crowd) assert.ok(hears(rig, listener, 1000));
  assert.equal(rig.engine.census().audiences, 1);
});

test('1 kHz passes through the whole engine without a gap, a step of phase or a change of level', () => {
  for (const codec of ['PCMU', 'PCMA'] as const) {
    const rig = createEngineRig();
    const [talker, listener] = [rig.phone('talker', 1000, { codec }), rig.phone('listener', 0)];
    connectAll(rig, 'm', [talker, listener]);
    rig.run(500);
    const heard = rig.lastHeard(listener, 490);
    // 1 kHz repeats every 8 samples: any lost or inserted sample shifts the pattern.
    let worst = 0;
    for (let i = 8; i < heard.length; i++) worst = Math.max(worst, Math.abs(heard[i]! - heard[i - 8]!));
    assert.ok(worst < 300, `${codec}: a step of ${worst}`);
    assert.ok(Math.abs(toneLevel(heard, 8000, 1000) + 12.04) < 0.2);
    assert.equal(listener.breaks, 0);
  }
});

test('a single talker at full scale passes at unity gain', () => {
  const rig = createEngineRig();
  const [talker, listener] = [rig.phone('talker', 1000), rig.phone('listener', 0)];
  talker.amplitude = 0.98;
  connectAll(rig, 'm', [talker, listener]);
  rig.run(30);
  assert.ok(Math.abs(toneLevel(rig.lastHeard(listener, 10), 8000, 1000) + 0.18) < 0.1);
});

test('ten talkers at once do not clip: all are heard without distortion products', () => {
  const rig = createEngineRig();
  const talkers = tones.map((hz, k) => rig.phone(`t${k}`, hz));
  for (const talker of talkers) talker.amplitude = 0.5;
  const listener = rig.phone('listener', 0);
  connectAll(rig, 'm', [...talkers, listener]);
  rig.run(60);
  const heard = rig.lastHeard(listener, 30);
  const levels = tones.map((hz) => toneLevel(heard, 8000, hz));
  assert.ok(Math.min(...levels) > -26);
  assert.ok(Math.max(...levels) - Math.min(...levels) < 1.5);
  for (const hz of [550, 1150, 2050, 2950]) {
    assert.ok(
      toneLevel(heard, 8000, hz) < Math.max(...levels) - 25,
      `${hz} Hz ${toneLevel(heard, 8000, hz)}`,
    );
  }
});

test('a held member has no edges either way and hears hold music, which all held members share', () => {
  const { rig, phones } = room(3);
  const [a, b, held] = phones as [TonePhone, TonePhone, TonePhone];
  rig.engine.apply(
    {
      do: 'set-hearing',
      mix: 'room',
      members: [
        { leg: a.leg, hears: [b.leg] },
        { leg: b.leg, hears: [a.leg] },
        { leg: held.leg, hears: [] },
      ],
    },
    rig.nowMs(),
  );
  rig.engine.apply(
    { do: 'play', mix: 'room', key: 'hold', to: [held.leg], sound: { kind: 'hold-music' }, loop: true },
    rig.nowMs(),
  );
  rig.run(1200);
  assert.ok(!hears(rig, a, held.frequencyHz) && hears(rig, a, b.frequencyHz));
  for (let second = 0; second < 20; second++) {
    const at = held.heardCount - (second + 1) * 8000;
    assert.ok(levelDb(held.heard.subarray(at, at + 8000)) > -45, 'the music stopped');
  }
  rig.engine.apply({ do: 'stop-play', mix: 'room', key: 'hold' }, rig.nowMs());
  rig.run(2);
  assert.ok(isSilent(rig.lastHeard(held, 2), 320));
  assert.deepEqual(rig.notices, []);
});

test('a play is added to what its listeners hear, reaches no other leg and emits its end once', () => {
  const { rig, phones } = room(3);
  const [a, b, c] = phones as [TonePhone, TonePhone, TonePhone];
  rig.run(10);
  rig.engine.apply(
    {
      do: 'play',
      mix: 'room',
      key: 'enter',
      to: [a.leg, b.leg],
      sound: { kind: 'beep', count: 1 },
      loop: false,
    },
    rig.nowMs(),
  );
  rig.run(15);
  // The beep's 440 Hz is too near to the 400 Hz of the first phone, which phone a does not hear.
  assert.ok(hears(rig, a, 440) && hears(rig, a, b.frequencyHz) && hears(rig, a, c.frequencyHz));
  const beepAtB = toneLevel(rig.lastHeard(b, 15), 8000, 440);
  const beepAtC = toneLevel(rig.lastHeard(c, 15), 8000, 440);
  assert.ok(beepAtB - beepAtC > 1, `${beepAtB} ${beepAtC}`);
  rig.run(30);
  assert.deepEqual(rig.notices, [{ type: 'play-ended', mix: 'room', key: 'enter', because: 'finished' }]);
  assert.equal(rig.engine.census().plays, 0);
});

test('a play converts its clip to the rate of the mix, replaces the play of the same key, and ends at once if it cannot be played', () => {
  const rig = createEngineRig();
  const phone = rig.phone('p', 0);
  rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
  const play = (key: string, name: string, loop = false): void =>
    rig.engine.apply(
      { do: 'play', mix: 'm', key, to: ['p'], sound: { kind: 'clip', name }, loop },
      rig.nowMs(),
    );
  const samples = Int16Array.from(
    { length: 22050 },
    (_, n) => 8000 * Math.sin((2 * Math.PI * 900 * n) / 22050),
  );
  assert.ok(rig.engine.loadClip('voice', { sampleRate: 22050, samples }));
  play('k', 'voice', true);
  rig.run(120);
  assert.ok(Math.abs(toneLevel(rig.lastHeard(phone, 10), 8000, 900) + 12.25) < 0.3);
  const tone = { kind: 'tone', frequencyHz: 2000, levelDb: -12 } as const;
  rig.engine.apply({ do: 'play', mix: 'm', key: 'k', to: ['p'], sound: tone, loop: false }, rig.nowMs());
  rig.run(15);
  assert.ok(hears(rig, phone, 2000) && !hears(rig, phone, 900));
  assert.deepEqual(rig.notices, []);
  play('gone', 'unknown');
  assert.deepEqual(rig.notices, [{ type: 'play-ended', mix: 'm', key: 'gone', because: 'refused' }]);
});

test('a play ends when its last listener hangs up', () => {
  const rig = createEngineRig();
  const phone = rig.phone('p', 0);
  rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
  const sound = { kind: 'ringback' } as const;
  rig.engine.apply({ do: 'play', mix: 'm', key: 'r', to: ['p'], sound, loop: true }, rig.nowMs());
  rig.run(3);
  rig.hangUp(phone);
  assert.deepEqual(rig.notices, [{ type: 'play-ended', mix: 'm', key: 'r', because: 'left' }]);
  rig.engine.apply({ do: 'close-mix', mix: 'm' }, rig.nowMs());
  assert.deepEqual(rig.engine.census(), { legs: 0, mixes: 0, plays: 0, clips: 0, audiences: 0, captures: 0 });
});

test('RFC 4733: a key press emits one notice although its end arrives three times; its packets make no noise', () => {
  const { rig, phones } = room(2);
  const [a, b] = phones as [TonePhone, TonePhone];
  rig.run(10);
  a.sending = false;
  for (let frame = 1; frame <= 8; frame++) {
    const end = frame > 5 ? 0x80 : 0;
    const duration = Math.min(frame, 6) * 160;
    a.sendPayload(101, Uint8Array.of(5, end | 10, duration >> 8, duration & 255));
    rig.run(1);
  }
  a.sending = true;
  rig.run(20);
  assert.deepEqual(rig.notices, [{ type: 'digit', leg: a.leg, digit: '5', durationMs: 120 }]);
  assert.ok(hears(rig, b, a.frequencyHz));
});

test('RFC 3550 §6.3.7: a leg that has sent nothing sends no BYE; after a report alone it does', () => {
  const rig = createEngineRig();
  const [brief, listening] = [rig.phone('brief', 0), rig.phone('listening', 0, { direction: 'recvonly' })];
  rig.hangUp(brief);
  rig.run(400);
  assert.ok(rig.reports.length > 0 && rig.reports.every(({ leg }) => leg === listening.index));
  const before = rig.reports.length;
  rig.hangUp(listening);
  assert.equal(rig.reports.length, before + 1);
});

test('send-digits sends RFC 4733 events instead of audio and is refused where none were agreed on', () => {
  const { rig, phones } = room(2);
  const [a] = phones as [TonePhone, TonePhone];
  rig.engine.apply({ do: 'send-digits', leg: a.leg, digits: '1w#' }, rig.nowMs());
  rig.run(80);
  assert.deepEqual([...new Set(a.events)], [1, 11]);
  assert.equal(a.packets, 80);
  assert.equal(rig.hangUp(a).digitsSent, 2);
  const plain = rig.phone('plain', 0);
  rig.engine.apply({ do: 'send-digits', leg: 'plain', digits: '123' }, rig.nowMs());
  rig.run(1);
  rig.engine.connectLeg(
    'plain',
    {
      address: '192.0.2.1',
      port: 20_000 + 2 * plain.index,
      codec: 'PCMU',
      payloadType: 0,
      direction: 'sendrecv',
      ptimeMs: 20,
    },
    rig.nowMs(),
  );
  rig.engine.apply({ do: 'send-digits', leg: 'plain', digits: '1' }, rig.nowMs());
  assert.equal(rig.engine.counters.digitsRefused, 1);
  // Keys that are being sent end with the payload type that they began with.
  const pressed = plain.events.length;
  rig.run(20);
  assert.equal(plain.events.length, pressed);
});

test('keys for a leg that reports them are a notice, from commands and from streams, and no events', () => {
  const { rig, phones } = room(2);
  const [a] = phones as [TonePhone, TonePhone];
  rig.engine.connectLeg(a.leg, agreedWith(a, { reportsKeys: true }), rig.nowMs());
  rig.engine.apply({ do: 'send-digits', leg: a.leg, digits: '1w' }, rig.nowMs());
  rig.engine.streams.pressKeys([a.leg], '#');
  rig.run(80);
  assert.deepEqual(
    rig.notices.filter(({ type }) => type === 'keys-to-send'),
    ['1w', '#'].map((digits) => ({ type: 'keys-to-send', leg: a.leg, digits })),
  );
  assert.deepEqual([a.events, rig.engine.counters.digitsRefused], [[], 0]);
});

test('a sender that stops affects no other member, and emits media-silent once per silence', () => {
  const rig = createEngineRig({ mediaSilentMs: 1000 });
  const phones = [400, 1000, 1900].map((hz, k) => rig.phone(`p${k}`, hz)) as [
    TonePhone,
    TonePhone,
    TonePhone,
  ];
  connectAll(rig, 'm', phones);
  rig.run(20);
  phones[0].sending = false;
  rig.run(120);
  assert.ok(!hears(rig, phones[1], 400) && hears(rig, phones[1], 1900));
  assert.deepEqual(rig.notices, [{ type: 'media-silent', leg: 'p0', forMs: 1007 }]);
  phones[0].sending = true;
  rig.run(20);
  phones[0].sending = false;
  rig.run(60);
  assert.equal(rig.notices.length, 2);
});

test('packets of strangers, garbage and packets before connect are dropped and counted', () => {
  const { rig, phones } = room(2);
  const [a, b] = phones as [TonePhone, TonePhone];
  rig.run(10);
  for (let k = 0; k < 10; k++) {
    const packet = new Uint8Array(172).fill(0x10);
    packet.set([0x80, 0, 0, k, 0, 0, 0, 0, 9, 9, 9, 9]);
    a.sendRaw(packet, 6666);
    a.sendRaw(Uint8Array.of(1, 2, 3));
    a.sendRaw(new Uint8Array(0));
    rig.run(1);
  }
  assert.ok(toneLevel(rig.lastHeard(b, 10), 8000, a.frequencyHz) > -13);
  const statistics = rig.hangUp(a);
  assert.deepEqual([statistics.strangersDropped, statistics.malformedDropped], [10, 20]);
  assert.equal(statistics.packetsLost, 0);
  const early = rig.engine.openLeg('early')!;
  rig.engine.receive(early, new Uint8Array(172).fill(0x80), 172, '192.0.2.9', 1, rig.nowMs());
  assert.equal(rig.engine.counters.early, 1);
});

test('a sendonly leg does not receive, a recvonly leg does not send, and the change back leaves no gap in sequence numbers', () => {
  const { rig, phones } = room(2);
  const [a, b] = phones as [TonePhone, TonePhone];
  rig.run(10);
  rig.engine.connectLeg(a.leg, agreedWith(a, { direction: 'sendonly' }), rig.nowMs());
  rig.run(15);
  assert.ok(!hears(rig, b, a.frequencyHz) && hears(rig, a, b.frequencyHz));
  const packets = a.packets;
  rig.engine.connectLeg(a.leg, agreedWith(a, { direction: 'recvonly' }), rig.nowMs());
  rig.run(15);
  assert.equal(a.packets, packets);
  assert.ok(hears(rig, b, a.frequencyHz));
  rig.engine.connectLeg(a.leg, agreedWith(a, { direction: 'sendrecv' }), rig.nowMs());
  rig.run(15);
  // The timestamp has advanced by the pause, the sequence number has not.
  assert.equal(a.breaks, 1);
  assert.ok(hears(rig, a, b.frequencyHz) && hears(rig, b, a.frequencyHz));
});

for (const [ptimeMs, packets] of [
  [10, 200],
  [20, 100],
  [40, 50],
  [60, 33],
] as const) {
  test(`a phone that requests packets of ${ptimeMs} ms receives them, with the same audio`, () => {
    const rig = createEngineRig();
    const [talker, listener] = [rig.phone('t', 1000), rig.phone('l', 0, { ptimeMs })];
    connectAll(rig, 'm', [talker, listener]);
    rig.run(100);
    assert.equal(listener.packets, packets);
    assert.equal(listener.breaks, 0);
    assert.ok(hears(rig, listener, 1000));
  });
}

test('RTCP: a leg sends reports every 2.5 to 7.5 s and BYE at the end, and reads round trip and remote loss', () => {
  const { rig, phones } = room(2);
  const [a] = phones as [TonePhone, TonePhone];
  rig.run(1000);
  const mine = rig.reports.filter(({ leg }) => leg === a.index);
  assert.ok(mine.length >= 2 && mine.length <= 8, `${mine.length}`);
  const [report] = readRtcp(mine[0]!.bytes, mine[0]!.bytes.length)!;
  assert.ok(report?.type === 'sender-report' && report.reports[0]?.ssrc === a.index + 1);
  assert.equal(report.reports[0].cumulativeLost, 0);

  const last = readRtcp(mine.at(-1)!.bytes, mine.at(-1)!.bytes.length)![0]!;
  assert.ok(last.type === 'sender-report');
  const answer = new Uint8Array(32);
  const view = new DataView(answer.buffer);
  view.setUint32(0, 0x81c90007);
  view.setUint32(4, a.index + 1);
  view.setUint32(8, last.ssrc);
  view.setUint32(12, 64 << 24);
  view.setUint32(24, ((last.sender.ntpSeconds & 0xffff) << 16) | (last.sender.ntpFraction >>> 16));
  rig.engine.receiveReport(a.index, answer, 32, '203.0.113.1', 4001, rig.nowMs());
  rig.engine.receiveReport(a.index, answer, 32, '192.0.2.1', 4001, rig.nowMs());
  const statistics = rig.hangUp(a);
  assert.equal(statistics.remoteFractionLost, 0.25);
  assert.ok(statistics.roundTripMs !== undefined && statistics.roundTripMs < 8000);
  assert.equal(statistics.strangersDropped, 1);
  const bye = rig.reports.at(-1)!;
  assert.ok(readRtcp(bye.bytes, bye.bytes.length)!.some(({ type }) => type === 'goodbye'));
});

test('legs, members, plays and clips beyond their limits are refused and counted, and names are unique', () => {
  const rig = createEngineRig({ limits: { legs: 2, membersPerMix: 1, playsPerMix: 1, clipSamples: 100 } });
  rig.phone('a', 0);
  assert.equal(rig.engine.openLeg('a'), undefined);
  rig.phone('b', 0);
  assert.equal(rig.engine.openLeg('c'), undefined);
  connectAll(rig, 'm', [rig.engine, rig.engine].map((_, k) => ({ leg: 'ab'[k]! })) as TonePhone[]);
  assert.equal(rig.engine.counters.ignored, 1);
  assert.ok(!rig.engine.loadClip('x', { sampleRate: 8000, samples: new Int16Array(101) }));
  assert.ok(rig.engine.loadClip('x', { sampleRate: 8000, samples: new Int16Array(100) }));
  assert.ok(rig.engine.loadClip('x', { sampleRate: 8000, samples: new Int16Array(90) }));
  rig.engine.dropClip('x');
  rig.engine.dropClip('x');
  assert.ok(rig.engine.loadClip('y', { sampleRate: 8000, samples: new Int16Array(100) }));
  rig.engine.apply({ do: 'close-mix', mix: 'nowhere' }, rig.nowMs());
  assert.equal(rig.engine.counters.ignored, 2);
});

test('after a stall the audio of the skipped frames is discarded: the delay is that before the stall', () => {
  const rig = createEngineRig();
  const phones = [0, 0, 0].map((hz, k) => rig.phone(`leg-${k}`, hz));
  const names = phones.map(({ leg }) => leg);
  rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
  const members = names.map((leg) => ({ leg, hears: names.filter((other) => other !== leg) }));
  rig.engine.apply({ do: 'set-hearing', mix: 'm', members }, rig.nowMs());
  const [speaker, listener] = phones as [TonePhone, TonePhone];
  /** Frames from a tone of one frame to the frame in which it is heard. */
  const delay = (): number => {
    speaker.frequencyHz = 1000;
    rig.run(1);
    speaker.frequencyHz = 0;
    for (let frames = 0; frames < 30; frames++) {
      if (rig.lastHeard(listener, 1).some((sample) => Math.abs(sample) > 4000)) return frames;
      rig.run(1);
    }
    return 30;
  };
  rig.run(100);
  const before = delay();
  for (const stall of [8, 9, 30]) {
    rig.run(50);
    for (let frame = 0; frame < stall; frame++) rig.talk();
    rig.engine.tick(rig.nowMs(), stall - 1);
    assert.equal(delay(), before, `after ${stall} frames`);
  }
});
