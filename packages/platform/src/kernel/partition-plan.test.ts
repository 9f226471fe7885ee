import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundAt, planPartitions, spanOf } from './partition-plan.ts';

const hour = 3_600_000;
const day = 24 * hour;
const now = Date.UTC(2026, 0, 10);
const week = 7 * day;

const range = (name: string, from: number | 'MINVALUE', to: number) => ({
  name,
  bound: `FOR VALUES FROM (${from === 'MINVALUE' ? from : `'${boundAt(from)}'`}) TO ('${boundAt(to)}')`,
});
const rest = { name: 'log_rest', bound: 'DEFAULT' };
const plan = (found: Parameters<typeof planPartitions>[1], keepMs = week) =>
  planPartitions('log', found, keepMs, now);

test('a partition holds whole hours, an eighth of the time for which rows are kept', () => {
  assert.deepEqual(
    [60_000, day, week, 3650 * day].map((keepMs) => spanOf(keepMs) / hour),
    [1, 3, 21, 10_950],
  );
});

test('a bound is how identifiers of that time begin', () => {
  assert.equal(boundAt(0x0198abcdef01), '0198abcd-ef01');
  assert.equal(boundAt(255), '00000000-00ff');
});

test('a table without partitions has its rows deleted, and none is created', () => {
  assert.deepEqual(plan([]), { create: [], drop: [], byRow: ['log'] });
});

test('the partition of now is followed by another one', () => {
  const before = range('log_before', 'MINVALUE', now + hour);
  const { create } = plan([before, rest]);
  assert.deepEqual(create, [{ name: 'log_202601100100', from: now + hour, to: now + 22 * hour }]);
  const [first] = create;
  assert.deepEqual(plan([before, range(first!.name, first!.from, first!.to), rest]).create, []);
});

test('behind a gap the next partition begins later than any identifier that may have been written', () => {
  const { create } = plan([range('log_before', 'MINVALUE', now - 1), rest], day);
  assert.deepEqual(create, [
    { name: 'log_202601100010', from: now + hour / 6, to: now + hour / 6 + 3 * hour },
  ]);
});

test('a partition is dropped when all its identifiers are too old', () => {
  const ranges = [
    range('log_before', 'MINVALUE', now - week - day),
    range('log_1', now - week - day, now - week - 1),
    range('log_2', now - week - 1, now - week),
    range('log_3', now - week, now + day),
  ];
  assert.deepEqual(plan([...ranges, rest]).drop, ['log_before', 'log_1']);
});

test('rows are deleted from the table before partitions, from the rest, and from partitions of a longer time', () => {
  const ranges = [
    range('log_before', 'MINVALUE', now - day),
    range('log_long', now - day, now - day + 43 * hour),
    range('log_short', now - day + 43 * hour, now - day + 64 * hour),
  ];
  assert.deepEqual(plan([...ranges, rest]).byRow, ['log_before', 'log_long', 'log_rest']);
});

test('a table with identifiers that do not begin with a time stays one partition, whose rows are deleted', () => {
  const before = { name: 'log_before', bound: "FOR VALUES FROM (MINVALUE) TO ('fe-x0')" };
  assert.deepEqual(plan([before, rest]), { create: [], drop: [], byRow: ['log_before', 'log_rest'] });
});
