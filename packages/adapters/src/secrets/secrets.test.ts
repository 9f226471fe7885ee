import assert from 'node:assert/strict';
import { createHmac, hkdfSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { anyCharacter } from '@jackfield/testkit/any-character';
import fc from 'fast-check';
import { createSecrets, openSecretKey, parseSecretKey } from './index.ts';

const directory = mkdtempSync(join(tmpdir(), 'secrets-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const secrets = createSecrets(new Uint8Array(32).fill(7));

test('UUIDs are of version 7 (RFC 9562 §5.7): a later millisecond has a greater UUID, and the rest is random', () => {
  const before = Date.now();
  const [first, second] = [secrets.randomUuid(), secrets.randomUuid()];
  const made = Number.parseInt(first.replaceAll('-', '').slice(0, 12), 16);
  assert.ok(made >= before && made <= Date.now(), first);
  for (const uuid of [first, second]) {
    assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  assert.notEqual(first.slice(15), second.slice(15));
});

test('a sealed text opens again, and each sealing differs', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (text) => {
      const plain = text.toWellFormed();
      const sealed = secrets.encrypt(plain);
      assert.equal(secrets.decrypt(sealed), plain);
      assert.notEqual(secrets.encrypt(plain), sealed);
    }),
    { numRuns: 50 },
  );
});

test('a text that was sealed with another key, changed or shortened is refused', () => {
  const sealed = secrets.encrypt('the password of a trunk');
  assert.throws(() => createSecrets(new Uint8Array(32).fill(8)).decrypt(sealed), /another key/);
  const bytes = Buffer.from(sealed, 'base64');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    assert.throws(() => secrets.decrypt(changed.toString('base64')), /another key|not a sealed text/);
  }
  assert.throws(() => secrets.decrypt(bytes.subarray(0, 28).toString('base64')), /not a sealed text/);
  assert.throws(() => secrets.decrypt(''), /not a sealed text/);
});

test('the keyed hash depends on text and key, and survives restarts', () => {
  const again = createSecrets(new Uint8Array(32).fill(7));
  assert.equal(secrets.keyedHash('token'), again.keyedHash('token'));
  assert.match(secrets.keyedHash('token'), /^[0-9a-f]{64}$/);
  assert.notEqual(secrets.keyedHash('token'), secrets.keyedHash('Token'));
  assert.notEqual(secrets.keyedHash('token'), createSecrets(new Uint8Array(32)).keyedHash('token'));
});

test('the keyed hash is HMAC-SHA-256, whatever the length of its text', () => {
  const key = hkdfSync(
    'sha256',
    new Uint8Array(32).fill(7),
    new Uint8Array(0),
    'jackfield keyed hash v1',
    32,
  );
  // Longer texts first: a shorter text must not be hashed with the rest of a longer one.
  for (const length of [1000, 257, 256, 255, 63, 1, 0]) {
    const text = 'ü'.repeat(length / 2) + 'x'.repeat(length % 2);
    assert.equal(
      secrets.keyedHash(text),
      createHmac('sha256', new Uint8Array(key)).update(text).digest('hex'),
    );
  }
});

test('digests are those of RFC 1321 §A.5 and FIPS 180-4', () => {
  assert.equal(secrets.digest('md5', 'message digest'), 'f96b697d7cb7938d525a2f31aaf161d0');
  assert.equal(
    secrets.digest('sha256', 'abc'),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

test('texts of any length are compared', () => {
  assert.equal(secrets.equals('same', 'same'), true);
  assert.equal(secrets.equals('same', 'other'), false);
  assert.equal(secrets.equals('', 'x'.repeat(1000)), false);
  assert.equal(secrets.equals('same length', 'same Length'), false);
  assert.equal(secrets.equals('ä', 'ae'), false);
  assert.equal(secrets.equals('', ''), true);
});

test('random bytes are never returned twice, and returned bytes never change', () => {
  const given = new Set<string>();
  const kept = secrets.randomBytes(12);
  const before = Buffer.from(kept).toString('hex');
  for (const length of [12, 16, 64, 65, 5000]) {
    for (let round = 0; round < 400; round += 1) {
      const bytes = secrets.randomBytes(length);
      assert.equal(bytes.length, length);
      given.add(Buffer.from(bytes.subarray(0, 12)).toString('hex'));
    }
  }
  assert.equal(given.size, 2000);
  assert.equal(given.has('00'.repeat(12)), false);
  assert.equal(Buffer.from(kept).toString('hex'), before);
});

test("the operator's key is read in hex and in both alphabets of base64", () => {
  const key = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index));
  for (const text of [
    key.toString('hex'),
    key.toString('hex').toUpperCase(),
    key.toString('base64'),
    key.toString('base64url'),
  ]) {
    assert.deepEqual(Buffer.from(parseSecretKey(` ${text}\n`)!), key);
  }
  for (const text of ['', 'secret', key.toString('hex').slice(1), `${key.toString('base64')}AAAA`]) {
    assert.equal(parseSecretKey(text), undefined, text);
  }
});

test('a key file is written once, complete, and readable only by its owner', () => {
  const dataDir = join(directory, 'new/data');
  const key = openSecretKey(dataDir);
  assert.equal(key.length, 32);
  assert.equal(statSync(join(dataDir, 'secret.key')).mode & 0o777, 0o600);
  assert.deepEqual(openSecretKey(dataDir), key);
  assert.deepEqual(readdirSync(dataDir), ['secret.key']);
  assert.equal(readFileSync(join(dataDir, 'secret.key'), 'utf8').trim().length, 64);
});

test('a broken key file stops the start instead of being replaced', () => {
  const path = join(directory, 'secret.key');
  writeFileSync(path, 'half a ke');
  assert.throws(() => openSecretKey(directory), /secret\.key holds no key/);
  assert.equal(readFileSync(path, 'utf8'), 'half a ke');
});

test('signatures are HMAC-SHA256 in base64 under the key that both sides know: the vector of RFC 4231 §4.3', () => {
  const expected = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
  assert.equal(
    secrets.sign('Jefe', 'what do ya want for nothing?'),
    Buffer.from(expected, 'hex').toString('base64'),
  );
});

test('a missing key file is not replaced while encrypted data exists', () => {
  const dataDir = join(directory, 'beside');
  assert.throws(
    () => openSecretKey(dataDir, false),
    /beside\/secret\.key is missing.*restore the file from a backup/,
  );
  assert.deepEqual(readdirSync(dataDir), []);
});
