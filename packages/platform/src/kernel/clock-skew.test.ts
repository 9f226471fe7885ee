import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecordingLog } from '@jackfield/testkit';
import { clockProblem, createClockSkew } from './clock-skew.ts';

test('a clock ahead or behind is known by as much as no slow answer explains', () => {
  const skew = createClockSkew(createRecordingLog());
  assert.equal(skew.ms, 0);
  for (const [asked, database, answered, ms] of [
    [1_000, 1_000, 1_000, 0],
    [1_000, 1_400, 9_000, 0],
    [5_000, 1_000, 5_010, 4_000],
    [1_000, 5_000, 1_010, -3_990],
    [1_000, 900, 9_000, 100],
  ] as const) {
    skew.saw(asked, database, answered);
    assert.equal(skew.ms, ms);
  }
});

test('a clock that differs by more than 30 s has a problem that says by how much', () => {
  for (const ms of [0, 30_000, -30_000]) assert.equal(clockProblem({ ms }), undefined);
  assert.match(clockProblem({ ms: 30_500 })!, /is 31 s ahead of that of the database: at most 30 s/);
  assert.match(clockProblem({ ms: -3_600_000 })!, /is 3600 s behind that of the database/);
});

test('a difference of more than two seconds is logged once, and its end too', () => {
  const log = createRecordingLog();
  const skew = createClockSkew(log);
  const logged = () => log.lines.map(({ level, fields }) => [level, fields]);
  const sees = (ahead: number) => skew.saw(100_000 + ahead, 100_000, 100_000 + ahead);
  for (const ahead of [0, 2_000, -2_000]) sees(ahead);
  assert.deepEqual(logged(), []);
  for (const ahead of [2_001, 2_500, 1_900, 2_100, 1_000]) sees(ahead);
  assert.deepEqual(logged(), [['warn', { aheadMs: 2_001 }]]);
  for (const ahead of [999, -2_001]) sees(ahead);
  assert.deepEqual(logged().slice(1), [
    ['info', { aheadMs: 999 }],
    ['warn', { aheadMs: -2_001 }],
  ]);
});
