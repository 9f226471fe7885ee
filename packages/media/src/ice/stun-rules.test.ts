import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { nodeCiphers } from '../io/srtp-ciphers.ts';
import { bytesOf, hexOf } from '../rtp/testing/hex.ts';
import { addressBytes, addressText, withoutMapping } from './address-bytes.ts';
import { fragmentOf, IceAgent } from './ice-agent.ts';
import type { IceSource } from './ice-machine.ts';
import { addFingerprint, hasRightFingerprint, isSigned, sign } from './stun-integrity.ts';
import { readStun, type StunMessage } from './stun-message.ts';
import {
  mappedAddress,
  type StunCheck,
  stunWriterBytes,
  writeCheck,
  writeError,
  writeSuccess,
} from './stun-writer.ts';

const transaction = 'b7e7a701bc34d686fa87dfae';
const password = 'a password of 24 letters';
const keyOf = (text: string) => nodeCiphers.hmacSha1(new Uint8Array(Buffer.from(text)));

/** A message with these attributes behind a header with the right length. */
function message(attributes: string, type = '0001'): StunMessage | undefined {
  const rest = bytesOf(attributes);
  const bytes = bytesOf(
    `${type} ${rest.length.toString(16).padStart(4, '0')} 2112a442 ${transaction} ${attributes}`,
  );
  return readStun(bytes, bytes.length);
}

describe('the attributes of a STUN message (RFC 8489 §14)', () => {
  for (const [type, kind] of [
    ['0001', 'request'],
    ['0011', 'indication'],
    ['0101', 'success'],
    ['0111', 'error'],
    ['0002', undefined],
    ['8001', undefined],
  ] as const) {
    it(`of type ${type} it is ${kind ?? 'no message of the binding method'}`, () =>
      assert.equal(message('', type)?.kind, kind));
  }

  for (const [rule, attributes, seen] of [
    ['a user name of one byte with three of padding', '00060001 61ffffff', { username: 'a' }],
    ['the first of two user names', '00060001 61000000 00060001 62000000', { username: 'a' }],
    ['an empty user name', '00060000', { username: '' }],
    [
      'a user name of 513 bytes, the most of ICE',
      `00060201 ${'61'.repeat(513)} 000000`,
      { username: 'a'.repeat(513) },
    ],
    ['the first of two priorities', '00240004 00000001 00240004 00000002', { priority: 1 }],
    ['the highest priority', '00240004 ffffffff', { priority: 0xffffffff }],
    ['a nomination', '00250000', { useCandidate: true }],
    ['the role controlling', '802a0008 0000000000000001', { role: 'controlling' }],
    ['the role controlled', '80290008 0000000000000001', { role: 'controlled' }],
    [
      'the first of two roles',
      '802a0008 0000000000000001 80290008 0000000000000001',
      { role: 'controlling' },
    ],
    ['an error of class 4', '00090004 00000414', { errorCode: 420 }],
    ['an error with its reason', '00090007 00000557 6e6f2100', { errorCode: 587 }],
    ['reserved bits next to the class are ignored', '00090004 0000fc14', { errorCode: 420 }],
    [
      'unknown attributes below 0x8000, in order',
      '7ffe0000 00010000 00030000',
      { unknown: [0x7ffe, 0x0003] },
    ],
    ['unknown attributes from 0x8000 on are optional', '80000000 fffe0000', { unknown: [] }],
    [
      'known attributes that we do not read are understood',
      '00140001 61000000 00150001 62000000 000a0002 00030000',
      { unknown: [] },
    ],
  ] as const) {
    it(`is read with ${rule}`, () => {
      const read = message(attributes)!;
      for (const [key, value] of Object.entries(seen))
        assert.deepEqual(read[key as keyof StunMessage], value);
    });
  }

  for (const [why, attributes] of [
    ['a user name of 514 bytes', `00060202 ${'61'.repeat(514)} 0000`],
    ['a priority of five bytes', '00240005 0000000100 000000'],
    ['a role of four bytes', '802a0004 00000001'],
    ['an error without its code', '00090002 00000000'],
    ['a mapped address of four bytes', '00200004 00010000'],
    ['a mapped address of twelve bytes', '0020000c 000100000000000000000000'],
    ['a fingerprint of eight bytes', '80280008 0000000000000000'],
    ['a signature of 19 bytes', `00080013 ${'00'.repeat(20)}`],
    ['33 attributes', '80000000'.repeat(33)],
    ['a length whose padding exceeds the message', '00060001 61'],
  ] as const) {
    it(`is refused for ${why}`, () => assert.equal(message(attributes), undefined));
  }

  it('has at most 32 attributes', () => assert.ok(message('80000000'.repeat(32))));

  it('attributes after the signature are neither read nor refused (RFC 8489 §14.5)', () => {
    const signature = `00080014 ${'00'.repeat(20)}`;
    const read = message(`${signature} 00240002 00010000 7ffe0000 00250000 80280004 00000000`)!;
    assert.deepEqual([read.priority, read.useCandidate, read.unknown], [undefined, false, []]);
    assert.deepEqual([read.integrityAt, read.fingerprintAt], [20, 20 + 24 + 8 + 4 + 4]);
  });
});

describe('signature and fingerprint', () => {
  const signed = (): { bytes: Uint8Array; read: StunMessage } => {
    const bytes = new Uint8Array(200);
    bytes.set(bytesOf(`00010008 2112a442 ${transaction} 00060003 613a6200`));
    const length = addFingerprint(bytes, sign(bytes, 28, keyOf(password)));
    const exact = bytes.slice(0, length);
    return { bytes: exact, read: readStun(exact, length)! };
  };

  it('a change of any byte before them breaks the signature, and any byte before its end the fingerprint', () => {
    const { bytes, read } = signed();
    for (let at = 0; at < bytes.length; at++) {
      const changed = bytes.slice();
      changed[at]! ^= 1;
      const isBeforeFingerprint = at < read.fingerprintAt;
      const isValue = at >= read.integrityAt + 4 && at < read.integrityAt + 24;
      // The signature covers its own end as the length, not the length in the header.
      const isLength = at === 2 || at === 3;
      if (at < read.integrityAt && !isLength)
        assert.equal(isSigned(changed, read, keyOf(password)), false, `byte ${at}`);
      if (isValue) assert.equal(isSigned(changed, read, keyOf(password)), false, `byte ${at}`);
      if (isBeforeFingerprint) assert.equal(hasRightFingerprint(changed, read), false, `byte ${at}`);
      else if (at >= read.fingerprintAt + 4)
        assert.equal(hasRightFingerprint(changed, read), false, `byte ${at}`);
    }
  });

  it('a message without them has neither', () => {
    const read = message('00060001 61000000')!;
    const bytes = bytesOf(`00010008 2112a442 ${transaction} 00060001 61000000`);
    assert.deepEqual(
      [isSigned(bytes, read, keyOf(password)), hasRightFingerprint(bytes, read)],
      [false, false],
    );
  });
});

describe('written answers', () => {
  const key = keyOf(password);
  it('name any address and port, and are read with both', () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6());
    fc.assert(
      fc.property(address, fc.nat(0xffff), (from, port) => {
        const out = new Uint8Array(stunWriterBytes).fill(0xaa);
        const length = writeSuccess(out, transaction, { address: from, port }, key);
        const read = readStun(out, length)!;
        const text = addressText(addressBytes(withoutMapping(from))!);
        assert.deepEqual(mappedAddress(out, read), { address: text, port });
        assert.ok(isSigned(out, read, key) && hasRightFingerprint(out, read));
      }),
    );
  });

  it('an IPv4 source that a dual-stack socket names as mapped is named as IPv4', () => {
    const out = new Uint8Array(stunWriterBytes);
    const length = writeSuccess(out, transaction, { address: '::ffff:192.0.2.1', port: 32_853 }, key);
    assert.equal(hexOf(out.subarray(20, 32)), '002000080001a147e112a643');
    assert.equal(readStun(out, length)!.mappedBytes, 8);
  });

  for (const [code, unknown, hex] of [
    [487, [], '00090004 00000457'],
    [420, [0x7ffe], '00090004 00000414 000a0002 7ffe0000'],
    [420, [1, 2], '00090004 00000414 000a0004 00010002'],
    [420, [1, 2, 3, 4, 5, 6, 7, 8, 9], '00090004 00000414 000a0010 0001000200030004 0005000600070008'],
  ] as const) {
    it(`an error ${code} about ${unknown.length} attributes names at most eight of them`, () => {
      const out = new Uint8Array(stunWriterBytes).fill(0xaa);
      const length = writeError(out, transaction, code, unknown, key);
      assert.equal(hexOf(out.subarray(20, length - 32)), hex.replaceAll(' ', ''));
      const read = readStun(out, length)!;
      assert.deepEqual([read.kind, read.errorCode, read.transaction], ['error', code, transaction]);
    });
  }

  it('an answer without an address, or with one of another family, names none', () => {
    assert.equal(mappedAddress(new Uint8Array(40), message('')!), undefined);
    const bytes = bytesOf(`0101000c 2112a442 ${transaction} 00200008 0002a147 e112a643`);
    assert.equal(mappedAddress(bytes, readStun(bytes, bytes.length)!), undefined);
  });
});

describe('an agent with its keys', () => {
  const home: IceSource = { transport: 'udp', address: '192.0.2.1', port: 4000 };
  function open() {
    const sent: string[] = [];
    const orders: string[] = [];
    const agent = new IceAgent(
      {
        ciphers: nodeCiphers,
        send: (_source, bytes, length) => {
          const read = readStun(bytes, length)!;
          const signedWith = ['first password of 22 b', 'second password of 22b'].find((text) =>
            isSigned(bytes, read, keyOf(text)),
          );
          sent.push(
            `${read.kind}${read.errorCode === undefined ? '' : ` ${read.errorCode}`} ${signedWith?.split(' ')[0]}`,
          );
        },
        order: (effect) => orders.push(effect.do),
      },
      { fragment: 'one', password: 'first password of 22 b' },
    );
    const check = (username: string, secret: string, more: Partial<StunCheck> = {}): boolean => {
      const out = new Uint8Array(stunWriterBytes);
      const tieBreaker = '0123456789abcdef';
      const length = writeCheck(
        out,
        { transaction, username, priority: 1, role: 'controlling', tieBreaker, useCandidate: false, ...more },
        keyOf(secret),
      );
      return agent.receive(readStun(out, length)!, out, home, 0);
    };
    return { agent, sent, orders, check };
  }

  it('answers a check for its fragment with a signature of its own password', () => {
    const { sent, orders, check } = open();
    assert.equal(check('one:theirs', 'first password of 22 b'), true);
    assert.deepEqual(sent, ['success first']);
    assert.deepEqual(orders, ['admit', 'start-timer', 'send-to']);
  });

  for (const [why, username, secret] of [
    ['another password', 'one:theirs', 'second password of 22b'],
    ['another fragment', 'two:theirs', 'first password of 22 b'],
    ['no colon in its user name', 'one', 'first password of 22 b'],
    ['an empty fragment', ':theirs', 'first password of 22 b'],
  ] as const) {
    it(`does not answer a check with ${why}`, () => {
      const { sent, orders, check } = open();
      assert.equal(check(username, secret), false);
      assert.deepEqual([sent, orders], [[], []]);
    });
  }

  it('RFC 8445 §7.3.1.1: answers a controlled peer with 487, signed', () => {
    const { sent, check } = open();
    check('one:theirs', 'first password of 22 b', { role: 'controlled' });
    assert.deepEqual(sent, ['error 487 first']);
  });

  it('after a restart each fragment has its own password, and the first check under the new one ends the old', () => {
    const { agent, sent, check } = open();
    agent.restart({ fragment: 'two', password: 'second password of 22b' }, 0);
    assert.equal(check('one:x', 'first password of 22 b'), true);
    assert.equal(check('two:x', 'first password of 22 b'), false);
    assert.equal(check('two:x', 'second password of 22b'), true);
    assert.equal(check('one:x', 'first password of 22 b'), false);
    assert.deepEqual(sent, ['success first', 'success second']);
    agent.close();
    agent.close();
    assert.equal(check('two:x', 'second password of 22b'), false);
  });

  it('the fragment of a message is the part of its user name before the first colon', () => {
    for (const [hex, fragment] of [
      ['00060005 613a623a63000000', 'a'],
      ['00060001 61000000', undefined],
      ['', undefined],
    ] as const) {
      assert.equal(fragmentOf(message(hex)!), fragment);
    }
  });
});

describe('addresses as text', () => {
  for (const [text, without] of [
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '::ffff:c000:201'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
  ] as const) {
    it(`${text} without its mapping is ${without}`, () => assert.equal(withoutMapping(text), without));
  }

  it('the bytes of any IPv6 address are those of its groups', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.boolean(), (bytes, sparse) => {
        if (sparse) bytes.fill(0, 2, 12);
        const isMapped =
          bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
        const text = addressText(bytes);
        if (isMapped) assert.deepEqual(addressBytes(text), bytes.slice(12));
        else assert.deepEqual(addressBytes(text), bytes, text);
        // RFC 5952 §4.2.2: a single group of zeros is not shortened.
        assert.ok(!/(^|:)0(:0)+(:|$)/.test(text) || text.includes('::'), text);
      }),
    );
  });
});
