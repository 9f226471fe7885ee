import assert from 'node:assert/strict';
import { test } from 'node:test';
import { texts } from '../texts/en-table.ts';
import { ApiError, sentenceOf, sentenceOfList } from './api-error.ts';

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

test('a list that is missing has the sentence of the server alone, other faults of a list have their hint', () => {
  assert.equal(
    sentenceOfList(new ApiError(404, 'not-found', 'only operators see it')),
    'Only operators see it.',
  );
  const limited = new ApiError(429, 'rate-limited', 'too many requests');
  assert.equal(sentenceOfList(limited), sentenceOf(limited));
});
