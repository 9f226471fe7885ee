import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pcmu } from '../codec/g711.ts';
import { createRtpSender } from '../rtp/rtp-sender.ts';
import type { AgreedMedia } from './commands.ts';
import { createEngineRig, type EngineRig, type TonePhone } from './testing/phones.ts';

/** Where the phone of the rig sends from. */
const phoneAddress = '192.0.2.1';
const phoneSource = `${phoneAddress}:20000`;
const elsewhere = { address: '198.51.100.7', port: 6000 };
const behindNat = { address: '10.0.0.7', port: 4000, signalledFrom: [phoneAddress] };

interface Line {
  readonly rig: EngineRig;
  readonly phone: TonePhone;
  /** Applies a later description of the other side. */
  describe(changes: Partial<AgreedMedia>): void;
  /** Where packets went in this many frames, with their number. */
  sentTo(frames: number): Readonly<Record<string, number>>;
}

/** A phone that has talked for a second. */
function connected(described: Partial<AgreedMedia> = {}): Line {
  const sent: string[] = [];
  const rig = createEngineRig({
    send: (_leg, _bytes, _length, address, port) => sent.push(`${address}:${port}`),
  });
  const agreed: AgreedMedia = {
    address: phoneAddress,
    port: 20_000,
    codec: 'PCMU',
    payloadType: 0,
    direction: 'sendrecv',
    ptimeMs: 20,
    ...described,
  };
  const phone = rig.phone('phone', 1000, agreed);
  rig.run(50);
  return {
    rig,
    phone,
    describe: (changes) => rig.engine.connectLeg('phone', { ...agreed, ...changes }, rig.nowMs()),
    sentTo(frames) {
      sent.length = 0;
      rig.run(frames);
      return Object.fromEntries(
        [...new Set(sent)].map((target) => [target, sent.filter((each) => each === target).length]),
      );
    },
  };
}

test('RFC 3264 §8.3.1: audio goes to the address of a re-INVITE, whatever the earlier source still sends', () => {
  for (const direction of ['sendrecv', 'sendonly'] as const) {
    const { rig, phone, describe, sentTo } = connected();
    describe({ ...elsewhere, direction });
    assert.deepEqual(sentTo(1), { '198.51.100.7:6000': 1 }, direction);
    phone.sending = false;
    assert.deepEqual(sentTo(500), { '198.51.100.7:6000': 500 });
    phone.sending = true;
    assert.deepEqual(sentTo(500), { '198.51.100.7:6000': 500 });
    assert.equal(rig.engine.measureLeg('phone')!.strangersDropped, 0, 'the earlier source is still received');
  }
});

test('a re-INVITE with the same description leaves the audio of a phone behind NAT where it comes from', () => {
  const { phone, describe, sentTo } = connected(behindNat);
  for (const direction of ['recvonly', 'sendrecv', 'sendonly', 'sendrecv'] as const) {
    describe({ ...behindNat, direction });
    phone.sending = direction === 'sendrecv';
    const frames = direction === 'recvonly' ? {} : { [phoneSource]: 100 };
    assert.deepEqual(sentTo(100), frames, direction);
  }
});

test('a re-INVITE with the same description from another address leaves the audio where it is until that address sends', () => {
  const { rig, phone, describe, sentTo } = connected(behindNat);
  describe({ ...behindNat, signalledFrom: ['203.0.113.9'] });
  assert.deepEqual(sentTo(100), { [phoneSource]: 100 });
  phone.sending = false;
  talkFrom(rig, '203.0.113.9', 61_000, 3);
  assert.deepEqual(sentTo(10), { '203.0.113.9:61000': 10 });
});

test('a phone behind NAT with a new port in its description is sent audio at the first source that passes its probation', () => {
  const { rig, phone, describe, sentTo } = connected(behindNat);
  describe({ ...behindNat, port: 4002 });
  phone.sending = false;
  assert.deepEqual(sentTo(20), { '10.0.0.7:4002': 20 });
  talkFrom(rig, phoneAddress, 61_000, 3);
  assert.deepEqual(sentTo(10), { [`${phoneAddress}:61000`]: 10 });
});

test('a phone that names another port but goes on from the same one is sent audio there again after a second', () => {
  const { describe, sentTo } = connected();
  // With STUN behind a symmetric NAT each description names another port, and the packets keep theirs.
  describe({ port: 31_000 });
  assert.deepEqual(sentTo(49), { [`${phoneAddress}:31000`]: 49 });
  sentTo(2);
  assert.deepEqual(sentTo(50), { [phoneSource]: 50 });
});

function talkFrom(rig: EngineRig, address: string, port: number, packets: number): void {
  const rtp = createRtpSender({ ssrc: 77, sequenceNumber: 1, timestamp: 1 });
  for (let packet = 0; packet < packets; packet++) {
    const length = rtp.writeAudio(pcmu, 0, new Int16Array(160), 160);
    rig.engine.receive(0, rtp.packet, length, address, port, rig.nowMs());
    rig.run(1);
  }
}
