import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pcma, pcmu } from '../codec/g711.ts';
import { readTelephoneEvent } from '../codec/telephone-event.ts';
import { createRtpHeader, readRtpPacket } from './rtp-packet.ts';
import { createRtpSender, type RtpSender } from './rtp-sender.ts';

const samples = new Int16Array(160).fill(1000);
const header = createRtpHeader();

function sent(sender: RtpSender, length: number) {
  assert.ok(readRtpPacket(sender.packet, length, header));
  return { ...header };
}

const start = { ssrc: 0xfffffff0, sequenceNumber: 65_535, timestamp: 0xffffffff };

describe('an outgoing stream', () => {
  it('counts sequence numbers by one and timestamps by samples, both across their wrap (RFC 3550 §5.1)', () => {
    const sender = createRtpSender(start);
    const first = sent(sender, sender.writeAudio(pcmu, 0, samples, 160));
    const second = sent(sender, sender.writeAudio(pcma, 8, samples, 160));
    assert.deepEqual([first.sequenceNumber, second.sequenceNumber], [65_535, 0]);
    assert.deepEqual([first.timestamp, second.timestamp], [0xffffffff, 159]);
    assert.deepEqual([first.payloadType, second.payloadType], [0, 8]);
    assert.equal(second.ssrc, 0xfffffff0);
    assert.equal(second.payloadLength, 160);
  });

  it('marks only the first packet of a talkspurt (RFC 3551 §4.1)', () => {
    const sender = createRtpSender(start);
    const markers = [0, 1, 2, 3].map((i) => {
      if (i === 2) sender.skip(1600);
      return sent(sender, sender.writeAudio(pcmu, 0, samples, 160)).marker;
    });
    assert.deepEqual(markers, [true, false, true, false]);
    assert.equal(sender.timestamp, (0xffffffff + 640 + 1600) % 2 ** 32);
  });

  it('numbers events in the sequence of the audio, with the timestamp of their start (RFC 4733 §2.2.1)', () => {
    const sender = createRtpSender({ ssrc: 1, sequenceNumber: 10, timestamp: 1000 });
    sender.writeAudio(pcmu, 0, samples, 160);
    const event = { event: 5, end: false, volume: 10, duration: 160 };
    const first = sent(sender, sender.writeEvent(101, event, 1160, true));
    sender.skip(160);
    event.duration = 320;
    const second = sent(sender, sender.writeEvent(101, event, 1160, false));
    assert.deepEqual([first.sequenceNumber, second.sequenceNumber], [11, 12]);
    assert.deepEqual([first.timestamp, second.timestamp], [1160, 1160]);
    assert.deepEqual([first.marker, second.marker], [true, false]);
    const read = { event: 0, end: true, volume: 0, duration: 0 };
    assert.ok(readTelephoneEvent(sender.packet, second.payloadOffset, second.payloadLength, read));
    assert.deepEqual(read, event);
  });

  it('counts packets and payload octets for its sender reports (RFC 3550 §6.4.1)', () => {
    const sender = createRtpSender(start);
    sender.writeAudio(pcmu, 0, samples, 160);
    sender.writePayload(96, Uint8Array.of(0, 1, 2, 3), 1, 3, 160);
    assert.deepEqual([sender.packetsSent, sender.octetsSent], [2, 163]);
    assert.deepEqual([...sender.packet.subarray(12, 15)], [1, 2, 3]);
  });
});
