import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EndedLeg, explainEnd } from './end-explanation.ts';

const leg: EndedLeg = {
  direction: 'outbound',
  from: '+12025550000',
  to: '+12025550101',
  ringSeconds: 4,
  talkSeconds: 12,
  code: 4000,
  name: 'Normal Hangup',
  source: 'Call recipient',
  reason: null,
};

test('The end of a call is one sentence with who, why and when', () => {
  const unanswered = { ...leg, talkSeconds: null };
  const expected: readonly (readonly [EndedLeg, string])[] = [
    [leg, 'The callee (+12025550101) hung up 12 s after the answer.'],
    [{ ...leg, source: 'API Request' }, 'A request to the API hung up 12 s after the answer.'],
    [
      { ...unanswered, code: 1000, name: 'Canceled', source: 'Caller' },
      'The caller (+12025550000) gave up before an answer, after 4 s.',
    ],
    [{ ...unanswered, code: 3010, name: 'Busy Line' }, 'The callee (+12025550101) was busy.'],
    [
      { ...unanswered, code: 2020, name: 'Endpoint Not Registered', source: 'Service', to: 'alice' },
      'The call was not made: no phone is registered for alice.',
    ],
    [
      {
        ...leg,
        code: 8011,
        name: 'Invalid Answer XML',
        source: 'Answer XML',
        reason: 'line 1: <Speek> is no element; <Speak> is',
      },
      'The document ended the call 12 s after the answer: Invalid Answer XML: line 1: <Speek> is no element; <Speak> is',
    ],
    [
      { ...leg, code: 5010, name: 'Internal Error', source: 'Error' },
      'The platform ended the call 12 s after the answer: Internal Error.',
    ],
  ];
  for (const [ended, sentence] of expected) assert.equal(explainEnd(ended), sentence);
});
