import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type Answered, AnsweredTable } from './answered-table.ts';

const answered = (name: string, more: Partial<Answered> = {}): Answered => ({
  key: `key ${name}`,
  mergeKey: `merge ${name}`,
  flow: `udp-192.0.2.1-${name}`,
  limit: undefined,
  text: `SIP/2.0 200 OK\r\n${name}`,
  ...more,
});

test('An answered request is found by its key and merge key until its end', () => {
  const table = new AnsweredTable([1, 2]);
  const one = answered('1', { limit: 0, text: '' });
  const two = answered('2', { mergeKey: undefined });
  assert.equal(table.add(one, 100), true);
  assert.equal(table.add(two, 200), true);
  assert.deepEqual(table.find(one.key), one);
  assert.deepEqual(table.find(two.key), two);
  assert.equal(table.find('merge 1'), undefined);
  assert.equal(table.hasMerge('merge 1'), true);
  assert.equal(table.hasMerge('merge 2'), false);
  assert.equal(table.expire(99), 100);
  assert.equal(table.size, 2);
  assert.equal(table.expire(100), 200);
  assert.equal(table.find(one.key), undefined);
  assert.equal(table.hasMerge('merge 1'), false);
  assert.equal(table.expire(200), undefined);
  assert.equal(table.size, 0);
});

test('A text that is too long is refused and leaves nothing', () => {
  const table = new AnsweredTable([1, 2]);
  assert.equal(table.add(answered('1', { text: 'x'.repeat(100_000) }), 100), false);
  assert.equal(table.size, 0);
  assert.equal(table.expire(0), undefined);
});

test('The table holds what a map holds, while it grows and shrinks', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ add: fc.integer({ min: 1, max: 900 }) }) },
    { weight: 2, arbitrary: fc.record({ wait: fc.integer({ min: 1, max: 3_000 }) }) },
    { weight: 1, arbitrary: fc.record({ remove: fc.nat() }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), fc.integer(), (steps, secret) => {
      const table = new AnsweredTable([secret, secret ^ 0x5bd1e995]);
      const model = new Map<string, { readonly request: Answered; readonly end: number }>();
      let now = 0;
      let serial = 0;
      for (const each of steps) {
        if ('wait' in each) {
          now += each.wait;
          for (const [key, { end }] of model) if (end <= now) model.delete(key);
          table.expire(now);
        } else if ('remove' in each) {
          const key = `key ${each.remove % (serial + 1)}`;
          model.delete(key);
          table.remove(key);
        } else {
          for (let count = 0; count < each.add; count += 1) {
            const name = String(serial++);
            const request = answered(name, serial % 3 === 0 ? { mergeKey: undefined, limit: serial } : {});
            now += serial % 2;
            assert.ok(table.add(request, now + 2_000));
            model.set(request.key, { request, end: now + 2_000 });
          }
        }
        assert.equal(table.size, model.size);
        for (let name = serial - 3_000; name < serial; name += 7) {
          const known = model.get(`key ${name}`)?.request;
          assert.deepEqual(table.find(`key ${name}`), known);
          assert.equal(table.hasMerge(`merge ${name}`), known?.mergeKey !== undefined);
        }
      }
    }),
    { numRuns: 40 },
  );
});
