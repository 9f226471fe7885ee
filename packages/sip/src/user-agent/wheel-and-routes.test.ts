import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Flow } from '../message/flow.ts';
import { createRoutes, routesWithin } from './routes.ts';
import { type HostTarget, type Route, type Routes, routeOfTarget, routeOfUri } from './send-target.ts';
import { SlotLists, type SlotMember } from './slot-lists.ts';
import { createTimerWheel } from './timer-wheel.ts';

interface Member extends SlotMember<Member> {}
const member = (tick: number): Member => ({ tick, slot: -1, previous: undefined, next: undefined });

describe('the lists of a timer wheel', () => {
  it('agree with a plain list by slot, in any order of links and unlinks', () => {
    const step = fc.record({ tick: fc.nat(300), removes: fc.option(fc.nat(40)) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.nat(200), (steps, from) => {
        const slots = 64;
        const lists = new SlotLists<Member>(slots);
        const linked: Member[] = [];
        for (const { tick, removes } of steps) {
          const added = member(tick);
          lists.link(added);
          linked.push(added);
          const [gone] = removes === null ? [] : linked.splice(removes, 1);
          if (gone === undefined) continue;
          lists.unlink(gone);
          assert.deepEqual([gone.slot, gone.previous, gone.next], [-1, undefined, undefined]);
        }
        for (let slot = 0; slot < slots; slot++) {
          const found: Member[] = [];
          for (let each = lists.head(slot); each !== undefined; each = each.next) found.push(each);
          assert.deepEqual(
            found.map(({ tick }) => tick),
            linked.filter(({ tick }) => tick % slots === slot).map(({ tick }) => tick),
          );
        }
        const occupied = new Set(linked.map(({ tick }) => tick % slots));
        let next = from + 1;
        while (next <= from + slots && !occupied.has(next % slots)) next++;
        assert.equal(lists.nextOccupied(from), next);
      }),
      { numRuns: 60 },
    );
  });

  for (const [rule, ticks, from, next] of [
    ['the next tick of the same word', [5], 4, 5],
    ['the last bit of a word', [31], 0, 31],
    ['the first bit of the next word', [32], 31, 32],
    ['its own slot is found one turn later', [7], 7, 71],
    ['around the end of the wheel', [64], 63, 64],
    ['nothing at all', [], 10, 75],
  ] as const) {
    it(`after ${from}: ${rule}`, () => {
      const lists = new SlotLists<Member>(64);
      for (const tick of ticks) lists.link(member(tick));
      assert.equal(lists.nextOccupied(from), next);
    });
  }
});

describe('a timer wheel on a clock', () => {
  function bench(options: { slotMs?: number; slots?: number } = {}) {
    let now = 1_000_000;
    let armed: { at: number; fire: () => void } | undefined;
    let arms = 0;
    const fired: string[] = [];
    const wheel = createTimerWheel<string>({
      clock: {
        now: () => now,
        startTimer(at, fire) {
          const mine = { at, fire };
          armed = mine;
          arms++;
          return () => {
            if (armed === mine) armed = undefined;
          };
        },
      },
      fire(owner, key) {
        fired.push(`${owner} ${key} ${now}`);
        if (owner === 'throws') throw new Error('of the owner');
      },
      ...options,
    });
    return {
      wheel,
      fired,
      start: (owner: string, inMs: number) => wheel.start(owner, 'k', now + inMs),
      armedIn: () => (armed === undefined ? undefined : armed.at - now),
      arms: () => arms,
      /** Lets time pass to the clock timers one after another. */
      run(ms: number) {
        const until = now + ms;
        while (armed !== undefined && armed.at <= until) {
          const { at, fire } = armed;
          armed = undefined;
          now = Math.max(now, at);
          fire();
        }
        now = until;
      },
    };
  }

  for (const [rule, inMs, firesMs] of [
    ['on a slot fires in it', 100, 100],
    ['between two slots fires in the later one', 101, 110],
    ['that is due now fires in the next slot', 0, 10],
    ['that is overdue fires in the next slot', -5000, 10],
    ['of more than a turn fires in its turn', 41_000, 41_000],
    ['of exactly a turn', 40_960, 40_960],
    ['of three turns and a half', 143_360, 143_360],
  ] as const) {
    it(`a timer ${rule}`, () => {
      const { start, fired, run } = bench();
      start('a', inMs);
      run(firesMs - 1);
      assert.deepEqual(fired, []);
      run(1);
      assert.deepEqual(fired, [`a k ${1_000_000 + firesMs}`]);
    });
  }

  it('timers of one slot fire in the order of their start', () => {
    const { start, fired, run } = bench();
    for (const owner of ['a', 'b', 'c']) start(owner, 50);
    run(50);
    assert.deepEqual(
      fired.map((each) => each[0]),
      ['a', 'b', 'c'],
    );
  });

  it('an earlier timer rearms the clock, a later one does not, and none leaves it', () => {
    const { start, wheel, armedIn, arms } = bench();
    const first = start('a', 500);
    assert.deepEqual([armedIn(), arms()], [500, 1]);
    const late = start('b', 900);
    assert.equal(arms(), 1);
    const early = start('c', 100);
    assert.deepEqual([armedIn(), arms()], [100, 2]);
    for (const timer of [first, late, early, early]) wheel.cancel(timer);
    assert.deepEqual([armedIn(), wheel.size()], [undefined, 0]);
  });

  it('an owner that throws ends its round, and the others fire in the next', () => {
    const { start, fired, run, wheel } = bench();
    start('throws', 20);
    start('b', 20);
    start('c', 30);
    assert.throws(() => run(20), /of the owner/);
    assert.equal(wheel.size(), 2);
    run(50_000);
    assert.deepEqual(fired.map((each) => each.split(' ')[0]).sort(), ['b', 'c', 'throws']);
  });

  it('a closed wheel fires nothing and cancels without harm', () => {
    const { start, wheel, fired, run, armedIn } = bench({ slots: 64, slotMs: 10 });
    const timers = [10, 200, 5000].map((ms, n) => start(`${n}`, ms));
    wheel.close();
    for (const timer of timers) wheel.cancel(timer);
    run(10_000);
    assert.deepEqual([fired, wheel.size(), armedIn()], [[], 0, undefined]);
  });
});

const flow = (id: string): Flow => ({ id, protocol: 'udp', reliable: false }) as Flow;
const hostOf = (route: Route | undefined): string | undefined =>
  route === undefined
    ? undefined
    : 'host' in route.target
      ? `${route.protocol} ${route.target.host}:${route.target.port}`
      : `flow ${route.target.flow}`;

describe('the route of a URI', () => {
  for (const [uri, route] of [
    ['sip:192.0.2.1', 'udp 192.0.2.1:5060'],
    ['sip:example.com:70;transport=TCP', 'tcp example.com:70'],
    ['sip:example.com;transport=tls', 'tls example.com:5061'],
    ['sips:example.com', 'tls example.com:5061'],
    ['sips:example.com;transport=tcp', 'tls example.com:5061'],
    ['sips:example.com;transport=udp', undefined],
    ['sip:example.com;transport=ws', undefined],
    ['sip:a;maddr=[2001:db8::1]', 'udp 2001:db8::1:5060'],
    ['tel:+1', undefined],
    ['garbage', undefined],
  ] as const) {
    it(`${uri}: ${route ?? 'none'}`, () => assert.equal(hostOf(routeOfUri(uri)), route));
  }

  it('over TLS the certificate must name the host of the URI, also with maddr', () => {
    const { target } = routeOfUri('sips:example.com;maddr=192.0.2.1')!;
    assert.deepEqual(target, { protocol: 'tls', host: '192.0.2.1', port: 5061, identity: 'example.com' });
  });

  for (const [rule, flowId, uri, expected] of [
    ['a live flow takes precedence over the URI', 'alive', 'sip:example.com', 'flow alive'],
    ['a dead flow leaves the URI', 'dead', 'sip:192.0.2.1', 'udp 192.0.2.1:5060'],
    ['a name is looked up', undefined, 'sip:example.com', 'located sip:example.com'],
    ['a name behind a dead flow is looked up', 'dead', 'sip:example.com', 'located sip:example.com'],
    ['an address is not', undefined, 'sip:192.0.2.1', 'udp 192.0.2.1:5060'],
    [
      'a name with an address in maddr is not',
      undefined,
      'sip:example.com;maddr=192.0.2.1',
      'udp 192.0.2.1:5060',
    ],
    [
      'an address with a name in maddr is',
      undefined,
      'sip:192.0.2.1;maddr=example.com',
      'located sip:192.0.2.1;maddr=example.com',
    ],
    ['a tel URI has none', undefined, 'tel:+1', ''],
  ] as const) {
    it(`of a new request: ${rule}`, () => {
      const routes = createRoutes({
        flow: (id) => (id === 'alive' ? flow(id) : undefined),
        locate: (text, found) => found([{ protocol: 'udp', host: `located ${text}`, port: 0 }]),
      });
      let seen = '?';
      routes.all(flowId, uri, (all) => {
        seen = all.map((route) => hostOf(route)!.replace(/^udp (located .*):0$/, '$1')).join();
      });
      assert.equal(seen, expected);
    });
  }
});

describe('the routes of a call whose target an outsider chose', () => {
  const to = (host: string): Route =>
    routeOfTarget({ protocol: 'udp', host, port: 5060 } satisfies HostTarget);
  const onFlow: Route = { target: { flow: 'f' }, protocol: 'udp', reliable: false };
  const reaches = (address: string): boolean => address.startsWith('203.');
  const ways = (routes: readonly Route[]): Routes => ({
    one: () => routes[0],
    all: (_flow, _uri, found) => found(routes),
  });
  const all = (routes: readonly Route[]): (string | undefined)[] => {
    let seen: readonly Route[] = [];
    routesWithin(ways(routes), reaches).all(undefined, 'sip:x', (found) => {
      seen = found;
    });
    return seen.map(hostOf);
  };

  for (const [rule, routes, expected] of [
    ['an allowed address', [to('203.0.113.1')], ['udp 203.0.113.1:5060']],
    ['a refused address', [to('10.0.0.1')], []],
    ['one refused address refuses all of its name', [to('203.0.113.1'), to('10.0.0.1')], []],
    ['a name without a lookup', [to('example.com')], []],
    ['a flow is open', [onFlow], ['flow f']],
    ['no route', [], []],
  ] as const) {
    it(`${rule}: ${expected.length === 0 ? 'nothing is sent' : expected.join()}`, () =>
      assert.deepEqual(all(routes), expected));
  }

  it('a later refused target goes to that of the INVITE, and before any to the source', () => {
    const routes: Route[] = [to('10.0.0.1')];
    const within = routesWithin(ways(routes), reaches, onFlow);
    assert.equal(hostOf(within.one(undefined, 'sip:x')), 'flow f');
    routes[0] = to('203.0.113.7');
    within.all(undefined, 'sip:x', () => {});
    routes[0] = to('10.0.0.1');
    assert.equal(hostOf(within.one(undefined, 'sip:x')), 'udp 203.0.113.7:5060');
    routes.length = 0;
    assert.equal(hostOf(within.one(undefined, 'sip:x')), 'udp 203.0.113.7:5060');
  });
});
