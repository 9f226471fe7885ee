import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  looseBoolean,
  looseEnum,
  looseInteger,
  readBoolean,
  readInteger,
  readOneOf,
  readRequest,
} from './loose.ts';

const pattern = (schema: object) =>
  new RegExp((schema as { anyOf: { pattern?: string }[] }).anyOf[1]!.pattern!, 'u');

test('booleans: true and false as words in any case, and nothing else', () => {
  const words = pattern(looseBoolean({ description: '' }));
  for (const word of ['true', 'True', 'TRUE', 'fAlSe']) assert.match(word, words);
  for (const word of ['', 'yes', '1', 'truex', 'true ', 'false\n']) assert.doesNotMatch(word, words);
  assert.deepEqual(
    [true, false, 'True', 'FALSE'].map((each) => readBoolean(each)),
    [true, false, true, false],
  );
  assert.equal(readBoolean(undefined), undefined);
});

test('integers: decimal digits as text', () => {
  const digits = pattern(looseInteger({ minimum: 0, maximum: 9, description: '' }));
  for (const word of ['0', '-5', '007', '123456789012345']) assert.match(word, digits);
  for (const word of ['', '+1', '1.0', '1e1', '0x1', '١', '1234567890123456'])
    assert.doesNotMatch(word, digits);
  assert.deepEqual([readInteger('007'), readInteger(7), readInteger(undefined)], [7, 7, undefined]);
});

test('enumerations: any case in, the spelling of the list out', () => {
  const values = ['Active', 'beep:1', 'a.b'] as const;
  const words = pattern(looseEnum(values, { description: '' }));
  for (const word of ['active', 'ACTIVE', 'Beep:1', 'A.B']) {
    assert.match(word, words);
    assert.ok(readOneOf(values, word));
  }
  for (const word of ['', 'activ', 'aXb', 'active ']) {
    assert.doesNotMatch(word, words);
    assert.equal(readOneOf(values, word), undefined);
  }
  assert.equal(readOneOf(values, 'aCTIVE'), 'Active');
  assert.equal(readOneOf(values, undefined), undefined);
});

test('requests: a URL with its method in any case, POST unless another is the default; nothing without a URL', () => {
  const url = 'https://a.example/';
  assert.deepEqual(readRequest(url, 'get'), { url, method: 'GET' });
  assert.deepEqual(readRequest(url, undefined), { url, method: 'POST' });
  assert.deepEqual(readRequest(url, null, 'GET'), { url, method: 'GET' });
  assert.deepEqual(readRequest(url, 'Post', 'GET'), { url, method: 'POST' });
  assert.equal(readRequest(undefined, 'GET'), null);
  assert.equal(readRequest(null, null), null);
});
