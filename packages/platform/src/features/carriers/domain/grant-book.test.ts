import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CarrierCaps } from './carrier.ts';
import {
  type GrantBook,
  type GrantBookEffect,
  type GrantBookInput,
  grantBookMachine,
  newGrantBook,
} from './grant-book.ts';

const caps: CarrierCaps = { callsPerSecond: undefined, concurrentCalls: 10, spendPerHour: 1000 };

/** A book and its inputs. */
function bookWith(given: CarrierCaps = caps) {
  let state: GrantBook = newGrantBook(given, 0);
  return {
    get state() {
      return state;
    },
    feed(now: number, input: GrantBookInput): readonly GrantBookEffect[] {
      const stepped = grantBookMachine.step(state, input, now);
      state = stepped.state;
      return stepped.effects;
    },
  };
}

const call = (leg: string, worstCase = 100): GrantBookInput => ({
  type: 'call-requested',
  call: { leg, worstCase },
});
const granted = (calls: number, units: number, starts = 9): GrantBookInput => ({
  type: 'granted',
  budget: { calls, units },
  starts,
});
const ended = (leg: string, cost: number): GrantBookInput => ({
  type: 'call-ended',
  leg,
  worstCase: 100,
  cost,
});
const requestOf = (effects: readonly GrantBookEffect[]) => {
  const found = effects.find((each) => each.do === 'request');
  return found?.do === 'request' ? found : undefined;
};

describe('the book of granted budgets', () => {
  it('asks before the first call, and admits calls within the budget without asking', () => {
    const book = bookWith();
    assert.deepEqual(requestOf(book.feed(0, call('one'))), {
      do: 'request',
      number: 1,
      request: { keep: { calls: 0, units: 0 }, need: { calls: 1, units: 100 }, starts: 1 },
      costs: [],
    });
    assert.deepEqual(book.feed(1, granted(2, 250)).slice(0, 1), [{ do: 'admit', leg: 'one' }]);
    assert.deepEqual(book.feed(2, call('two')), [{ do: 'admit', leg: 'two' }]);
    const next = requestOf(book.feed(3, call('three')))?.request;
    assert.deepEqual(next, { keep: { calls: 2, units: 250 }, need: { calls: 3, units: 300 }, starts: 1 });
  });

  it('refuses with the cap that the grant does not reach', () => {
    const book = bookWith();
    book.feed(0, call('one'));
    assert.deepEqual(book.feed(1, granted(0, 100))[0], {
      do: 'refuse',
      leg: 'one',
      reached: 'concurrent-calls',
    });
    book.feed(2, call('two'));
    assert.deepEqual(book.feed(3, granted(1, 99))[0], {
      do: 'refuse',
      leg: 'two',
      reached: 'spend-per-hour',
    });
  });

  it('sends one request at a time, and the next for the calls that came meanwhile', () => {
    const book = bookWith();
    book.feed(0, call('one'));
    assert.deepEqual(book.feed(1, call('two')), []);
    const effects = book.feed(2, granted(1, 100));
    assert.deepEqual(effects[0], { do: 'admit', leg: 'one' });
    assert.deepEqual(requestOf(effects)?.request.need, { calls: 2, units: 200 });
  });
});

describe('the book of granted budgets, after calls', () => {
  it('reports costs a second after the end, together, and uses the freed calls at once', () => {
    const book = bookWith();
    book.feed(0, call('one'));
    book.feed(0, granted(1, 100));
    assert.deepEqual(book.feed(1_000, ended('one', 30)), [{ do: 'start-timer', at: 2_000 }]);
    const request = requestOf(book.feed(2_000, { type: 'timer-fired' }));
    assert.deepEqual(request?.costs, [{ leg: 'one', cost: 30 }]);
    assert.equal(request?.request.keep.units, 70);
    book.feed(2_001, granted(0, 0));
    assert.deepEqual(book.state.used, { calls: 0, units: 0 });
  });

  it('repeats costs and totals after a request without an answer', () => {
    const book = bookWith();
    book.feed(0, call('one'));
    book.feed(0, granted(2, 300));
    book.feed(100, ended('one', 30));
    const first = requestOf(book.feed(1_100, { type: 'timer-fired' }));
    book.feed(1_200, { type: 'request-failed' });
    const again = requestOf(book.feed(2_200, { type: 'timer-fired' }));
    assert.deepEqual(again, { ...first, number: 3 });
  });

  it('returns what no call has used for five seconds, and does not use it from then on', () => {
    const book = bookWith();
    book.feed(0, call('one'));
    const effects = book.feed(0, granted(4, 400));
    assert.deepEqual(effects[1], { do: 'start-timer', at: 5_000 });
    const { request } = requestOf(book.feed(5_000, { type: 'timer-fired' }))!;
    assert.deepEqual(request.need, { calls: 1, units: 100 });
    assert.equal(requestOf(book.feed(5_001, call('two'))), undefined);
    book.feed(5_002, { type: 'request-failed' });
    assert.ok(requestOf(book.feed(6_002, { type: 'timer-fired' })), 'the return is repeated');
  });

  it('refuses the calls that wait when the database is away', () => {
    const book = bookWith();
    book.feed(0, call('one'));
    assert.deepEqual(book.feed(1, { type: 'request-failed' })[0], {
      do: 'refuse',
      leg: 'one',
      reached: 'broken',
    });
  });

  it('asks for each call where starts are limited, and uses no start later than half a second after it asked', () => {
    const book = bookWith({ ...caps, callsPerSecond: 2 });
    book.feed(0, call('one'));
    book.feed(0, call('two'));
    const effects = book.feed(500, granted(5, 500, 1));
    assert.deepEqual(effects[0], { do: 'admit', leg: 'one' });
    book.feed(1_001, granted(5, 500, 1));
    assert.equal(book.state.live, 1);
    book.feed(2_000, call('three'));
    assert.deepEqual(book.feed(2_010, granted(5, 500, 0))[0], {
      do: 'refuse',
      leg: 'three',
      reached: 'calls-per-second',
    });
  });

  it('returns all but the live calls when it closes, and reports those that end later', () => {
    const book = bookWith();
    book.feed(0, call('one'));
    book.feed(0, granted(4, 400));
    assert.deepEqual(requestOf(book.feed(10, { type: 'closed' }))?.request.need, { calls: 1, units: 100 });
    book.feed(11, granted(1, 100));
    const last = requestOf(book.feed(12, ended('one', 5)));
    assert.deepEqual([last?.costs, last?.request.need], [[{ leg: 'one', cost: 5 }], { calls: 0, units: 0 }]);
  });
});
