import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BanList } from './ban-list.ts';
import { createCallSlots } from './call-slots.ts';
import { FailureDelays } from './failure-delays.ts';
import { KnownFlows } from './known-flows.ts';
import { SourceRate } from './source-rate.ts';

describe('The rate of a source', () => {
  const limits = { perSecond: 2, burst: 3, maxKeys: 2 };

  it('an idle source has its whole burst, and then as many tokens as the time gives', () => {
    const rate = new SourceRate(limits);
    const taken = [0, 0, 0, 0, 499, 500, 500, 1_000, 1_000].map((now) => rate.take('a', now));
    assert.deepEqual(taken, [true, true, true, false, false, true, false, true, false]);
  });

  it('a long pause gives one burst, no more', () => {
    const rate = new SourceRate(limits);
    for (let n = 0; n < 3; n += 1) rate.take('a', 0);
    const taken = [1, 2, 3, 4].map(() => rate.take('a', 3_600_000));
    assert.deepEqual(taken, [true, true, true, false]);
  });

  it('a clock that goes back gives no tokens and takes none', () => {
    const rate = new SourceRate({ ...limits, burst: 1 });
    assert.equal(rate.take('a', 1_000), true);
    assert.equal(rate.take('a', 0), false);
    assert.equal(rate.take('a', 400), false);
    assert.equal(rate.take('a', 500), true);
  });

  it('sources do not share tokens, and the longest idle source is forgotten first', () => {
    const rate = new SourceRate({ ...limits, burst: 1 });
    assert.equal(rate.take('a', 0), true);
    assert.equal(rate.take('b', 0), true);
    assert.equal(rate.take('a', 0), false);
    assert.equal(rate.take('c', 0), true);
    assert.equal(rate.size, 2);
    assert.equal(rate.take('a', 0), false);
    assert.equal(rate.take('b', 0), true);
  });

  it('a forgotten source begins with its whole burst', () => {
    const rate = new SourceRate({ ...limits, burst: 1 });
    rate.take('a', 0);
    rate.forget('a');
    assert.equal(rate.size, 0);
    assert.equal(rate.take('a', 0), true);
  });
});

describe('The list of banned sources', () => {
  const limits = { failures: 2, banMs: 1_000, maxSources: 2 };

  it('a source is banned for the failure after the allowed ones, until the ban ends', () => {
    const bans = new BanList(limits);
    assert.deepEqual(
      [0, 0, 0].map((now) => bans.failed('a', now)),
      [false, false, true],
    );
    assert.deepEqual(
      [0, 999, 1_000].map((now) => bans.isBanned('a', now)),
      [true, true, false],
    );
    assert.equal(bans.size, 0);
  });

  it('a failure during the ban neither counts nor extends it', () => {
    const bans = new BanList(limits);
    bans.ban('a', 0);
    assert.equal(bans.failed('a', 999), false);
    assert.equal(bans.ban('a', 999), false);
    assert.equal(bans.isBanned('a', 1_000), false);
  });

  it('after a ban the failures count from zero', () => {
    const bans = new BanList(limits);
    for (let n = 0; n < 3; n += 1) bans.failed('a', 0);
    assert.deepEqual(
      [1_000, 1_000, 1_000].map((now) => bans.failed('a', now)),
      [false, false, true],
    );
  });

  it('a length of zero disables bans', () => {
    const bans = new BanList({ ...limits, banMs: 0 });
    for (let n = 0; n < 5; n += 1) assert.equal(bans.failed('a', 0), false);
    assert.equal(bans.ban('a', 0), false);
    assert.equal(bans.isBanned('a', 0), false);
  });

  it('a full list forgets the oldest ban', () => {
    const bans = new BanList(limits);
    for (const [at, source] of ['a', 'b', 'c'].entries()) assert.equal(bans.ban(source, at), true);
    assert.deepEqual(
      ['a', 'b', 'c'].map((source) => bans.isBanned(source, 10)),
      [false, true, true],
    );
    assert.equal(bans.size, 2);
  });
});

describe('The delay of a refusal', () => {
  const limits = {
    failuresAnsweredAtOnce: 2,
    firstDelayMs: 100,
    maxDelayMs: 500,
    forgetMs: 10_000,
    maxRemembered: 2,
  };
  const repeated = (delays: FailureDelays, times: number, now = 0) =>
    Array.from({ length: times }, () => delays.failed('a', 'alice', now));

  it('doubles after the failures that are answered at once, up to the longest', () => {
    assert.deepEqual(repeated(new FailureDelays(limits), 7), [0, 0, 100, 200, 400, 500, 500]);
  });

  it('stays at the longest however many failures follow', () => {
    assert.equal(repeated(new FailureDelays(limits), 2_000).at(-1), 500);
  });

  it('begins anew after a success, and after a pause', () => {
    const delays = new FailureDelays(limits);
    repeated(delays, 4);
    delays.succeeded('a', 'alice');
    assert.deepEqual(repeated(delays, 3), [0, 0, 100]);
    assert.deepEqual(repeated(delays, 1, 9_999), [200]);
    assert.deepEqual(repeated(delays, 3, 19_999), [0, 0, 100]);
  });

  it('counts each pair of source and user separately', () => {
    const delays = new FailureDelays({ ...limits, maxRemembered: 10 });
    repeated(delays, 4);
    assert.equal(delays.failed('a', 'bob', 0), 0);
    assert.equal(delays.failed('b', 'alice', 0), 0);
    assert.equal(delays.failed('a', 'alice', 0), 400);
    assert.equal(delays.size, 3);
  });

  it('forgets the pair whose last failure is oldest', () => {
    const delays = new FailureDelays(limits);
    repeated(delays, 3);
    delays.failed('b', 'bob', 1);
    delays.failed('a', 'alice', 2);
    delays.failed('c', 'carol', 3);
    assert.equal(delays.size, 2);
    assert.equal(delays.failed('a', 'alice', 4), 400);
    assert.equal(delays.failed('b', 'bob', 5), 0);
  });
});

describe('Flows on which a sender has authenticated', () => {
  it('are known for a time from the last authentication on', () => {
    const flows = new KnownFlows({ keepMs: 100, maxFlows: 2 });
    flows.add('a', 0);
    flows.add('a', 50);
    assert.deepEqual(
      [0, 149, 150].map((now) => flows.has('a', now)),
      [true, true, false],
    );
    flows.remove('a');
    assert.equal(flows.size, 0);
  });

  it('leave the table with the oldest authentication first', () => {
    const flows = new KnownFlows({ keepMs: 100, maxFlows: 2 });
    for (const flow of ['a', 'b', 'a', 'c']) flows.add(flow, 0);
    assert.deepEqual(
      ['a', 'b', 'c'].map((flow) => flows.has(flow, 0)),
      [true, false, true],
    );
  });
});

describe('Slots for incoming calls', () => {
  const limits = { callsPerSource: 2, callsPerAccount: 3, externalCalls: 2, externalCallsPerAccount: 1 };
  type Asked = readonly [source: string | undefined, account: string, isExternal?: boolean];
  const cases: readonly (readonly [string, readonly Asked[], readonly boolean[]])[] = [
    [
      'one source has its limit',
      [
        ['s', 'A'],
        ['s', 'B'],
        ['s', 'C'],
      ],
      [true, true, false],
    ],
    [
      'one account has its limit',
      [
        ['s', 'A'],
        ['t', 'A'],
        ['u', 'A'],
        ['v', 'A'],
      ],
      [true, true, true, false],
    ],
    [
      'a source without a name has none',
      [
        [undefined, 'A'],
        [undefined, 'B'],
        [undefined, 'C'],
      ],
      [true, true, true],
    ],
    [
      'external calls to one account have a limit',
      [
        ['s', 'A', true],
        ['t', 'A', true],
      ],
      [true, false],
    ],
    [
      'external calls in all have a limit',
      [
        ['s', 'A', true],
        ['t', 'B', true],
        ['u', 'C', true],
      ],
      [true, true, false],
    ],
    [
      'a refused call uses no slot',
      [
        ['s', 'A', true],
        ['t', 'A', true],
        ['t', 'B'],
        ['t', 'C'],
      ],
      [true, false, true, true],
    ],
  ];
  for (const [name, asked, expected] of cases) {
    it(name, () => {
      const slots = createCallSlots(limits);
      const frees = asked.map((call) => slots.take(...call));
      assert.deepEqual(
        frees.map((free) => free !== undefined),
        expected,
      );
      assert.equal(slots.taken, expected.filter(Boolean).length);
      for (const free of frees) free?.();
      assert.equal(slots.taken, 0);
    });
  }

  it('a slot is freed once, however often its function is called', () => {
    const slots = createCallSlots({ ...limits, callsPerSource: 1 });
    const free = slots.take('s', 'A');
    free?.();
    assert.ok(slots.take('s', 'A'));
    free?.();
    assert.equal(slots.take('s', 'A'), undefined);
    assert.equal(slots.taken, 1);
  });
});
