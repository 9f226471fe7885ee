import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { partsOf } from './multipart.ts';
import { parseMessage } from './parse-message.ts';

const shown = (body: string, boundary = 'b') =>
  partsOf(body, boundary)?.map((part) => [[...part.headers.entries()].join(), part.body]);

test('RFC 2046 §5.1.1: parts are between boundary lines, and text before and after them is ignored', () => {
  const body =
    'before\r\n--b\r\nContent-Type: a/b;\r\n c=d\r\nX-Y: y\r\n\r\none\r\n--b  \r\n\r\ntwo\r\n\r\n--b--\r\nbehind';
  assert.deepEqual(shown(body), [
    ['Content-Type,a/b; c=d,X-Y,y', 'one'],
    ['', 'two\r\n'],
  ]);
  assert.deepEqual(shown('--b\r\nX-Y: y\r\n\r\n--b--'), [['X-Y,y', '']]);
  assert.deepEqual(shown('--b--'), []);
});

test('RFC 2046 §5.1.1: a body without an end, and an invalid boundary, give no parts', () => {
  for (const body of [
    '',
    'x',
    '--b',
    '--b\r\n',
    '--b\r\n\r\nx',
    '--b\r\n\r\nx\r\n--c--',
    '--bb\r\n\r\nx\r\n--b--',
  ]) {
    assert.equal(shown(body), undefined, body);
  }
  assert.equal(shown('--\r\n\r\nx\r\n----', ''), undefined);
  assert.equal(shown(`${'--b\r\n\r\nx\r\n'.repeat(17)}--b--`), undefined);
});

test('RFC 4475 §3.1.1.11: the parts of mpart01 are a text and 342 octets', () => {
  const url = new URL('../torture/rfc4475/3.1.1.11-mpart01.dat', import.meta.url);
  const { message } = parseMessage(readFileSync(url, 'latin1'));
  const parts = partsOf(message!.body, '7a9cbec02ceef655');
  assert.deepEqual(
    parts?.map(({ headers, body }) => [headers.get('Content-Type'), body.length]),
    [
      ['text/plain', 5],
      ['application/octet-stream', 342],
    ],
  );
});

test('The parts of any body come out in order', () => {
  const piece = fc.constantFrom('--b', '--b--', '\r\n', 'x: y', ' ', '--', 'b', '\0', ':');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
      const body = pieces.join('');
      let from = 0;
      for (const part of partsOf(body, 'b') ?? []) {
        assert.ok(!`\r\n${part.body}`.includes('\r\n--b'));
        from = body.indexOf(part.body, from) + part.body.length;
        assert.ok(from >= part.body.length);
      }
    }),
    { numRuns: 2_000 },
  );
});
