import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createFairLine } from './fair-line.ts';

const never = new AbortController().signal;

/** Work that the test ends. */
function bench(limits: { atOnce: number; perGroup: number; waiting: number }) {
  const line = createFairLine(limits);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    line,
    begun,
    add(name: string, signal: AbortSignal = never): Promise<string> {
      return line.run(
        name[0]!,
        () => {
          begun.push(name);
          return new Promise((resolve) => ends.set(name, () => resolve(name)));
        },
        signal,
      );
    },
    async end(name: string) {
      ends.get(name)!();
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    },
  };
}

test('groups take turns, also when one of them has more work', async () => {
  const { add, begun, end } = bench({ atOnce: 1, perGroup: 1, waiting: 10 });
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) void add(name);
  for (let ended = 0; ended < 4; ended++) await end(begun.at(-1)!);
  assert.deepEqual(begun, ['a1', 'b1', 'c1', 'a2', 'a3']);
});

test('a full line refuses further work, except work that may begin at once', async () => {
  const { add, begun } = bench({ atOnce: 2, perGroup: 1, waiting: 1 });
  void add('a1');
  void add('a2');
  await assert.rejects(add('a3'), { code: 'full' });
  void add('b1');
  assert.deepEqual(begun, ['a1', 'b1']);
});

test('work that is withdrawn while it waits never begins', async () => {
  const { line, add, begun, end } = bench({ atOnce: 1, perGroup: 1, waiting: 5 });
  const stop = new AbortController();
  void add('a1');
  const refused = assert.rejects(add('b1', stop.signal), { code: 'withdrawn' });
  stop.abort();
  await refused;
  await assert.rejects(add('b2', stop.signal), { code: 'withdrawn' });
  await end('a1');
  assert.deepEqual(begun, ['a1']);
  assert.deepEqual(line.census(), { working: 0, waiting: 0 });
});

test('random arrivals, ends and withdrawals keep the limits, and each work settles', async () => {
  const actions = fc.array(fc.tuple(fc.constantFrom('add', 'end', 'stop'), fc.nat(20)), { maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(actions, async (taken) => {
      const { line, add, begun, end } = bench({ atOnce: 3, perGroup: 2, waiting: 50 });
      const stops = new Map<string, AbortController>();
      const ended = new Set<string>();
      let settled = 0;
      const running = () => begun.filter((name) => !ended.has(name));
      const finish = async (name: string) => {
        ended.add(name);
        await end(name);
      };
      for (const [what, choice] of taken) {
        if (what === 'add') {
          const name = `${'abc'[choice % 3]}${stops.size}`;
          stops.set(name, new AbortController());
          const count = () => settled++;
          add(name, stops.get(name)!.signal).then(count, count);
        } else if (what === 'end') {
          const one = running()[choice % 3];
          if (one !== undefined) await finish(one);
        } else [...stops.values()][choice]?.abort();
        assert.ok(line.census().working <= 3);
        for (const group of 'abc') assert.ok(running().filter((name) => name[0] === group).length <= 2);
      }
      for (let one = running()[0]; one !== undefined; one = running()[0]) await finish(one);
      assert.deepEqual(line.census(), { working: 0, waiting: 0 });
      assert.equal(settled, stops.size);
    }),
    { numRuns: 200 },
  );
});
