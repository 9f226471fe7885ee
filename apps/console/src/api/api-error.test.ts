import assert from 'node:assert/strict';
import { test } from 'node:test';
import { texts } from '../texts/en-table.ts';
import { ApiError, sentenceOf } from './api-error.ts';

test('a fault says what happened and, where the server does not, what to do', () => {
  const refused = (status: number) => sentenceOf(new ApiError(status, 'x', 'no such call'));
  assert.equal(refused(400), 'no such call');
  for (const [status, hint] of [
    [403, texts.hints.forbidden],
    [404, texts.hints.missing],
    [429, texts.hints.limited],
    [500, texts.hints.failed],
    [503, texts.hints.failed],
  ] as const) {
    assert.equal(refused(status), `No such call. ${hint}`);
  }
  assert.equal(sentenceOf(new ApiError(0, '', texts.unreachable)), texts.unreachable);
  assert.equal(sentenceOf('broken'), 'broken');
});
