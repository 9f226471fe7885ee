import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AudioCodec } from '../codec/audio-codec.ts';
import { createRtpSender } from '../rtp/rtp-sender.ts';
import { costlyCodec } from './testing/costly-codec.ts';
import { createPacketRig, type PacketRig } from './testing/packet-phones.ts';

function hearEachOther(rig: PacketRig): void {
  rig.engine.apply({ do: 'open-mix', mix: 'm' }, rig.nowMs());
  const members = [
    { leg: 'a', hears: ['b'] },
    { leg: 'b', hears: ['a'] },
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
