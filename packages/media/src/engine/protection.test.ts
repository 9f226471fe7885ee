import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeCiphers } from '../io/srtp-ciphers.ts';
import { readRtcp } from '../rtp/rtcp.ts';
import { createRtpHeader, readRtpPacket } from '../rtp/rtp-packet.ts';
import { createRtpSender } from '../rtp/rtp-sender.ts';
import { createSrtpCounters, createSrtpReceiver } from '../rtp/srtp-receiver.ts';
import { createSrtpSender } from '../rtp/srtp-sender.ts';
import type { AgreedKeys, AgreedMedia, LegStatistics } from './commands.ts';
import type { MediaEngine } from './engine-interface.ts';
import { createMediaEngine } from './media-engine.ts';

const address = '192.0.2.1';
const port = 5004;

function protection(send: number, receive: number): AgreedKeys {
  const sendKey = new Uint8Array(30).fill(send);
  return {
    by: 'sdes',
    suite: 'AES_CM_128_HMAC_SHA1_80',
    sendKey,
    receiveKey: new Uint8Array(30).fill(receive),
  };
}

const agreed: AgreedMedia = {
  address,
  port,
  rtcpPort: port,
  codec: 'PCMU',
  payloadType: 0,
  direction: 'sendrecv',
  ptimeMs: 20,
};

/** An engine with two legs that hear each other. The test reads the packets to the second one as they are sent. */
function rig(options: { a?: AgreedKeys; b?: AgreedKeys; hasNoCiphers?: true } = {}) {
  let now = 1_700_000_000_000;
  const sent = new Map<number, Uint8Array[]>();
  const engine: MediaEngine = createMediaEngine({
    send(leg, bytes, length) {
      const packets = sent.get(leg) ?? [];
      packets.push(bytes.slice(0, length));
      sent.set(leg, packets);
    },
    sendReport: () => assert.fail('RTCP shares the port'),
    notify: () => {},
    random: () => 0.25,
    cname: 'rig',
    ...(options.hasNoCiphers ? {} : { ciphers: nodeCiphers }),
  });
  const open = (name: string, secured: AgreedKeys | undefined): Talker => {
    const index = engine.openLeg(name)!;
    const connect = (requested: AgreedKeys | undefined) =>
      engine.connectLeg(name, { ...agreed, ...(requested && { protection: requested }) }, now);
    const isConnected = connect(secured);
    const rtp = createRtpSender({ ssrc: index + 1, sequenceNumber: 65_500, timestamp: 0 });
    let position = 0;
    const talker: Talker = {
      index,
      isConnected,
      connect,
      srtp: secured && createSrtpSender(nodeCiphers, masterOf(secured.suite, secured.receiveKey)),
      talks: true,
      payloads: [],
      raw: (bytes, length = bytes.length) => engine.receive(index, bytes, length, address, port, now),
      talk() {
        if (!talker.talks) return;
        const payload = new Uint8Array(160).map(() => position++ % 251);
        talker.payloads.push(Buffer.from(payload).toString('hex'));
        const size = rtp.writePayload(0, payload, 0, 160, 160);
        talker.raw(rtp.packet, talker.srtp?.protect(rtp.packet, size) ?? size);
      },
      heard: () => sent.get(index)?.splice(0) ?? [],
      close: () => engine.closeLeg(name, now),
    };
    return talker;
  };
  const a = open('a', options.a);
  const b = open('b', options.b);
  engine.apply({ do: 'open-mix', mix: 'm' }, now);
  const members = [
    { leg: 'a', hears: ['b'] },
    { leg: 'b', hears: ['a'] },
  ];
  engine.apply({ do: 'set-hearing', mix: 'm', members }, now);
  return {
    engine,
    a,
    b,
    run(frames: number) {
      for (let frame = 0; frame < frames; frame++) {
        now += 10;
        for (const each of [a, b]) each.talk();
        now += 10;
        engine.tick(now);
      }
    },
  };
}

interface Talker {
  readonly index: number;
  readonly isConnected: boolean;
  connect(requested: AgreedKeys | undefined): boolean;
  srtp: ReturnType<typeof createSrtpSender> | undefined;
  talks: boolean;
  readonly payloads: string[];
  raw(bytes: Uint8Array, length?: number): void;
  talk(): void;
  heard(): Uint8Array[];
  close(): LegStatistics;
}

function masterOf(suite: AgreedKeys['suite'], keyAndSalt: Uint8Array) {
  return { suite, keyAndSalt };
}

/** Decrypted audio payloads and reports of packets sent under one of our keys. */
function opened(packets: readonly Uint8Array[], secured: AgreedKeys | undefined) {
  const receiver =
    secured &&
    createSrtpReceiver(nodeCiphers, masterOf(secured.suite, secured.sendKey), createSrtpCounters());
  const out = new Uint8Array(2048);
  const header = createRtpHeader();
  const payloads: string[] = [];
  const reports: ReturnType<typeof readRtcp>[] = [];
  for (const packet of packets) {
    const isReport = packet[1]! >= 192 && packet[1]! <= 223;
    const open = isReport ? receiver?.unprotectReport : receiver?.unprotect;
    out.set(packet);
    const size = open?.call(receiver, packet, packet.length, out) ?? packet.length;
    assert.ok(size > 0, 'a packet cannot be decrypted');
    if (isReport) reports.push(readRtcp(out, size));
    else if (readRtpPacket(out, size, header)) {
      const { payloadOffset, payloadLength } = header;
      payloads.push(Buffer.from(out.slice(payloadOffset, payloadOffset + payloadLength)).toString('hex'));
    }
  }
  return { payloads, reports };
}

test('a relay between SRTP and plain RTP passes the payloads unchanged, each leg in its own protection', () => {
  const secured = protection(1, 2);
  const { engine, a, b, run } = rig({ a: secured });
  run(100);
  const { relayed } = engine.counters;
  for (const each of [a, b]) {
    each.heard();
    each.payloads.length = 0;
  }
  run(100);
  assert.equal(engine.counters.relayed - relayed, 200);
  const heardByA = opened(a.heard(), secured).payloads;
  const heardByB = opened(b.heard(), undefined).payloads;
  assert.deepEqual(heardByA.slice(0, 90), b.payloads.slice(0, 90));
  assert.deepEqual(heardByB.slice(0, 90), a.payloads.slice(0, 90));
});

test('SRTP loses no packet through a mix and over the wrap of sequence numbers, and reports are protected too', () => {
  const [one, other] = [protection(1, 2), protection(3, 4)];
  const { engine, a, b, run } = rig({ a: one, b: other });
  engine.apply(
    { do: 'play', mix: 'm', key: 'k', to: ['a', 'b'], sound: { kind: 'hold-music' }, loop: true },
    0,
  );
  run(500);
  const heard = opened(a.heard(), one);
  assert.ok(heard.payloads.length >= 499);
  assert.equal(heard.reports[0]?.[0]?.type, 'sender-report');
  assert.equal(heard.reports.at(-1)?.[0]?.type === 'sender-report', true);
  const block = heard.reports.flatMap((report) =>
    report?.[0] && 'reports' in report[0] ? report[0].reports : [],
  );
  assert.equal(block.at(-1)?.cumulativeLost, 0);
  // The latch consumes the first one.
  const { packetsReceived, packetsLost, unauthenticatedDropped, protection: suite } = a.close();
  assert.deepEqual([packetsReceived, packetsLost, unauthenticatedDropped], [499, 0, 0]);
  assert.equal(suite, 'AES_CM_128_HMAC_SHA1_80');
  assert.equal(b.close().replayedDropped, 0);
});

test('packets without SRTP, under another key or repeated are dropped and counted, and move neither latch nor reports', () => {
  const secured = protection(1, 2);
  const { a, run } = rig({ a: secured });
  run(10);
  a.srtp = undefined;
  run(5);
  a.srtp = createSrtpSender(nodeCiphers, masterOf(secured.suite, new Uint8Array(30).fill(9)));
  run(5);
  const report = Uint8Array.from([0x80, 201, 0, 1, 0, 0, 0, 1]);
  a.raw(report);
  const [packet] = a.heard();
  a.raw(packet!);
  const { packetsReceived, unauthenticatedDropped, replayedDropped, malformedDropped } = a.close();
  assert.deepEqual([packetsReceived, unauthenticatedDropped, replayedDropped], [9, 12, 0]);
  assert.equal(malformedDropped, 0);
});

test('a re-INVITE with the same keys changes nothing; with a new key, packets under way with the old key are accepted', () => {
  const secured = protection(1, 2);
  const { a, run } = rig({ a: secured });
  run(50);
  assert.equal(a.connect(protection(1, 2)), true);
  run(50);
  const renewed = protection(1, 5);
  assert.equal(a.connect(renewed), true);
  run(3);
  a.srtp = createSrtpSender(nodeCiphers, masterOf(renewed.suite, renewed.receiveKey));
  run(47);
  // Our key is unchanged: one context decrypts all packets.
  assert.ok(opened(a.heard(), secured).payloads.length >= 149);
  const { packetsReceived, unauthenticatedDropped, replayedDropped } = a.close();
  assert.deepEqual([packetsReceived, unauthenticatedDropped, replayedDropped], [149, 0, 0]);
});

test('a leg whose agreed SRTP is not possible is not connected, and never uses plain RTP', () => {
  const { a } = rig();
  assert.equal(a.connect({ ...protection(1, 2), receiveKey: new Uint8Array(16) }), false);
  assert.equal(a.connect({ ...protection(1, 2), suite: 'F8_128_HMAC_SHA1_80' as never }), false);
  assert.equal(rig({ a: protection(1, 2), hasNoCiphers: true }).a.isConnected, false);
});
