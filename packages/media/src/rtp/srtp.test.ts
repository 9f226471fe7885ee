import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nodeCiphers } from '../io/srtp-ciphers.ts';
import { createSrtpTransform } from './create-srtp-transform.ts';
import { SrtpKeystream } from './srtp-keystream.ts';
import { createSrtpCounters, createSrtpReceiver } from './srtp-receiver.ts';
import { createSrtpSender } from './srtp-sender.ts';
import { masterBytes, type SrtpCiphers, type SrtpSuiteName, srtpSuites } from './srtp-suite.ts';

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const hex = (data: Uint8Array): string => Buffer.from(data).toString('hex').toUpperCase();

/** RFC 3711 Appendix B.3. */
const keyAndSalt = bytes('E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6');
const suite = 'AES_CM_128_HMAC_SHA1_80';
const master = { suite, keyAndSalt } as const;

/** The derived keys in the order of derivation: cipher key, then authentication key. */
function asked(from: { suite: SrtpSuiteName; keyAndSalt: Uint8Array }): string[] {
  const keys: string[] = [];
  const watching: SrtpCiphers = {
    ...nodeCiphers,
    aes(key) {
      keys.push(hex(key));
      return nodeCiphers.aes(key);
    },
    hmacSha1(key) {
      keys.push(hex(key));
      return nodeCiphers.hmacSha1(key);
    },
  };
  createSrtpTransform(watching, from);
  return keys.slice(1);
}

function packet(sequenceNumber: number, payload: string, ssrc = 0xcafebabe, head = '80'): Uint8Array {
  const number = sequenceNumber.toString(16).padStart(4, '0');
  return bytes(`${head}0f ${number} decafbad ${ssrc.toString(16).padStart(8, '0')} ${payload}`);
}

function protect(sender: ReturnType<typeof createSrtpSender>, plain: Uint8Array): Uint8Array {
  const room = new Uint8Array(plain.length + 20);
  room.set(plain);
  return room.slice(0, sender.protect(room, plain.length));
}

function pair(of: { readonly suite: SrtpSuiteName; readonly keyAndSalt: Uint8Array } = master) {
  const counters = createSrtpCounters();
  const sender = createSrtpSender(nodeCiphers, of);
  const receiver = createSrtpReceiver(nodeCiphers, of, counters);
  const out = new Uint8Array(2100);
  const open = (data: Uint8Array): string | undefined => {
    const length = receiver.unprotect(data, data.length, out);
    return length < 0 ? undefined : hex(out.subarray(0, length));
  };
  return { sender, receiver, counters, open, out };
}

describe('key stream and keys', () => {
  it('RFC 3711 B.2: AES-CM of the test key, at the start and where the counter reaches 0xFF00', () => {
    const aes = nodeCiphers.aes(bytes('2B7E151628AED2A6ABF7158809CF4F3C'));
    const keystream = new SrtpKeystream(aes, bytes('F0F1F2F3F4F5F6F7F8F9FAFBFCFD'));
    const stream = new Uint8Array(0xff02 * 16);
    keystream.apply(0, 0, stream, 0, stream.length);
    assert.equal(
      hex(stream.subarray(0, 48)),
      'E03EAD0935C95E80E166B16DD92B4EB4D23513162B02D0F72A43A2FE4A5F97AB41E95B3BB0A2E8DD477901E4FCA894C0',
    );
    assert.equal(
      hex(stream.subarray(0xfeff * 16)),
      'EC8CDF7398607CB0F2D21675EA9EA1E4362B7C3C6773516318A077D7FC5073AE6A2CC3787889374FBEB4C81B17BA6C44',
    );
  });

  it('RFC 3711 B.3: cipher key and authentication key of the test master key', () => {
    const [cipher, auth] = asked(master);
    assert.equal(cipher, 'C61E7A93744F39EE10734AFE3FF7A087');
    assert.equal(auth, 'CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4');
  });

  it('RFC 6188 §7.2: the same for AES-256', () => {
    const keyAndSalt256 = bytes(
      'f0f04914b513f2763a1b1fa130f10e2998f6f6e43e4309d1e622a0e332b9f1b6 3b04803de51ee7c96423ab5b78d2',
    );
    const [cipher, auth] = asked({ suite: 'AES_256_CM_HMAC_SHA1_80', keyAndSalt: keyAndSalt256 });
    assert.equal(cipher, '5BA1064E30EC51613CAD926C5A28EF731EC7FB397F70A960653CAF06554CD8C4');
    assert.equal(auth, 'FD9C32D39ED5FBB5A9DC96B30818454D1313DC05');
  });

  it('a key of the wrong length for its suite throws', () => {
    assert.throws(() => createSrtpSender(nodeCiphers, { suite, keyAndSalt: new Uint8Array(16) }), RangeError);
  });
});

describe('packets', () => {
  it('the test packets of libsrtp: RTP and RTCP under the key of RFC 3711 B.3', () => {
    const { sender, receiver, open, out } = pair();
    const plain = packet(0x1234, 'ab'.repeat(16));
    const sent = protect(sender, plain);
    assert.equal(hex(sent), '800F1234DECAFBADCAFEBABE4E55DC4CE79978D88CA4D215949D2402B78D6ACC99EA179B8DBB');
    assert.equal(open(sent), hex(plain));

    const report = new Uint8Array(40);
    report.set(bytes(`81c8000b cafebabe ${'ab'.repeat(16)}`));
    const length = sender.protectReport(report, 24);
    assert.equal(
      hex(report.subarray(0, length)),
      '81C8000BCAFEBABE7128035BE487B9BDBEF89041F977A5A880000001993E08CD54D6C1230798',
    );
    assert.equal(receiver.unprotectReport(report, length, out), 24);
    assert.equal(hex(out.subarray(0, 24)), `81C8000BCAFEBABE${'AB'.repeat(16)}`);
  });

  for (const name of Object.keys(srtpSuites) as SrtpSuiteName[]) {
    it(`${name}: CSRCs and a header extension stay readable, the payload is decrypted, the tag has its length`, () => {
      const { tagBytes } = srtpSuites[name];
      const keyAndSalt = new Uint8Array(masterBytes(srtpSuites[name])).fill(7);
      const { sender, open } = pair({ suite: name, keyAndSalt });
      const plain = packet(1, `00000001 bede0001 51aa0000 ${'5a'.repeat(160)}`, 1, '91');
      const sent = protect(sender, plain);
      assert.equal(sent.length, plain.length + tagBytes);
      assert.equal(hex(sent.subarray(0, 24)), hex(plain.subarray(0, 24)));
      assert.notEqual(hex(sent.subarray(24, 184)), hex(plain.subarray(24)));
      assert.equal(open(sent), hex(plain));
    });
  }

  it('RFC 4568 §6.2.2: the tag of SRTCP has 80 bits, also where the tag of SRTP has 32', () => {
    const { sender, receiver, out } = pair({ suite: 'AES_CM_128_HMAC_SHA1_32', keyAndSalt });
    const report = new Uint8Array(40);
    report.set(bytes('80c90001 cafebabe'));
    assert.equal(sender.protectReport(report, 8), 8 + 4 + 10);
    assert.equal(receiver.unprotectReport(report, 22, out), 8);
    assert.equal(receiver.unprotectReport(report, 22, out), -1);
  });

  it('RFC 3711 §3.3: a packet that was changed, under another key, unprotected or repeated is dropped and counted', () => {
    const { sender, counters, open } = pair();
    const sent = protect(sender, packet(1, 'ab'.repeat(20)));
    for (let at = 0; at < sent.length; at++) {
      const changed = sent.slice();
      changed[at]! ^= 0x40;
      assert.equal(open(changed), undefined, `byte ${at}`);
    }
    assert.equal(open(packet(2, 'ab'.repeat(20))), undefined);
    assert.equal(open(sent.slice(0, 15)), undefined);
    assert.equal(open(new Uint8Array(0)), undefined);
    const stranger = createSrtpSender(nodeCiphers, { suite, keyAndSalt: new Uint8Array(30) });
    assert.equal(open(protect(stranger, packet(3, 'ab'))), undefined);
    assert.deepEqual(counters, { unauthenticated: sent.length + 4, replayed: 0 });
    assert.notEqual(open(sent), undefined);
    assert.equal(open(sent), undefined);
    assert.deepEqual(counters, { unauthenticated: sent.length + 4, replayed: 1 });
  });

  it('RFC 3711 §9.1: no number is sent twice under one key, and each stream has its own key stream', () => {
    const { sender } = pair();
    const first = protect(sender, packet(9, '00'.repeat(32), 1));
    const room = new Uint8Array(60);
    room.set(packet(9, 'ff'.repeat(32), 1));
    assert.equal(sender.protect(room, 44), -1);
    const other = protect(sender, packet(9, '00'.repeat(32), 2));
    assert.notEqual(hex(first.subarray(12, 44)), hex(other.subarray(12, 44)));
  });

  it('a packet without space for its tag is not sent', () => {
    const { sender } = pair();
    assert.equal(sender.protect(packet(1, 'ab'.repeat(16)), 28), -1);
    assert.equal(sender.protectReport(bytes('80c90001 cafebabe'), 8), -1);
  });
});

describe('new keys', () => {
  const renewed = { suite, keyAndSalt: new Uint8Array(30).fill(9) } as const;

  it('packets under the old key are accepted until the first one under the new key', () => {
    const { sender, receiver, counters, out } = pair();
    const late = protect(sender, packet(2, '02'));
    const later = protect(sender, packet(4, '04'));
    const next = createSrtpReceiver(nodeCiphers, renewed, counters, receiver);
    const sent = protect(createSrtpSender(nodeCiphers, renewed), packet(3, '03'));
    assert.equal(next.unprotect(late, late.length, out), 13);
    assert.equal(next.unprotect(sent, sent.length, out), 13);
    assert.equal(next.unprotect(later, later.length, out), -1);
    assert.deepEqual(counters, { unauthenticated: 1, replayed: 0 });
  });

  it('RFC 4568 §6.4, RFC 3711 §3.3.1: a stream continues at rollover counter zero or at its earlier one', () => {
    for (const goesOn of [false, true]) {
      const { sender, open, receiver, counters, out } = pair();
      const counting = createSrtpSender(nodeCiphers, renewed);
      for (let number = 65_530; number < 65_560; number++) {
        assert.notEqual(open(protect(sender, packet(number & 0xffff, 'aa'))), undefined);
        if (goesOn) protect(counting, packet(number & 0xffff, 'aa'));
      }
      const next = createSrtpReceiver(nodeCiphers, renewed, counters, receiver);
      const sent = protect(counting, packet(5000, 'bb'));
      assert.equal(next.unprotect(sent, sent.length, out), 13);
    }
  });

  it('a stream that rolled over before its first received packet is decrypted', () => {
    const { sender, open } = pair();
    for (const number of [65_534, 65_535]) protect(sender, packet(number, 'aa'));
    assert.notEqual(open(protect(sender, packet(0, 'aa'))), undefined);
    assert.notEqual(open(protect(sender, packet(1, 'aa'))), undefined);
  });
});
