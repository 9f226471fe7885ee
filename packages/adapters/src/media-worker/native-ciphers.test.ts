import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createSrtpCounters,
  createSrtpReceiver,
  createSrtpSender,
  type SrtpSuiteName,
} from '@jackfield/media';
import { nodeCiphers } from '@jackfield/media/io';
import { srtpCiphersContract } from '@jackfield/testkit';
import fc from 'fast-check';
import { openNativeCiphers } from './native-ciphers.ts';

const ciphers = await openNativeCiphers();

describe('ciphers through node:crypto', () => srtpCiphersContract(nodeCiphers));

describe('ciphers through direct calls', {
  skip: ciphers === undefined && process.platform !== 'linux' ? 'OpenSSL cannot be called here' : false,
}, () => {
  it('open on Linux', () => assert.notEqual(ciphers, undefined));
  if (ciphers === undefined) return;
  srtpCiphersContract(ciphers);

  it('packets of every length equal those of node:crypto, and each side opens packets that the other has sealed', () => {
    const masters: readonly [SrtpSuiteName, number][] = [
      ['AES_CM_128_HMAC_SHA1_80', 30],
      ['AES_256_CM_HMAC_SHA1_32', 46],
      ['AEAD_AES_128_GCM', 28],
      ['AEAD_AES_256_GCM', 44],
    ];
    const before = ciphers.openCount;
    fc.assert(
      fc.property(
        fc.constantFrom(...masters),
        fc.uint8Array({ maxLength: 2000 }),
        fc.nat(0xffff),
        (chosen, payload, seed) => {
          const [suite, length] = chosen;
          const master = { suite, keyAndSalt: Uint8Array.from({ length }, (_, n) => n * seed) };
          const plain = Uint8Array.of(0x80, 0, seed >> 8, seed & 255, 1, 2, 3, 4, 5, 6, 7, 8, ...payload);
          const sealed = [ciphers, nodeCiphers].map((each) => {
            const sender = createSrtpSender(each, master);
            const room = new Uint8Array(plain.length + 16);
            room.set(plain);
            const size = sender.protect(room, plain.length);
            sender.close();
            return room.slice(0, size);
          });
          assert.deepEqual(sealed[0], sealed[1]);
          for (const each of [ciphers, nodeCiphers]) {
            const receiver = createSrtpReceiver(each, master, createSrtpCounters());
            const out = new Uint8Array(2048);
            assert.equal(receiver.unprotect(sealed[0]!, sealed[0]!.length, out), plain.length);
            assert.deepEqual(out.slice(0, plain.length), plain);
            receiver.close();
          }
        },
      ),
      { numRuns: 200 },
    );
    assert.equal(ciphers.openCount, before);
  });

  it('no call reads or writes outside its buffers, and a closed cipher throws', () => {
    const aes = ciphers.aes(new Uint8Array(16));
    const hmac = ciphers.hmacSha1(new Uint8Array(20));
    const gcm = ciphers.aesGcm(new Uint8Array(16));
    const nonce = new Uint8Array(12);
    const some = new Uint8Array(64);
    const calls = [
      () => aes.encrypt(some, 80),
      () => aes.encrypt(some, 24),
      () => aes.encrypt(new Uint8Array(4096), 4096),
      () => hmac.sign(some, 65),
      () => gcm.seal(nonce, some, 12, some, 12, 49),
      () => gcm.seal(nonce.subarray(1), some, 12, some, 12, 40),
      () => gcm.open(nonce, some, 65, some, 12, 40),
      () => gcm.open(nonce, some, 12, some, 41, 40),
    ];
    for (const call of calls) assert.throws(call, RangeError);
    for (const each of [aes, hmac, gcm]) each.close();
    assert.throws(() => aes.encrypt(some, 16), /closed/);
    assert.throws(() => hmac.sign(some, 16), /closed/);
    assert.throws(() => gcm.seal(nonce, some, 12, some, 12, 40), /closed/);
    for (const key of [15, 24, 33]) assert.throws(() => ciphers.aes(new Uint8Array(key)), RangeError);
  });
});
