import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codecFor } from '../codec/codec-for.ts';
import { toneLevel } from '../dsp/tone-level.ts';
import { nodeCiphers } from '../io/srtp-ciphers.ts';
import { createRtpHeader, readRtpPacket } from '../rtp/rtp-packet.ts';
import { createRtpSender } from '../rtp/rtp-sender.ts';
import { createSrtpCounters, createSrtpReceiver } from '../rtp/srtp-receiver.ts';
import { createSrtpSender } from '../rtp/srtp-sender.ts';
import type { AgreedKeys, AgreedMedia, MediaNotice } from './commands.ts';
import type { MediaEngine } from './engine-interface.ts';
import { createMediaEngine } from './media-engine.ts';

const address = '192.0.2.1';
const pcmu = codecFor('PCMU')!;
const sendKey = new Uint8Array(30).fill(1);
const receiveKey = new Uint8Array(30).fill(2);
const suite = 'AES_CM_128_HMAC_SHA1_80';
const keys: AgreedKeys = { by: 'sdes', suite, sendKey, receiveKey };

interface Captured {
  readonly at: number;
  readonly capture: string;
  readonly samples: Int16Array;
  readonly isLast: boolean;
}

/** Two engines on one clock, and phones whose leg may move from one to the other. */
class TwoEngines {
  now = 1_700_000_000_000;
  readonly notices: MediaNotice[] = [];
  readonly captured: Captured[] = [];
  readonly phones: Phone[] = [];
  goodbyes = 0;
  readonly engines: readonly MediaEngine[] = [0, 1].map((at) =>
    createMediaEngine({
      send: (leg, bytes, length) => this.phoneAt(at, leg)?.take(bytes.slice(0, length)),
      sendReport: (_leg, bytes, length) => {
        if (bytes.subarray(0, length).includes(203)) this.goodbyes++;
      },
      notify: (notice) => this.notices.push(notice),
      captured: (capture, _tracks, samples, isLast) => this.captured.push({ at, capture, samples, isLast }),
      random: () => 0.25,
      cname: 'rig',
      ciphers: nodeCiphers,
    }),
  );

  phoneAt(engine: number, leg: number): Phone | undefined {
    return this.phones.find((phone) => phone.engine === engine && phone.index === leg);
  }

  phone(leg: string, frequencyHz: number, protection?: AgreedKeys): Phone {
    const index = this.engines[0]!.openLeg(leg)!;
    const phone = new Phone(leg, index, frequencyHz, protection !== undefined);
    this.phones.push(phone);
    const agreed: AgreedMedia = {
      address,
      port: phone.port,
      codec: 'PCMU',
      payloadType: 0,
      telephoneEventPayloadType: 101,
      direction: 'sendrecv',
      ptimeMs: 20,
      ...(protection === undefined ? {} : { protection }),
    };
    this.engines[0]!.connectLeg(leg, agreed, this.now);
    return phone;
  }

  run(frames: number): void {
    for (let frame = 0; frame < frames; frame++) {
      this.now += 13;
      for (const phone of this.phones) {
        const bytes = phone.next();
        this.engines[phone.engine]!.receive(phone.index, bytes, bytes.length, address, phone.port, this.now);
      }
      this.now += 7;
      for (const engine of this.engines) engine.tick(this.now);
    }
  }

  /** As between threads: the state is copied. */
  move(legs: readonly Phone[], mixes: readonly string[] = [], captures: readonly string[] = []): void {
    const [from, to] = this.engines as [MediaEngine, MediaEngine];
    const names = { legs: legs.map(({ leg }) => leg), mixes, captures };
    const state = structuredClone(from.moves.release(names, this.now));
    const indexes = to.moves.adopt(state, this.now);
    legs.forEach((phone, at) => {
      phone.engine = 1;
      phone.index = indexes[at]!;
    });
  }
}

class Phone {
  engine = 0;
  readonly port: number;
  readonly ssrcs = new Set<number>();
  readonly sequences: number[] = [];
  readonly events: number[] = [];
  heard: number[] = [];
  refused = 0;
  readonly leg: string;
  index: number;
  readonly #frequencyHz: number;
  readonly #rtp;
  readonly #srtpOut;
  readonly #srtpIn;
  readonly #header = createRtpHeader();
  #position = 0;

  constructor(leg: string, index: number, frequencyHz: number, isProtected: boolean) {
    this.leg = leg;
    this.index = index;
    this.port = 20_000 + 2 * index;
    this.#frequencyHz = frequencyHz;
    this.#rtp = createRtpSender({ ssrc: index + 1, sequenceNumber: 65_500, timestamp: 0 });
    if (!isProtected) return;
    this.#srtpOut = createSrtpSender(nodeCiphers, { suite, keyAndSalt: receiveKey });
    this.#srtpIn = createSrtpReceiver(nodeCiphers, { suite, keyAndSalt: sendKey }, createSrtpCounters());
  }

  next(): Uint8Array {
    const frame = Int16Array.from(
      { length: 160 },
      () => 8000 * Math.sin((2 * Math.PI * this.#frequencyHz * this.#position++) / 8000),
    );
    const length = this.#rtp.writeAudio(pcmu, 0, frame, 160);
    return this.#rtp.packet.slice(0, this.#srtpOut?.protect(this.#rtp.packet, length) ?? length);
  }

  take(bytes: Uint8Array): void {
    const plain = new Uint8Array(1600);
    const size =
      this.#srtpIn === undefined ? bytes.length : this.#srtpIn.unprotect(bytes, bytes.length, plain);
    if (size < 0) {
      this.refused++;
      return;
    }
    const packet = this.#srtpIn === undefined ? bytes : plain;
    assert.ok(readRtpPacket(packet, size, this.#header));
    const { ssrc, sequenceNumber, payloadType, payloadOffset, payloadLength } = this.#header;
    this.ssrcs.add(ssrc);
    this.sequences.push(sequenceNumber);
    if (payloadType === 101) {
      this.events.push(packet[payloadOffset]!);
      return;
    }
    const samples = new Int16Array(payloadLength);
    pcmu.decode(packet, payloadOffset, payloadLength, samples);
    this.heard.push(...samples);
  }

  /** Whether the last frames that it received contain this tone. */
  hears(frequencyHz: number): boolean {
    return toneLevel(Int16Array.from(this.heard.slice(-10 * 160)), 8000, frequencyHz) > -20;
  }

  get isGapless(): boolean {
    return this.sequences.every(
      (number, at) => at === 0 || number === ((this.sequences[at - 1]! + 1) & 0xffff),
    );
  }
}

const hearEachOther = (mix: string, one: string, other: string) =>
  ({
    do: 'set-hearing',
    mix,
    members: [
      { leg: one, hears: [other] },
      { leg: other, hears: [one] },
    ],
  }) as const;

test('a leg that moves to another engine keeps SSRC, sequence, source and SRTP keys, and no stream ends', () => {
  const world = new TwoEngines();
  const a = world.phone('a', 700, keys);
  const b = world.phone('b', 1900);
  // Past the wrap of the sequence number, which SRTP counts.
  world.run(60);
  world.move([a, b]);
  world.engines[1]!.apply({ do: 'open-mix', mix: 'm' }, world.now);
  world.engines[1]!.apply(hearEachOther('m', 'a', 'b'), world.now);
  world.run(60);
  assert.deepEqual([a.hears(1900), b.hears(700), a.hears(700)], [true, true, false]);
  for (const phone of [a, b]) {
    assert.deepEqual([phone.ssrcs.size, phone.isGapless, phone.refused], [1, true, 0]);
  }
  assert.equal(world.goodbyes, 0);
  const { packetsReceived, packetsSent, ...rest } = world.engines[1]!.closeLeg('a', world.now);
  // The first packet passed the probation, the only one for both engines.
  assert.deepEqual([packetsReceived, packetsSent], [119, a.sequences.length]);
  assert.equal(rest.unauthenticatedDropped + rest.replayedDropped + rest.strangersDropped, 0);
  assert.equal(rest.packetsLost, 0);
  assert.equal(world.engines[0]!.census().legs, 0);
});

test('an SRTP packet that one engine has accepted is a replay in the next one', () => {
  const world = new TwoEngines();
  const a = world.phone('a', 700, keys);
  world.run(5);
  const packet = a.next();
  world.engines[0]!.receive(a.index, packet, packet.length, address, a.port, world.now);
  world.move([a]);
  world.engines[1]!.receive(a.index, packet, packet.length, address, a.port, world.now);
  assert.equal(world.engines[1]!.closeLeg('a', world.now).replayedDropped, 1);
});

test('a leg that moves is latched where it was: a stranger that sends first does not take it over', () => {
  const world = new TwoEngines();
  const a = world.phone('a', 700);
  world.run(5);
  world.move([a]);
  for (let packet = 0; packet < 10; packet++) {
    const bytes = a.next();
    world.engines[1]!.receive(a.index, bytes, bytes.length, '198.51.100.9', 4000, world.now);
  }
  assert.equal(world.engines[1]!.closeLeg('a', world.now).strangersDropped, 10);
});

test('a play that waits behind another one follows its leg, and is heard in its turn', () => {
  const world = new TwoEngines();
  const a = world.phone('a', 700);
  const [from] = world.engines as [MediaEngine, MediaEngine];
  const order = (frequencyHz: number) =>
    ({
      ...({ do: 'play', mix: 'p', to: ['a'], loop: false } as const),
      key: `${frequencyHz}`,
      sound: { kind: 'tone', frequencyHz, levelDb: -10, durationMs: 1000 },
    }) as const;
  from.apply({ do: 'open-mix', mix: 'p' }, world.now);
  from.apply(order(1200), world.now);
  from.apply({ ...order(2100), behind: '1200' }, world.now);
  world.run(30);
  world.move([a], ['p']);
  world.run(15);
  assert.ok(a.hears(1200) && !a.hears(2100));
  world.run(40);
  assert.ok(a.hears(2100) && !a.hears(1200));
  assert.deepEqual(
    world.notices.map((notice) => notice.type === 'play-ended' && notice.key),
    ['1200'],
  );
  world.run(20);
  assert.equal(world.notices.length, 2);
});

test('a play and a capture follow their leg: the sound continues, and the capture has one end', () => {
  const world = new TwoEngines();
  const a = world.phone('a', 700);
  const [from, to] = world.engines as [MediaEngine, MediaEngine];
  const sound = { kind: 'tone', frequencyHz: 1200, levelDb: -10, durationMs: 2000 } as const;
  from.apply({ do: 'open-mix', mix: 'p' }, world.now);
  from.apply({ do: 'play', mix: 'p', key: 'k', to: ['a'], sound, loop: false }, world.now);
  from.apply({ do: 'capture', capture: 'c', tracks: [{ said: ['a'], heard: [] }] }, world.now);
  world.run(50);
  world.move([a], ['p'], ['c']);
  world.run(40);
  assert.ok(a.hears(1200));
  assert.deepEqual(world.notices, []);
  world.run(20);
  assert.deepEqual(world.notices, [{ type: 'play-ended', mix: 'p', key: 'k', because: 'finished' }]);
  to.apply({ do: 'end-capture', capture: 'c' }, world.now);
  const lengths = world.captured.map(({ samples }) => samples.length);
  assert.ok(Math.abs(lengths.reduce((sum, length) => sum + length, 0) - 110 * 160) <= 2 * 160, `${lengths}`);
  assert.equal(world.captured.filter(({ isLast }) => isLast).length, 1);
  assert.equal(world.captured.at(-1)!.at, 1);
  const nothing = { legs: 0, mixes: 0, plays: 0, clips: 0, audiences: 0, captures: 0 };
  assert.deepEqual(from.census(), nothing);
});

test('a key that is being sent, and the keys that wait, are sent once each', () => {
  const world = new TwoEngines();
  const a = world.phone('a', 700);
  world.run(5);
  world.engines[0]!.apply({ do: 'send-digits', leg: 'a', digits: '12' }, world.now);
  world.run(3);
  world.move([a]);
  world.run(40);
  assert.deepEqual([...new Set(a.events)], [1, 2]);
  assert.equal(world.engines[1]!.closeLeg('a', world.now).digitsSent, 2);
});

test('a key whose end came before the move is not reported again by its repeated end', () => {
  const world = new TwoEngines();
  const a = world.phone('a', 700);
  world.run(5);
  const rtp = createRtpSender({ ssrc: a.index + 1, sequenceNumber: 100, timestamp: 9000 });
  const press = (engine: MediaEngine) => {
    const length = rtp.writeEvent(101, { event: 7, end: true, volume: 10, duration: 800 }, 9000, false);
    engine.receive(a.index, rtp.packet, length, address, a.port, world.now);
  };
  press(world.engines[0]!);
  world.move([a]);
  press(world.engines[1]!);
  assert.deepEqual(world.notices, [{ type: 'digit', leg: 'a', digit: '7', durationMs: 100 }]);
});
