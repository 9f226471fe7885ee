import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Attempt, failsFlow, successorOf, triesNext } from './failover.ts';

const response = (status: number): Attempt => ({ type: 'response', status });
const timeout: Attempt = { type: 'failed', failure: 'timeout' };
const broken: Attempt = { type: 'failed', failure: 'transport-failed' };

describe('RFC 3263 §4.3: the next target of a request', () => {
  const tried: readonly (readonly [string, Attempt])[] = [
    ['503', response(503)],
    ['a timeout', timeout],
    ['a failed transport', broken],
  ];
  for (const [name, attempt] of tried)
    it(`is tried after ${name}`, () => deepEqual([triesNext(attempt), failsFlow(attempt)], [true, true]));

  for (const status of [200, 302, 401, 404, 408, 430, 480, 486, 500, 600])
    it(`is not tried after ${status}`, () => equal(triesNext(response(status)), false));

  it('is a flow of the same phone after 430 (RFC 5626 §5.3)', () => equal(failsFlow(response(430)), true));
});

describe('The successor of an attempt to reach a phone', () => {
  const all = { isReached: false, hasRoute: true, hasFlow: true };
  const cases: readonly (readonly [string, Attempt, Partial<typeof all>, ReturnType<typeof successorOf>])[] =
    [
      ['a route comes before a flow', timeout, {}, 'route'],
      ['a flow follows the last route', timeout, { hasRoute: false }, 'flow'],
      ['a flow follows a failed flow although routes are left', response(430), {}, 'flow'],
      ['a failed flow is final without another flow', response(430), { hasFlow: false }, 'none'],
      ['503 goes to the next route', response(503), {}, 'route'],
      ['503 is final when nothing is left', response(503), { hasRoute: false, hasFlow: false }, 'none'],
      ['a busy phone is not tried again', response(486), {}, 'none'],
      ['a phone that has rung is not tried again', timeout, { isReached: true }, 'none'],
    ];
  for (const [name, attempt, change, expected] of cases)
    it(name, () => equal(successorOf(attempt, { ...all, ...change }), expected));
});
