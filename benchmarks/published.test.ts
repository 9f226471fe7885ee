import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withResult } from './published.ts';

const earlier = { area: 'Console', what: 'rows', figure: '9 ms', run: 'E' };
const other = { area: 'Audio', what: 'ticks', figure: '1 ms', run: 'C' };
const runOfOther = { commit: '1', date: '2026-01-01', machine: 'a', load: 'none', command: 'x' };

test('the figures of a result stand under their heading with their run, and replace those that stood there', () => {
  const { runs, figures } = withResult(
    { runs: { C: runOfOther, D: runOfOther }, figures: [earlier, other] },
    {
      name: 'console',
      at: '2026-02-01T10:00:00.000Z',
      machine: { cpu: 'AMD EPYC', cores: 2, node: 'v24.21.0' },
      load: { before: [0.25, 1, 1], after: [1.5, 1, 1] },
      figures: [
        { what: 'rows', value: 1.25, unit: 'ms', budget: { atMost: 5 }, note: 'slowest: 4 ms' },
        { what: 'pages', value: 60, unit: 'ms', budget: { atMost: 50 } },
        { what: 'lists', value: 3, unit: '/s', floor: { what: 'fetch', value: 6 }, note: 'of 9' },
      ],
      details: {},
    },
    { area: 'Console', run: 'E', commit: 'abc' },
  );
  assert.deepEqual(figures, [
    other,
    {
      ...{ area: 'Console', what: 'rows', figure: '1.3 ms', budget: '5 ms', isMet: true },
      ...{ beside: 'slowest: 4 ms', run: 'E' },
    },
    { area: 'Console', what: 'pages', figure: '60 ms', budget: '50 ms', isMet: false, run: 'E' },
    { area: 'Console', what: 'lists', figure: '3 /s', beside: 'fetch: 6 (0.50 of it); of 9', run: 'E' },
  ]);
  assert.deepEqual(runs, {
    C: runOfOther,
    E: {
      ...{ commit: 'abc', date: '2026-02-01', machine: '2 cores of AMD EPYC, Node 24.21.0' },
      load: 'load average 0.25 before, 1.5 after',
      command: 'npx node benchmarks/bench.ts console',
    },
  });
});
