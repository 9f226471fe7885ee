import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nodeCiphers } from '../io/srtp-ciphers.ts';
import { PacketIndexes } from './packet-index.ts';
import { rtpPayloadOffset } from './srtp-bytes.ts';
import {
  createSrtpCounters,
  createSrtpReceiver,
  restoreSrtpReceiver,
  resumeSrtpReceiver,
  type SrtpReceiver,
} from './srtp-receiver.ts';
import { createSrtpSender, type SrtpSender } from './srtp-sender.ts';
import { masterBytes, type SrtpCiphers, srtpPacketBytes, srtpSuites } from './srtp-suite.ts';
import { bytesOf } from './testing/hex.ts';

const suite = 'AES_CM_128_HMAC_SHA1_80';
const master = (fill = 1) => ({ suite, keyAndSalt: new Uint8Array(30).fill(fill) }) as const;
const out = new Uint8Array(3000);

const rtp = (sequence: number, ssrc = 1, payload = 'aabb'): Uint8Array =>
  bytesOf(
    `8000 ${sequence.toString(16).padStart(4, '0')} 00000000 ${ssrc.toString(16).padStart(8, '0')} ${payload}`,
  );

/** The protected packet; undefined when the sender refuses. */
function sealed(sender: SrtpSender, plain: Uint8Array): Uint8Array | undefined {
  const room = new Uint8Array(plain.length + 20);
  room.set(plain);
  const length = sender.protect(room, plain.length);
  return length < 0 ? undefined : room.slice(0, length);
}

function opens(receiver: SrtpReceiver, bytes: Uint8Array | undefined): boolean {
  assert.ok(bytes !== undefined);
  return receiver.unprotect(bytes, bytes.length, out) >= 0;
}

function sealedReport(sender: SrtpSender, ssrc = 1): Uint8Array {
  const room = new Uint8Array(40);
  room.set(bytesOf(`80c90001 ${ssrc.toString(16).padStart(8, '0')}`));
  return room.slice(0, sender.protectReport(room, 8));
}

describe('the index of a packet (RFC 3711 §3.3.1, Appendix A)', () => {
  for (const [rule, highest, sequence, index] of [
    ['before any packet it is the number itself', -1, 0xffff, 0xffff],
    ['half a cycle ahead is the same cycle', 0x10000, 0x8000, 0x18000],
    ['more than half a cycle ahead is the cycle before', 0x10000, 0x8001, 0x8001],
    ['in cycle 0 there is no cycle before', 5, 0x9000, 0x9000],
    ['half a cycle behind is the same cycle', 0x1ffff, 0x7fff, 0x17fff],
    ['more than half a cycle behind is the next cycle', 0x1ffff, 0x7ffe, 0x27ffe],
    ['the number after the highest of a cycle begins the next', 0xffff, 0, 0x10000],
    ['a late packet after the wrap belongs to the cycle before', 0x10003, 0xfffe, 0xfffe],
  ] as const) {
    it(rule, () => {
      const indexes = new PacketIndexes();
      if (highest >= 0) indexes.take(highest);
      assert.equal(indexes.estimate(sequence), index);
    });
  }

  it('the rollovers of the first packet are those that the caller gives', () => {
    const indexes = new PacketIndexes();
    assert.equal(indexes.estimate(7, 3), 3 * 0x10000 + 7);
    indexes.take(7);
    assert.equal(indexes.estimate(8, 3), 8);
  });
});

describe('the replay list (RFC 3711 §3.3.2)', () => {
  for (const [rule, taken, index, isNew] of [
    ['127 behind the highest is in the window', [1000], 873, true],
    ['128 behind is not', [1000], 872, false],
    ['a jump of the whole window forgets what was in it', [1000, 1128], 1001, true],
    ['a jump of more than the window leaves no old mark at the same slot', [1000, 1256], 1255, true],
    ['the mark of a slot is cleared when the window passes it', [1000, 1100, 1128], 1127, true],
    ['marks survive a small step', [1000, 1001], 1000, false],
    ['an index ahead is always new', [1000], 5000, true],
  ] as const) {
    it(rule, () => {
      const indexes = new PacketIndexes();
      for (const each of taken) indexes.take(each);
      assert.equal(indexes.isNew(index), isNew);
    });
  }

  it('a copy of saved indexes is independent of the original', () => {
    const indexes = new PacketIndexes();
    indexes.take(50);
    const copy = new PacketIndexes(indexes.save());
    copy.take(40);
    assert.deepEqual([indexes.isNew(40), copy.isNew(40), copy.isNew(50)], [true, false, false]);
  });
});

describe('streams of a sender', () => {
  it('streams that alternate have their own indexes: a number is sent once in each', () => {
    const sender = createSrtpSender(nodeCiphers, master());
    for (const sequence of [1, 2])
      for (const ssrc of [1, 2, 3]) assert.ok(sealed(sender, rtp(sequence, ssrc)));
    for (const ssrc of [3, 2, 1]) assert.equal(sealed(sender, rtp(2, ssrc)), undefined);
  });

  it('256 streams are sent and one more is not, because a forgotten one would repeat its key stream', () => {
    const sender = createSrtpSender(nodeCiphers, master());
    for (let ssrc = 0; ssrc < 256; ssrc++) assert.ok(sealed(sender, rtp(1, ssrc)));
    assert.equal(sealed(sender, rtp(1, 256)), undefined);
    assert.equal(sealed(sender, rtp(2, 256)), undefined);
    assert.ok(sealed(sender, rtp(2, 0)));
  });

  it('a saved sender never uses an index again, neither of packets nor of reports', () => {
    const sender = createSrtpSender(nodeCiphers, master());
    sealed(sender, rtp(10));
    const first = sealedReport(sender);
    const other = createSrtpSender(nodeCiphers, master(), sender.save());
    assert.equal(sealed(other, rtp(10)), undefined);
    assert.ok(sealed(other, rtp(11)));
    const receiver = createSrtpReceiver(nodeCiphers, master(), createSrtpCounters());
    const second = sealedReport(other);
    assert.equal(receiver.unprotectReport(first, first.length, out), 8);
    assert.equal(receiver.unprotectReport(second, second.length, out), 8);
  });

  for (const [rule, packet, length] of [
    ['less than a header', rtp(1), 11],
    ['another version', bytesOf('4000 0001 00000000 00000001'), 12],
    ['CSRCs beyond its end', bytesOf('8f00 0001 00000000 00000001'), 12],
    ['an extension beyond its end', bytesOf('9000 0001 00000000 00000001 bede0002 00000000'), 20],
  ] as const) {
    it(`a packet with ${rule} is not RTP and is not sent`, () => {
      const room = new Uint8Array(60);
      room.set(packet);
      assert.equal(createSrtpSender(nodeCiphers, master()).protect(room, length), -1);
    });
  }

  it('the longest packet has 2,048 bytes with its tag', () => {
    const room = new Uint8Array(srtpPacketBytes + 50);
    room.set(rtp(1));
    const sender = createSrtpSender(nodeCiphers, master());
    assert.equal(sender.protect(room, srtpPacketBytes - 9), -1);
    assert.equal(sender.protect(room, srtpPacketBytes - 10), srtpPacketBytes);
  });

  it('a report of less than a header is not sent, and uses no index', () => {
    const sender = createSrtpSender(nodeCiphers, master());
    assert.equal(sender.protectReport(new Uint8Array(40), 7), -1);
    assert.equal(sender.save().reports, 0);
  });
});

describe('streams of a receiver', () => {
  it('the seventeenth stream replaces the oldest, whose packets can then be repeated but not forged', () => {
    const sender = createSrtpSender(nodeCiphers, master());
    const counters = createSrtpCounters();
    const receiver = createSrtpReceiver(nodeCiphers, master(), counters);
    const packets = Array.from({ length: 17 }, (_, ssrc) => sealed(sender, rtp(1, ssrc)));
    for (const packet of packets.slice(0, 16)) assert.ok(opens(receiver, packet));
    for (const packet of packets.slice(0, 16)) assert.ok(!opens(receiver, packet));
    assert.ok(opens(receiver, packets[16]));
    assert.ok(!opens(receiver, packets[1]));
    assert.ok(opens(receiver, packets[0]));
    assert.equal(receiver.save().streams.length, 16);
    assert.deepEqual(counters, { unauthenticated: 0, replayed: 17 });
  });

  it('a forged packet of a new stream costs no stream its slot', () => {
    const receiver = createSrtpReceiver(nodeCiphers, master(), createSrtpCounters());
    for (let ssrc = 0; ssrc < 40; ssrc++) {
      assert.equal(receiver.unprotect(new Uint8Array([...rtp(1, ssrc), ...new Uint8Array(10)]), 24, out), -1);
    }
    assert.equal(receiver.save().streams.length, 0);
  });

  it('a saved receiver accepts no packet and no report again, and goes on after them', () => {
    const sender = createSrtpSender(nodeCiphers, master());
    const receiver = createSrtpReceiver(nodeCiphers, master(), createSrtpCounters());
    const [packet, report] = [sealed(sender, rtp(5)), sealedReport(sender)];
    assert.ok(opens(receiver, packet));
    assert.equal(receiver.unprotectReport(report, report.length, out), 8);
    const counters = createSrtpCounters();
    const other = restoreSrtpReceiver(nodeCiphers, master(), counters, receiver.save());
    assert.ok(!opens(other, packet));
    assert.equal(other.unprotectReport(report, report.length, out), -1);
    assert.deepEqual(counters, { unauthenticated: 0, replayed: 2 });
    assert.ok(opens(other, sealed(sender, rtp(6))));
  });

  it('only a first number below 4,096 is tried with a rollover before it', () => {
    for (const [first, isAccepted] of [
      [0x0fff, true],
      [0x1000, false],
    ] as const) {
      const sender = createSrtpSender(nodeCiphers, master());
      sealed(sender, rtp(0xc000));
      sealed(sender, rtp(0xffff));
      const receiver = createSrtpReceiver(nodeCiphers, master(), createSrtpCounters());
      assert.equal(opens(receiver, sealed(sender, rtp(first))), isAccepted, `${first}`);
    }
  });

  for (const [rule, length] of [
    ['the tag alone', 10],
    ['one byte less than header and tag', 21],
    ['more than the buffer has', 500],
    ['nothing', 0],
  ] as const) {
    it(`a length of ${rule} is not authentic`, () => {
      const counters = createSrtpCounters();
      const receiver = createSrtpReceiver(nodeCiphers, master(), counters);
      const packet = sealed(createSrtpSender(nodeCiphers, master()), rtp(1))!;
      assert.equal(receiver.unprotect(packet, length, out), -1);
      assert.equal(receiver.unprotectReport(packet, Math.min(length, 21), out), -1);
      assert.equal(counters.unauthenticated, 2);
    });
  }

  it('a packet without room for its tag in the output is not opened', () => {
    const packet = sealed(createSrtpSender(nodeCiphers, master()), rtp(1))!;
    const receiver = createSrtpReceiver(nodeCiphers, master(), createSrtpCounters());
    assert.equal(receiver.unprotect(packet, packet.length, new Uint8Array(packet.length - 1)), -1);
    assert.equal(receiver.unprotect(packet, packet.length, new Uint8Array(packet.length)), 14);
  });
});

describe('a change of keys', () => {
  const [one, two, three] = [1, 2, 3].map((fill) => createSrtpSender(nodeCiphers, master(fill)));

  it('the first packet under the new key ends the old one; a report does not', () => {
    const counters = createSrtpCounters();
    const old = createSrtpReceiver(nodeCiphers, master(1), counters);
    const next = createSrtpReceiver(nodeCiphers, master(2), counters, old);
    const [oldReport, newReport] = [sealedReport(one!), sealedReport(two!)];
    assert.equal(next.before, old);
    assert.equal(next.unprotectReport(newReport, newReport.length, out), 8);
    assert.equal(next.unprotectReport(oldReport, oldReport.length, out), 8);
    assert.ok(opens(next, sealed(one!, rtp(100))));
    assert.ok(opens(next, sealed(two!, rtp(101))));
    assert.equal(next.before, undefined);
    assert.ok(!opens(next, sealed(one!, rtp(102))));
    assert.equal(counters.unauthenticated, 1);
  });

  it('of three keys in a row only the last two are open', () => {
    const counters = createSrtpCounters();
    const first = createSrtpReceiver(nodeCiphers, master(1), counters);
    const second = createSrtpReceiver(nodeCiphers, master(2), counters, first);
    const third = createSrtpReceiver(nodeCiphers, master(3), counters, second);
    assert.equal(second.before, undefined);
    assert.ok(!opens(third, sealed(one!, rtp(200))));
    assert.ok(opens(third, sealed(two!, rtp(201))));
    assert.ok(opens(third, sealed(three!, rtp(202))));
    assert.ok(!opens(third, sealed(two!, rtp(203))));
  });

  it('a key that returns keeps its replay list, and never follows itself', () => {
    const counters = createSrtpCounters();
    const first = createSrtpReceiver(nodeCiphers, master(1), counters);
    const packet = sealed(one!, rtp(300));
    assert.ok(opens(first, packet));
    const second = createSrtpReceiver(nodeCiphers, master(2), counters, first);
    resumeSrtpReceiver(first, second);
    assert.equal(first.before, second);
    assert.ok(!opens(first, packet));
    assert.ok(opens(first, sealed(two!, rtp(301))));
    resumeSrtpReceiver(first, first);
    assert.equal(first.before, second);
  });

  it('a closed receiver and a closed sender do nothing, also when they are closed twice', () => {
    const sender = createSrtpSender(nodeCiphers, master());
    const receiver = createSrtpReceiver(nodeCiphers, master(), createSrtpCounters());
    const [packet, report] = [sealed(sender, rtp(1)), sealedReport(sender)];
    for (const each of [receiver, receiver, sender, sender]) each.close();
    assert.ok(!opens(receiver, packet));
    assert.equal(receiver.unprotectReport(report, report.length, out), -1);
    assert.equal(sealed(sender, rtp(2)), undefined);
    assert.equal(sender.protectReport(new Uint8Array(60), 8), -1);
  });

  for (const [name, ciphers, keyBytes] of [
    ['AES_CM_128_HMAC_SHA1_80', 4, 30],
    ['AEAD_AES_256_GCM', 2, 44],
  ] as const) {
    it(`${name}: every cipher that was opened is closed, that of the derivation at once`, () => {
      let open = 0;
      const counted = <T extends { close(): void }>(cipher: T): T => {
        open++;
        return { ...cipher, close: () => void open-- };
      };
      const counting: SrtpCiphers = {
        openCount: 0,
        aes: (key) => counted(nodeCiphers.aes(key)),
        hmacSha1: (key) => counted(nodeCiphers.hmacSha1(key)),
        aesGcm: (key) => counted(nodeCiphers.aesGcm(key)),
      };
      const sender = createSrtpSender(counting, { suite: name, keyAndSalt: new Uint8Array(keyBytes) });
      assert.equal(open, ciphers);
      sender.close();
      assert.equal(open, 0);
    });
  }
});

describe('where the payload of an encrypted packet begins', () => {
  for (const [hex, length, offset] of [
    ['8000 0000 00000000 00000000', 12, 12],
    ['8000 0000 00000000 00000000', 11, -1],
    ['c000 0000 00000000 00000000', 12, -1],
    ['8200 0000 00000000 00000000 0000000100000002', 20, 20],
    ['8200 0000 00000000 00000000 0000000100000002', 19, -1],
    ['9000 0000 00000000 00000000 bede0001 00000000', 20, 20],
    ['9000 0000 00000000 00000000 bede0001 00000000', 19, -1],
    ['9000 0000 00000000 00000000 bede0000', 15, -1],
    ['9000 0000 00000000 00000000 bede0100', 16, -1],
  ] as const) {
    it(`${hex} of ${length} bytes: ${offset}`, () =>
      assert.equal(rtpPayloadOffset(bytesOf(hex), length), offset));
  }
});

describe('the sizes of a suite: key, salt, tag and what SDP carries', () => {
  for (const [name, sizes] of [
    // RFC 4568 §6.2, RFC 6188 §4, RFC 7714 §14.1.
    ['AES_CM_128_HMAC_SHA1_80', [16, 14, 10, 30]],
    ['AES_CM_128_HMAC_SHA1_32', [16, 14, 4, 30]],
    ['AES_256_CM_HMAC_SHA1_80', [32, 14, 10, 46]],
    ['AES_256_CM_HMAC_SHA1_32', [32, 14, 4, 46]],
    ['AEAD_AES_128_GCM', [16, 12, 16, 28]],
    ['AEAD_AES_256_GCM', [32, 12, 16, 44]],
  ] as const) {
    it(`${name}: ${sizes.join(', ')} bytes`, () => {
      const { keyBytes, saltBytes, tagBytes } = srtpSuites[name];
      assert.deepEqual([keyBytes, saltBytes, tagBytes, masterBytes(srtpSuites[name])], sizes);
      for (const wrong of [sizes[3] - 1, sizes[3] + 1]) {
        const master = { suite: name, keyAndSalt: new Uint8Array(wrong) };
        assert.throws(() => createSrtpSender(nodeCiphers, master), {
          name: 'RangeError',
          message: new RegExp(`${name} needs ${sizes[3]}`),
        });
      }
    });
  }
});
