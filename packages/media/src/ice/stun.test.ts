import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { nodeCiphers } from '../io/srtp-ciphers.ts';
import { addressBytes, addressText } from './address-bytes.ts';
import { crc32 } from './crc32.ts';
import { datagramKind } from './demultiplex.ts';
import { addFingerprint, hasRightFingerprint, isSigned, sign } from './stun-integrity.ts';
import { readStun } from './stun-message.ts';
import { mappedAddress, stunWriterBytes, writeCheck, writeError, writeSuccess } from './stun-writer.ts';

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex'));
const keyOf = (password: string) => nodeCiphers.hmacSha1(new Uint8Array(Buffer.from(password)));

const transaction = 'b7e7a701bc34d686fa87dfae';
const password = 'VOkJxbRl1RmTxUk/WvJxBt';

/** RFC 5769 §2.1–2.3. */
const request = bytes(`00010058 2112a442 ${transaction}
  80220010 5354554e 20746573 7420636c 69656e74
  00240004 6e0001ff 80290008 932ff9b1 51263b36
  00060009 6576746a 3a683676 59202020
  00080014 9aeaa70c bfd8cb56 781ef2b5 b2d3f249 c1b571a2
  80280004 e57a3bcf`);
const answer4 = bytes(`0101003c 2112a442 ${transaction}
  8022000b 74657374 20766563 746f7220
  00200008 0001a147 e112a643
  00080014 2b91f599 fd9e90c3 8c7489f9 2af9ba53 f06be7d7
  80280004 c07d4c96`);
const answer6 = bytes(`01010048 2112a442 ${transaction}
  8022000b 74657374 20766563 746f7220
  00200014 0002a147 0113a9fa a5d3f179 bc25f4b5 bed2b9d9
  00080014 a382954e 4be67bf1 1784c97c 8292c275 bfe3ed41
  80280004 c8fb0b4c`);

describe('test vectors of RFC 5769', () => {
  it('§2.1: the request is read, its signature and its fingerprint are right', () => {
    const message = readStun(request, request.length)!;
    assert.equal(message.kind, 'request');
    assert.equal(message.transaction, transaction);
    assert.equal(message.username, 'evtj:h6vY');
    assert.equal(message.priority, 0x6e0001ff);
    assert.equal(message.role, 'controlled');
    assert.deepEqual(message.unknown, []);
    const before = request.slice();
    assert.equal(isSigned(request, message, keyOf(password)), true);
    assert.equal(hasRightFingerprint(request, message), true);
    assert.deepEqual(request, before, 'a check of the signature leaves the message as it is');
    assert.equal(isSigned(request, message, keyOf(`${password}x`)), false);
  });

  for (const [section, answer, address] of [
    ['§2.2', answer4, '192.0.2.1'],
    ['§2.3', answer6, '2001:db8:1234:5678:11:2233:4455:6677'],
  ] as const) {
    it(`${section}: the answer names the address, its signature and its fingerprint are right`, () => {
      const message = readStun(answer, answer.length)!;
      assert.equal(message.kind, 'success');
      assert.deepEqual(mappedAddress(answer, message), { address, port: 32_853 });
      assert.equal(isSigned(answer, message, keyOf(password)), true);
      assert.equal(hasRightFingerprint(answer, message), true);
    });
  }

  it('§2.2, §2.3: our writer signs and masks the same way', () => {
    const key = keyOf(password);
    for (const [address, vector] of [
      ['192.0.2.1', answer4],
      ['2001:db8:1234:5678:11:2233:4455:6677', answer6],
    ] as const) {
      const out = new Uint8Array(stunWriterBytes);
      const length = writeSuccess(out, transaction, { address, port: 32_853 }, key);
      // Ours has no SOFTWARE: the masked address is the same.
      const mapped = vector.slice(36, vector.length - 32);
      assert.deepEqual(out.slice(20, 20 + mapped.length), mapped);
      const message = readStun(out, length)!;
      assert.ok(isSigned(out, message, key) && hasRightFingerprint(out, message));
    }
    const unsigned = new Uint8Array(stunWriterBytes);
    unsigned.set(request.subarray(0, request.length - 32));
    const length = addFingerprint(unsigned, sign(unsigned, request.length - 32, key));
    assert.deepEqual(unsigned.slice(0, length), request);
  });
});

describe('STUN messages', () => {
  it('a check that we write is read as it was written, over every address and role', () => {
    fc.assert(
      fc.property(
        fc.record({
          username: fc.stringMatching(/^[A-Za-z0-9+/]{4,32}:[A-Za-z0-9+/]{4,32}$/),
          priority: fc.nat(0x7fffffff),
          role: fc.constantFrom('controlling' as const, 'controlled' as const),
          useCandidate: fc.boolean(),
        }),
        (check) => {
          const out = new Uint8Array(stunWriterBytes);
          const key = keyOf('a password of 22 bytes');
          const length = writeCheck(out, { ...check, transaction, tieBreaker: '0123456789abcdef' }, key);
          const message = readStun(out, length)!;
          const { username, priority, role, useCandidate } = message;
          assert.deepEqual({ username, priority, role, useCandidate }, { ...check });
          assert.ok(isSigned(out, message, key) && hasRightFingerprint(out, message));
        },
      ),
    );
  });

  it('RFC 8489 §14.8, §14.9: an error has its code and names the attributes that it is about', () => {
    const out = new Uint8Array(stunWriterBytes);
    const key = keyOf(password);
    const length = writeError(out, transaction, 420, [0x0003, 0x7fff, 0x0004], key);
    const message = readStun(out, length)!;
    assert.deepEqual([message.kind, message.errorCode], ['error', 420]);
    assert.ok(isSigned(out, message, key) && hasRightFingerprint(out, message));
    assert.match(Buffer.from(out.subarray(0, length)).toString('hex'), /000a000600037fff00040000/);
  });

  it('RFC 8489 §14: an attribute that must be understood is named, an optional one is skipped, one after the signature is not read', () => {
    const out = new Uint8Array(200);
    out.set(bytes(`00010000 2112a442 ${transaction} 7ffe0002 abcd0000 c0570004 00000001`));
    const end = sign(out, 36, keyOf(password));
    out.set(bytes('00240004 00000007'), end);
    out[3]! += 8;
    const message = readStun(out, end + 8)!;
    assert.deepEqual(message.unknown, [0x7ffe]);
    assert.equal(message.priority, undefined);
  });

  for (const [what, hex] of [
    ['a length that is not the rest', '00010004 2112a442 b7e7a701bc34d686fa87dfae'],
    ['an odd length', '00010002 2112a442 b7e7a701bc34d686fa87dfae 0000'],
    ['another cookie', '00010000 2112a443 b7e7a701bc34d686fa87dfae'],
    ['another method', '00030000 2112a442 b7e7a701bc34d686fa87dfae'],
    ['an attribute beyond the end', '00010004 2112a442 b7e7a701bc34d686fa87dfae 00060001'],
    ['a priority of two bytes', '00010008 2112a442 b7e7a701bc34d686fa87dfae 00240002 00010000'],
    ['a signature of four bytes', '00010008 2112a442 b7e7a701bc34d686fa87dfae 00080004 00010000'],
    [
      'an attribute after the fingerprint',
      '00010010 2112a442 b7e7a701bc34d686fa87dfae 80280004 00010000 00240004 00010000',
    ],
    ['a header that is cut off', '00010000 2112a442 b7e7a701bc34d686fa87df'],
  ] as const) {
    it(`with ${what} is not a message`, () =>
      assert.equal(readStun(bytes(hex), bytes(hex).length), undefined));
  }
});

it('CRC-32 is that of zlib', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (data) =>
      assert.equal(crc32(data, data.length), zlibCrc32(data)),
    ),
  );
});

it('addresses become bytes and text again, in the shortest form of RFC 5952 §4', () => {
  for (const [text, shortest = text] of [
    ['192.0.2.1'],
    ['2001:db8:1234:5678:11:2233:4455:6677'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['::1'],
    ['::'],
    ['fe80::'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
  ] as const) {
    assert.equal(addressText(addressBytes(text)!), shortest);
  }
  for (const text of [
    '',
    '1.2.3',
    '1.2.3.256',
    'host.local',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    'g::',
    '1:2:3:4:5:6:7:8::',
  ]) {
    assert.equal(addressBytes(text), undefined, text);
  }
});

it('RFC 9443 §2: the first byte divides STUN, DTLS and RTP, and nothing else belongs to a leg', () => {
  const kinds = Array.from({ length: 256 }, (_, first) => datagramKind(Uint8Array.of(first), 1));
  const runs = kinds
    .map((kind, n) => (kind === kinds[n - 1] ? undefined : [n, kind]))
    .filter((run) => run !== undefined);
  assert.deepEqual(runs, [
    [0, 'stun'],
    [4, undefined],
    [20, 'dtls'],
    [64, undefined],
    [128, 'rtp'],
    [192, undefined],
  ]);
  assert.equal(datagramKind(new Uint8Array(4), 0), undefined);
});
