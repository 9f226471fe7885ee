import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CodecName } from '../codec/audio-codec.ts';
import { codecFor } from '../codec/codec-for.ts';
import { toneLevel } from '../dsp/tone-level.ts';
import { receivedPacketBytes } from '../rtp/rtp-packet.ts';
import { createRtpSender } from '../rtp/rtp-sender.ts';
import type { LegStatistics } from './commands.ts';
import { createMediaEngine } from './media-engine.ts';

interface Heard {
  /** Of the tone in the last second, in dB. */
  readonly level: number;
  readonly packets: number;
  readonly statistics: LegStatistics;
}

/** The audio of a phone that sends a tone for four seconds, in packets of this length, through a socket that cuts them off. */
function heardOf(name: CodecName, clockRate: number, packetMs: number, socketBytes = 65_535): Heard {
  const codec = codecFor(name, clockRate)!;
  const { sampleRate, frameSamples } = codec;
  const captured: number[] = [];
  const engine = createMediaEngine({
    send: () => {},
    sendReport: () => {},
    notify: () => {},
    random: () => 0.5,
    cname: 'engine',
    captured: (_capture, _track, samples) => captured.push(...samples),
  });
  const index = engine.openLeg('phone')!;
  const address = '192.0.2.1';
  const agreed = { address, port: 4000, direction: 'sendrecv', payloadType: 96, ptimeMs: 20 } as const;
  engine.connectLeg('phone', { ...agreed, codec: name, clockRate }, 0);
  engine.apply({ do: 'capture', capture: 'c', tracks: [{ said: ['phone'], heard: [] }] }, 0);
  const rtp = createRtpSender({ ssrc: 1, sequenceNumber: 1, timestamp: 1, packet: new Uint8Array(8192) });
  const samples = new Int16Array((sampleRate * packetMs) / 1000);
  let packets = 0;
  for (let tick = 1; tick <= 200; tick++) {
    while ((packets + 1) * packetMs <= tick * 20) {
      for (let n = 0; n < samples.length; n++)
        samples[n] = 8000 * Math.sin((2 * Math.PI * 400 * (packets * samples.length + n)) / sampleRate);
      const length = rtp.writeAudio(codec, 96, samples, samples.length);
      engine.receive(index, rtp.packet, Math.min(length, socketBytes), address, 4000, tick * 20 - 3);
      packets++;
    }
    engine.tick(tick * 20);
  }
  engine.endCaptures();
  const last = Int16Array.from(captured.slice(-50 * frameSamples));
  return { level: toneLevel(last, sampleRate, 400), packets, statistics: engine.closeLeg('phone', 4000) };
}

for (const [name, clockRate, packetMs] of [
  ['PCMU', 8000, 80],
  ['PCMU', 8000, 100],
  ['PCMA', 8000, 120],
  ['G722', 8000, 120],
  ['L16', 8000, 120],
  ['L16', 16_000, 40],
  ['L16', 16_000, 60],
  ['L16', 24_000, 40],
  ['L16', 48_000, 20],
] as const) {
  test(`packets of ${packetMs} ms of ${name}/${clockRate} are heard without a gap`, () => {
    const { level, packets, statistics } = heardOf(name, clockRate, packetMs);
    assert.ok(level > -13 && level < -12, `${level} dB`);
    const { packetsReceived, malformedDropped, packetsLost, framesConcealed } = statistics;
    assert.deepEqual([malformedDropped, packetsLost, framesConcealed], [0, 0, 0]);
    assert.equal(packetsReceived, packets - 1, 'all but the first, which the latch awaits');
  });
}

for (const [rule, name, clockRate, packetMs, socketBytes, awaited] of [
  ['of more than 120 ms', 'PCMU', 8000, 140, 65_535, 1],
  ['longer than sockets receive', 'L16', 16_000, 80, 65_535, 0],
  ['that a socket has cut off', 'L16', 16_000, 80, receivedPacketBytes, 0],
] as const) {
  test(`packets ${rule} are counted as malformed`, () => {
    const { packets, statistics } = heardOf(name, clockRate, packetMs, socketBytes);
    assert.equal(statistics.malformedDropped, packets - awaited);
  });
}

test('packets that we send are as long as the other side requests, or the whole frames that fit (RFC 8866 §6.4)', () => {
  for (const [name, clockRate, lengths] of [
    ['PCMU', 8000, [10, 20, 20, 40, 40, 60]],
    ['G722', 8000, [10, 20, 20, 40, 40, 60]],
    ['L16', 16_000, [10, 20, 20, 40, 40, 40]],
    ['L16', 48_000, [10, 10, 10, 10, 10, 10]],
  ] as const) {
    const { frameBytes } = codecFor(name, clockRate)!;
    const sent = [10, 20, 30, 40, 50, 60].map((ptimeMs) => {
      const packets = new Set<number>();
      const engine = createMediaEngine({
        send: (_leg, _bytes, length) => packets.add(((length - 12) * 20) / frameBytes),
        sendReport: () => {},
        notify: () => {},
        random: () => 0.5,
        cname: 'engine',
      });
      engine.openLeg('phone');
      const agreed = { address: '192.0.2.1', port: 4000, direction: 'sendrecv', payloadType: 96 } as const;
      engine.connectLeg('phone', { ...agreed, codec: name, clockRate, ptimeMs }, 0);
      for (let tick = 1; tick <= 60; tick++) engine.tick(tick * 20);
      return [...packets];
    });
    assert.deepEqual(
      sent,
      lengths.map((ms) => [ms]),
      `${name}/${clockRate}`,
    );
  }
});
