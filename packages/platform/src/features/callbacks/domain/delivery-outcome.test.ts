import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callbackProblemCodes, codesOf } from '@jackfield/contract';
import type { EgressOutcome, EgressProblemKind } from '@jackfield/ports';
import { isSilent, judgeAttempt } from './delivery-outcome.ts';
import { parseDeliverySettings } from './delivery-settings.ts';

const answered = (status: number): EgressOutcome => ({ status, headers: {}, body: new Uint8Array() });
const broke = (kind: EgressProblemKind, status?: number): EgressOutcome => ({
  problem: { kind, sentence: kind, ...(status === undefined ? {} : { status }) },
});
const all = parseDeliverySettings('http://a/#rc=5&rp=4xx,5xx,ct,rt');
const judge = (outcome: EgressOutcome, attempts = 1, settings = all) =>
  judgeAttempt(outcome, settings, attempts, { sentAt: 400, now: 1000 });

test('a 2xx answer is a success, also when its body was cut', () => {
  for (const outcome of [
    answered(200),
    answered(204),
    broke('too-large', 200),
    broke('total-timeout', 201),
  ]) {
    assert.equal(judge(outcome).status, 'delivered');
  }
});

test('each failure has a code of the contract, each code is of a failure, and a success has none', () => {
  const kinds: readonly EgressProblemKind[] = [
    'refused',
    'unreachable',
    'connect-timeout',
    'read-timeout',
    'total-timeout',
    'broken',
    'too-large',
  ];
  const sent = [...kinds.map((kind) => broke(kind)), answered(404)].map(
    (outcome) => judge(outcome).problemCode,
  );
  assert.deepEqual(sent, codesOf(callbackProblemCodes));
  assert.equal(judge(answered(200)).problemCode, null);
});

const reasons: readonly (readonly [string, ...EgressOutcome[]])[] = [
  ['4xx', answered(400), answered(499), broke('broken', 404)],
  ['5xx', answered(500), answered(503), broke('read-timeout', 500)],
  ['ct', broke('unreachable'), broke('connect-timeout')],
  ['rt', broke('read-timeout'), broke('total-timeout'), broke('broken')],
];
for (const [reason] of reasons) {
  test(`rp=${reason} retries these and nothing else`, () => {
    for (const [each, ...its] of reasons) {
      for (const outcome of its) {
        const settings = parseDeliverySettings(`http://a/#rc=1&rp=${reason}`);
        assert.equal(judge(outcome, 1, settings).status, each === reason ? 'retrying' : 'failed');
      }
    }
  });
}

test('redirects and refusals by the guard are not retried', () => {
  for (const outcome of [answered(302), answered(101), broke('refused'), broke('too-large', 302)]) {
    assert.equal(judge(outcome).status, 'failed');
  }
});

test('rc retries follow the first attempt, each after a longer pause', () => {
  const next = [1, 2, 3, 4, 5, 6].map((attempts) => judge(answered(500), attempts).nextAttemptAt);
  assert.deepEqual(next, [2000, 6000, 21_000, 46_000, 601_000, null]);
});

test('on a fixed schedule only 200 is a success, and every failure is retried at its time', () => {
  const settings = parseDeliverySettings('https://receiver.example.com/#rc=0');
  const judged = (status: number, attempts: number) =>
    judgeAttempt(answered(status), settings, attempts, { sentAt: 1000, now: 40_900 }, [60, 120, 240]);
  assert.equal(judged(200, 1).status, 'delivered');
  assert.deepEqual(
    [judged(204, 1), judged(500, 2), judged(404, 3), judged(202, 4)].map(
      ({ nextAttemptAt }) => nextAttemptAt,
    ),
    [61_000, 121_000, 241_000, null],
  );
});

test('a receiver is silent when no head of an answer came over a connection', () => {
  assert.ok(isSilent(broke('unreachable')));
  assert.ok(isSilent(broke('read-timeout')));
  for (const outcome of [answered(200), answered(500), broke('broken', 200), broke('refused')]) {
    assert.ok(!isSilent(outcome));
  }
});
