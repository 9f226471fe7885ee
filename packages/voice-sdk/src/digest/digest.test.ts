import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { md5 } from './md5.ts';
import { sha256 } from './sha256.ts';

const nodes = (algorithm: string, text: string) => createHash(algorithm).update(text, 'latin1').digest('hex');

test('RFC 1321 §A.5 and RFC 6234 §8.5: the hashes of the vectors', () => {
  assert.equal(md5(''), 'd41d8cd98f00b204e9800998ecf8427e');
  assert.equal(md5('message digest'), 'f96b697d7cb7938d525a2f31aaf161d0');
  assert.equal(sha256('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('The hashes of byte strings of every length up to three blocks are those of OpenSSL', () => {
  for (let length = 0; length < 200; length += 1) {
    const text = randomBytes(length).toString('latin1');
    assert.equal(md5(text), nodes('md5', text), `MD5 of ${length} bytes`);
    assert.equal(sha256(text), nodes('sha256', text), `SHA-256 of ${length} bytes`);
  }
});
