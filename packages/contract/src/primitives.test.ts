import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  authId,
  e164,
  httpUrl,
  isE164,
  isSipUri,
  isSipUser,
  text,
  uuid,
  webSocketUrl,
} from './primitives.ts';

const accepts = (schema: object, value: string) =>
  new RegExp((schema as { pattern: string }).pattern, 'u').test(value);
const described = { description: '' };

function check(schema: object, good: readonly string[], bad: readonly string[]) {
  for (const value of good) assert.ok(accepts(schema, value), JSON.stringify(value));
  for (const value of bad) assert.ok(!accepts(schema, value), JSON.stringify(value));
}

test('text: no control characters, no halves of surrogate pairs', () => {
  check(
    text({ maxLength: 9, ...described }),
    ['', 'a b', 'é😀', '\u202e'],
    ['\0', 'a\n', '\u0085', '\ud800', '\udc00a'],
  );
});

test('identifiers', () => {
  check(
    authId(described),
    ['MAABCDEFGH0123456789'],
    ['MAABCDEFGH012345678', 'XXABCDEFGH0123456789', 'maabcdefgh0123456789'],
  );
  check(uuid(described), ['123e4567-e89b-12d3-a456-426614174000'], ['123e4567e89b12d3a456426614174000', '']);
});

test('URLs are absolute, of the right scheme and without white space', () => {
  const bad = [
    '',
    'example.com',
    '//example.com',
    'http://',
    'http:///x',
    'http://a b',
    'http://a\n',
    'javascript:1',
    'ftp://a',
  ];
  check(
    httpUrl(described),
    ['http://a', 'HTTPS://a.b/c?d#rc=1', 'http://[::1]:80/', 'http://ü.example/'],
    [...bad, 'ws://a'],
  );
  check(webSocketUrl(described), ['wss://a/b', 'ws://localhost:1'], [...bad, 'https://a']);
});

test('phone numbers have 7 to 15 digits, a + or none', () => {
  const good = ['+12025550100', '12025550100', '+442071838750', '+6834000', '+123456789012345'];
  const bad = [
    '',
    '+',
    '112',
    '12345',
    '+911',
    '+123456',
    '+0123',
    '+1 202',
    '+1234567890123456',
    'tel:+1',
    '+1-202',
    '٣٣٣',
  ];
  check(e164(described), good, bad);
  assert.deepEqual(
    [...good.map(isE164), ...bad.map(isE164)],
    [...good.map(() => true), ...bad.map(() => false)],
  );
});

test('SIP URIs and users of RFC 3261 §25.1', () => {
  for (const uri of [
    'sip:a@b',
    'SIPS:alice260101000000@sip.example.com:5061;transport=tcp',
    'sip:a%20b@[2001:db8::1]',
  ]) {
    assert.ok(isSipUri(uri), uri);
  }
  for (const uri of [
    '',
    'sip:',
    'sip:@b',
    'sip:a',
    'a@b',
    'sip:a b@c',
    'sip:a@b\r\nVia: x',
    'sip:a@b<c>',
    `sip:${'a'.repeat(2000)}@b`,
  ]) {
    assert.ok(!isSipUri(uri), uri);
  }
  assert.ok(isSipUser('alice.1+x'));
  for (const user of ['', 'a b', 'a@b', 'a\0', '%zz', 'é']) assert.ok(!isSipUser(user), user);
});
