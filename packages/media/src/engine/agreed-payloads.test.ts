import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSilent } from '../dsp/level.ts';
import { toneLevel } from '../dsp/tone-level.ts';
import type { AgreedMedia } from './commands.ts';
import { agreedWith, createEngineRig, type EngineRig, type TonePhone } from './testing/phones.ts';

const both = [
  { payloadType: 0, codec: 'PCMU' },
  { payloadType: 8, codec: 'PCMA' },
] as const;

/** Two phones that hear each other; `overrides` changes the agreement of the first one. */
function pair(overrides: Partial<AgreedMedia>): { rig: EngineRig; phone: TonePhone; other: TonePhone } {
  const rig = createEngineRig();
  const phone = rig.phone('phone', 1000, overrides);
  const other = rig.phone('other', 1900);
  rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
  rig.engine.apply(
    {
      do: 'set-hearing',
      mix: 'm',
      members: [
        { leg: 'phone', hears: ['other'] },
        { leg: 'other', hears: ['phone'] },
      ],
    },
    rig.nowMs(),
  );
  return { rig, phone, other };
}

/** The largest difference of a sample to the sample one period of 1 kHz earlier: any slip or gap shows. */
function worstStep(heard: Int16Array): number {
  let worst = 0;
  for (let i = 8; i < heard.length; i++) worst = Math.max(worst, Math.abs(heard[i]! - heard[i - 8]!));
  return worst;
}

test('RFC 3264 §5.1: a phone that answers PCMA may send PCMU if it was offered, and receives PCMA', () => {
  const { rig, phone, other } = pair({ codec: 'PCMA', receive: both });
  phone.speaks = both[0];
  rig.run(30);
  assert.ok(toneLevel(rig.lastHeard(other, 10), 8000, 1000) > -12.5);
  // The rig decodes with the agreed codec: PCMA arrives undistorted.
  assert.ok(toneLevel(rig.lastHeard(phone, 10), 8000, 1900) > -12.5);
  assert.equal(rig.hangUp(phone).malformedDropped, 0);
});

test('a change of codec by the other side in mid-stream makes no gap and no step', () => {
  const { rig, phone, other } = pair({ receive: both });
  rig.run(20);
  for (let change = 1; change <= 20; change++) {
    phone.speaks = both[change % 2]!;
    rig.run(change % 3 === 0 ? 1 : 4);
  }
  assert.ok(worstStep(rig.lastHeard(other, 60)) < 300);
  const { framesConcealed, packetsLost } = rig.hangUp(phone);
  assert.deepEqual([framesConcealed, packetsLost], [0, 0]);
});

test('changes between codecs count each sent packet once', () => {
  const rig = createEngineRig();
  const phone = rig.phone('phone', 0);
  let bytes = 0;
  const codecs = [
    { codec: 'G722', payloadType: 9, frameBytes: 160 },
    { codec: 'PCMU', payloadType: 0, frameBytes: 160 },
    // Another clock rate: a new stream.
    { codec: 'L16', payloadType: 96, clockRate: 16_000, frameBytes: 640 },
    { codec: 'G722', payloadType: 9, frameBytes: 160 },
    { codec: 'PCMA', payloadType: 8, frameBytes: 160 },
  ] as const;
  rig.run(10);
  bytes += 10 * 160;
  for (const { frameBytes, ...codec } of codecs) {
    rig.engine.connectLeg('phone', agreedWith(phone, codec), rig.nowMs());
    rig.run(10);
    bytes += 10 * frameBytes;
  }
  const { packetsSent, bytesSent } = rig.hangUp(phone);
  assert.deepEqual([packetsSent, bytesSent], [60, bytes]);
});

test('the receiver assigns payload types: codecs and events are sent under theirs and received under ours', () => {
  const { rig, phone, other } = pair({
    codec: 'PCMA',
    payloadType: 97,
    telephoneEventPayloadType: 96,
    receive: [{ payloadType: 8, codec: 'PCMA' }],
    receiveTelephoneEventPayloadType: 101,
  });
  phone.speaks = both[1];
  rig.engine.apply({ do: 'send-digits', leg: 'phone', digits: '4' }, rig.nowMs());
  rig.run(20);
  assert.deepEqual([...new Set(phone.events)], [4]);
  assert.ok(toneLevel(rig.lastHeard(other, 10), 8000, 1000) > -12.5);
  const end = Uint8Array.of(7, 0x8a, 3, 0x20);
  phone.sendPayload(96, end);
  assert.deepEqual(rig.notices, []);
  phone.sendPayload(101, end);
  assert.deepEqual(rig.notices, [{ type: 'digit', leg: 'phone', digit: '7', durationMs: 100 }]);
  assert.equal(rig.hangUp(phone).malformedDropped, 1);
});

test('a packet of a payload type that was not agreed on is dropped and counted, and the audio has no gap', () => {
  const { rig, phone, other } = pair({});
  rig.run(20);
  const noise = new Uint8Array(160).fill(0x20);
  for (let k = 0; k < 10; k++) {
    phone.sendPayload(k % 2 ? 8 : 13, noise);
    rig.run(1);
  }
  assert.ok(worstStep(rig.lastHeard(other, 10)) < 300);
  phone.speaks = both[1];
  rig.run(20);
  assert.ok(isSilent(rig.lastHeard(other, 5), 800));
  assert.equal(rig.hangUp(phone).malformedDropped, 30);
});

for (const direction of ['sendonly', 'inactive'] as const) {
  test(`hold by re-INVITE (${direction}): the phone is not heard during the hold, and both are heard at once after it`, () => {
    const { rig, phone, other } = pair({ ptimeMs: 40 });
    // With an odd number of frames, one waits for the rest of its packet when the hold begins.
    rig.run(31);
    const packets = phone.packets;
    const before = { breaks: phone.breaks, markers: phone.markers };
    rig.engine.connectLeg('phone', agreedWith(phone, { direction, ptimeMs: 40 }), rig.nowMs());
    rig.run(40);
    assert.ok(isSilent(rig.lastHeard(other, 30), 4800));
    assert.equal(phone.packets, packets + (direction === 'inactive' ? 0 : 20));
    rig.engine.connectLeg('phone', agreedWith(phone, { ptimeMs: 40 }), rig.nowMs());
    const heardBefore = phone.heardCount;
    rig.run(20);
    // The latch and the buffer need 20 ms to begin; no sample is concealed.
    assert.ok(worstStep(rig.lastHeard(other, 18)) < 300);
    assert.equal(phone.heardCount - heardBefore, 20 * 160);
    // The timestamp counts the time of the hold; the sequence numbers have no gap.
    assert.ok(phone.breaks - before.breaks <= 1 && phone.markers > before.markers);
    assert.ok(toneLevel(rig.lastHeard(phone, 10), 8000, 1900) > -12.5);
    const { framesConcealed } = rig.hangUp(phone);
    assert.equal(framesConcealed, 0);
  });
}

test('a phone that holds may be silent without limit: its silence counts from the end of the hold', () => {
  const { rig, phone } = pair({});
  rig.run(20);
  rig.engine.connectLeg('phone', agreedWith(phone, { direction: 'recvonly' }), rig.nowMs());
  phone.sending = false;
  rig.run(4000);
  assert.equal(rig.notices.length, 0);
  rig.engine.connectLeg('phone', agreedWith(phone, {}), rig.nowMs());
  rig.run(2900);
  assert.equal(rig.notices.length, 0);
  rig.run(200);
  assert.deepEqual(
    rig.notices.map((notice) => notice.type),
    ['media-silent'],
  );
});

test('RFC 2543 hold: nothing is sent to 0.0.0.0, not even a report, and audio returns to the earlier address', () => {
  const sentTo = new Set<string>();
  const { rig, phone, other } = pair({});
  rig.run(20);
  rig.engine.connectLeg(
    'phone',
    agreedWith(phone, { address: '0.0.0.0', direction: 'recvonly' }),
    rig.nowMs(),
  );
  const packets = phone.packets;
  rig.run(400);
  assert.equal(phone.packets, packets);
  assert.ok(toneLevel(rig.lastHeard(other, 10), 8000, 1000) > -12.5);
  for (const { address } of rig.reports) sentTo.add(address);
  assert.deepEqual([...sentTo], ['192.0.2.1']);
  rig.engine.connectLeg('phone', agreedWith(phone, {}), rig.nowMs());
  rig.run(1);
  assert.equal(phone.packets, packets + 1);
});

test('a key whose end a hold cuts off ends when the hold begins, not after it', () => {
  const { rig, phone } = pair({});
  rig.run(10);
  phone.sendPayload(101, Uint8Array.of(5, 10, 1, 0x40));
  rig.engine.connectLeg('phone', agreedWith(phone, { direction: 'inactive' }), rig.nowMs());
  assert.deepEqual(rig.notices, [{ type: 'digit', leg: 'phone', digit: '5', durationMs: 40 }]);
  rig.engine.connectLeg('phone', agreedWith(phone, {}), rig.nowMs());
  rig.run(10);
  assert.equal(rig.notices.length, 1);
});
