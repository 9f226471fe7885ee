import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  creationStamp,
  isAuthId,
  isUuid,
  newAuthId,
  newAuthToken,
  newDigits,
  newEndpointId,
  newUuid,
} from './ids.ts';

const secrets = { randomBytes: (length: number) => randomBytes(length), randomUuid: () => randomUUID() };

test('account ids have the shape that published clients require', () => {
  for (let count = 0; count < 200; count++) {
    assert.match(newAuthId('MA', secrets), /^MA[A-Z0-9]{18}$/);
    assert.ok(isAuthId(newAuthId('SA', secrets)));
  }
  for (const text of [
    '',
    'MA',
    'XA123456789012345678',
    'MA12345678901234567',
    'ma123456789012345678',
    'MA123456789012345678\n',
  ]) {
    assert.ok(!isAuthId(text), JSON.stringify(text));
  }
});

test('an auth token is base64 of 30 hex characters: 40 characters', () => {
  const token = newAuthToken(secrets);
  assert.equal(token.length, 40);
  assert.match(Buffer.from(token, 'base64').toString('latin1'), /^[0-9a-f]{30}$/);
  assert.notEqual(token, newAuthToken(secrets));
});

test('numeric ids keep their length: the first digit is never 0', () => {
  for (let count = 0; count < 200; count++) {
    assert.match(newEndpointId(secrets), /^[1-9]\d{13}$/);
    assert.match(newDigits(17, secrets), /^[1-9]\d{16}$/);
  }
});

test('an id skips random bytes that would favour some characters', () => {
  const biased = { randomBytes: (length: number) => new Uint8Array(length).fill(0, 1).fill(255, 0, 1) };
  assert.equal(newAuthId('MA', biased), `MA${'A'.repeat(18)}`);
});

test('the creation stamp is twelve digits of UTC', () => {
  assert.equal(creationStamp(Date.UTC(2013, 9, 31, 14, 59, 58, 999)), '131031145958');
});

test('a UUID is recognised in upper and lower case, and no other text is', () => {
  assert.ok(isUuid(newUuid(secrets)));
  assert.ok(isUuid(newUuid(secrets).toUpperCase()));
  for (const text of [
    '',
    'x',
    '6f1f4d1e-0000-4000-8000-00000000000',
    `${randomUUID()}\n`,
    `{${randomUUID()}}`,
  ]) {
    assert.ok(!isUuid(text), JSON.stringify(text));
  }
});
