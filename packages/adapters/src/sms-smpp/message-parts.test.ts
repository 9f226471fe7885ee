import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageParts } from './message-parts.ts';

const hex = (text: string) => messageParts(text, 7).parts.map((part) => part.toString('hex'));

test('an octet for each septet, two for characters of the extension table', () => {
  assert.deepEqual(hex('@Aé'), ['004105']);
  assert.deepEqual(hex('[€]'), ['1b3c1b651b3e']);
  assert.equal(messageParts('`', 0).dataCoding, 8);
});

test('characters outside the alphabet are sent as UCS-2, with both halves of a surrogate pair', () => {
  assert.deepEqual(hex('я😀'), ['044fd83dde00']);
});

test('parts have reference, count and position, and no pair is split', () => {
  assert.equal(messageParts('a'.repeat(160), 7).parts.length, 1);
  const gsm = messageParts(`${'x'.repeat(152)}€${'y'.repeat(10)}`, 0x107);
  assert.deepEqual(
    gsm.parts.map((part) => [part.subarray(0, 6).toString('hex'), part.length]),
    [
      ['050003070201', 6 + 152],
      ['050003070202', 6 + 12],
    ],
  );
  const ucs2 = messageParts(`${'я'.repeat(66)}😀${'я'.repeat(5)}`, 7);
  assert.deepEqual(
    ucs2.parts.map((part) => part.length),
    [6 + 132, 6 + 14],
  );
  assert.equal(messageParts('я'.repeat(70), 7).parts.length, 1);
});
