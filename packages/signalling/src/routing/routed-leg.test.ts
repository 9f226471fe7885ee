import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LegEnd } from '@jackfield/ports';
import fc from 'fast-check';
import {
  newRoutedLeg,
  type RoutedLeg,
  type RoutedLegEffect,
  type RoutedLegInput,
  routedLegMachine,
} from './routed-leg.ts';

const withinMs = 8000;

/** A leg and all its effects, in words. */
class Leg {
  state: RoutedLeg;
  now = 0;
  readonly orders: string[] = [];
  /** With the last target that was called. */
  end: (LegEnd & { readonly at?: number }) | undefined;

  constructor(targets = 2) {
    this.state = newRoutedLeg(new Array(targets).fill({ ringingWithinMs: withinMs }));
    this.take({ type: 'dialled' });
  }

  take(input: RoutedLegInput): this {
    const { state, effects } = routedLegMachine.step(this.state, input, this.now);
    this.state = state;
    for (const effect of effects) this.#note(effect);
    return this;
  }

  reserved(): this {
    return this.take({ type: 'reserved' });
  }

  passedOver(end: LegEnd): this {
    return this.take({ type: 'passed-over', end });
  }

  /** Its time is over, and it has no further address. */
  silent(): this {
    return this.take({ type: 'timer-fired' }).take({ type: 'silent' });
  }

  ended(end: LegEnd): this {
    return this.take({ type: 'ended', end });
  }

  #note(effect: RoutedLegEffect): void {
    if (effect.do === 'report-end') {
      this.end = effect.at === undefined ? effect.end : { ...effect.end, at: effect.at };
    }
    if (effect.do.endsWith('timer') || effect.do === 'report-end') return;
    const what = effect.do === 'report' ? ` ${effect.notice}` : 'at' in effect ? ` ${effect.at}` : '';
    this.orders.push(`${effect.do}${what}`);
  }
}

const rejected = (sipStatus: number): LegEnd => ({ by: 'rejected', sipStatus });
const refused = (refusal: NonNullable<LegEnd['refusal']>): LegEnd => ({ by: 'not-carried', refusal });

describe('a leg over several targets', () => {
  it('reserves a target before it is invited, and goes on to the next after 401, 407, 408 and 5xx', () => {
    for (const status of [401, 407, 408, 500, 503, 599]) {
      const leg = new Leg().reserved().ended(rejected(status)).reserved();
      assert.deepEqual(leg.orders, [
        'reserve 0',
        'invite 0',
        'settle 0',
        'report-failure 0',
        'reserve 1',
        'invite 1',
      ]);
    }
  });

  it('reports until when a target that refused the call asks for no other one', () => {
    const { state } = new Leg().reserved();
    const end: LegEnd = { by: 'rejected', sipStatus: 503, retryAfterSeconds: 60 };
    const { effects } = routedLegMachine.step(state, { type: 'ended', end }, 0);
    assert.deepEqual(effects[2], {
      do: 'report-failure',
      at: 0,
      failure: { because: 'rejected', sipStatus: 503, retryAfterSeconds: 60 },
    });
  });

  it('goes on after a transport that failed, and after silence', () => {
    for (const by of ['transport-failed', 'no-response'] as const) {
      assert.equal(new Leg().reserved().ended({ by }).orders.at(-1), 'reserve 1');
    }
  });

  it('goes on when no target rings within its time, however late the end of that attempt is reported', () => {
    const leg = new Leg().reserved().silent();
    assert.equal(leg.orders.at(-1), 'hang-up');
    leg.ended({ by: 'local' }).reserved();
    assert.equal(leg.orders.at(-1), 'invite 1');
  });

  it('goes on when an answer crosses the hang-up of its target: it is settled and not reported', () => {
    const leg = new Leg().reserved().silent();
    leg.now = withinMs;
    leg.take({ type: 'answered' });
    leg.now += 70;
    const { effects } = routedLegMachine.step(leg.state, { type: 'ended', end: { by: 'local' } }, leg.now);
    assert.deepEqual(effects[1], { do: 'settle', at: 0, answeredMs: 70 });
    leg.ended({ by: 'local' }).reserved().take({ type: 'answered' });
    assert.deepEqual(leg.orders.slice(-2), ['invite 1', 'report leg-answered']);
    assert.equal(leg.orders.filter((each) => each.startsWith('report leg')).length, 1);
  });

  it('waits for a target without its own limit as long as the call does', () => {
    const state = newRoutedLeg([{}]);
    const { effects } = routedLegMachine.step(state, { type: 'reserved' }, 0);
    assert.deepEqual(effects, [{ do: 'invite', at: 0 }]);
  });

  it('keeps its target while that has another address, and gives it that time again', () => {
    const leg = new Leg().reserved().take({ type: 'timer-fired' });
    assert.equal(leg.orders.at(-1), 'next-address');
    const { state, effects } = routedLegMachine.step(leg.state, { type: 'waits', until: 16_000 }, withinMs);
    assert.deepEqual([state.phase, effects], ['trying', [{ do: 'start-timer', at: 16_000 }]]);
  });

  it('keeps a silent target that may be silent', () => {
    const limits = [{ ringingWithinMs: withinMs, mayBeSilent: true }] as const;
    const { state } = routedLegMachine.step(newRoutedLeg(limits), { type: 'reserved' }, 0);
    const { effects } = routedLegMachine.step(state, { type: 'timer-fired' }, withinMs);
    assert.deepEqual(effects, [{ do: 'next-address', silentMs: withinMs }]);
    assert.deepEqual(routedLegMachine.step(state, { type: 'silent' }, withinMs), { state, effects: [] });
  });

  it('ends after every other refusal: the called party has decided', () => {
    for (const status of [302, 403, 404, 480, 486, 487, 600, 603]) {
      const leg = new Leg().reserved().ended(rejected(status));
      assert.deepEqual(leg.end, { ...rejected(status), at: 0 });
    }
    assert.deepEqual(new Leg().reserved().ended({ by: 'media-failed' }).end, { by: 'media-failed', at: 0 });
  });

  it('never goes on once a target rang or answered', () => {
    const rang = new Leg().reserved().take({ type: 'ringing' }).ended(rejected(503));
    assert.deepEqual(rang.end, { ...rejected(503), at: 0 });
    const answered = new Leg().reserved().take({ type: 'answered' }).ended({ by: 'dialog-lost' });
    assert.deepEqual(answered.end, { by: 'dialog-lost', at: 0 });
    assert.equal(
      new Leg().reserved().take({ type: 'ringing' }).take({ type: 'timer-fired' }).state.phase,
      'taken',
    );
    const crossing = new Leg().reserved().take({ type: 'timer-fired' }).take({ type: 'ringing' });
    assert.equal(crossing.take({ type: 'silent' }).state.phase, 'taken');
  });

  it('ends with the end of the last called target; every failure is reported', () => {
    const leg = new Leg().reserved().ended({ by: 'no-response' }).reserved().ended(rejected(500));
    assert.deepEqual(leg.end, { ...rejected(500), at: 1 });
    assert.deepEqual(
      leg.orders.filter((each) => each.startsWith('report')),
      ['report-failure 0', 'report-failure 1'],
    );
    const silent = new Leg().reserved().silent().ended({ by: 'local' });
    silent.passedOver(refused('concurrent-calls'));
    assert.deepEqual(silent.end, { by: 'no-response', at: 0 });
  });

  it('ends with the first refusal if no target was called, and without a route if there was no refusal', () => {
    const capped = new Leg().passedOver(refused('spend-per-hour')).passedOver(refused('calls-per-second'));
    assert.deepEqual(capped.end, refused('spend-per-hour'));
    const late = new Leg().passedOver(refused('no-route')).passedOver(refused('caller-id'));
    assert.deepEqual(late.end, refused('caller-id'));
    const out = new Leg().passedOver(refused('no-route')).passedOver(refused('no-route'));
    assert.deepEqual(out.end, refused('no-route'));
    assert.deepEqual(new Leg(0).end, refused('no-route'));
  });

  it('that is hung up while a target is reserved calls no target, and keeps no reservation', () => {
    const leg = new Leg().take({ type: 'hang-up' });
    assert.equal(leg.end, undefined);
    leg.reserved();
    assert.deepEqual(leg.orders, ['reserve 0', 'settle 0']);
    assert.deepEqual(leg.end, { by: 'local' });
    assert.deepEqual(new Leg().take({ type: 'hang-up' }).passedOver(refused('caller-id')).end, {
      by: 'local',
    });
  });

  it('that is hung up while one target is tried goes on to no other', () => {
    const leg = new Leg().reserved().take({ type: 'hang-up' }).ended(rejected(503));
    assert.deepEqual(leg.end, { ...rejected(503), at: 0 });
    const late = new Leg().reserved().silent().take({ type: 'hang-up' });
    assert.deepEqual(late.ended({ by: 'local' }).end, { by: 'local', at: 0 });
  });

  it('settles its reservation with the time from its answer to its end', () => {
    const leg = new Leg().reserved().take({ type: 'ringing' });
    leg.now = 5000;
    leg.take({ type: 'answered' });
    leg.now = 65_000;
    const { effects } = routedLegMachine.step(
      leg.state,
      { type: 'ended', end: { by: 'remote-bye' } },
      leg.now,
    );
    assert.deepEqual(effects[1], { do: 'settle', at: 0, answeredMs: 60_000 });
  });

  it('settles each reservation once, calls each target at most once and in order, and ends once, whatever happens', () => {
    const inputs = fc.array(
      fc.oneof(
        fc.constantFrom<RoutedLegInput>(
          { type: 'ringing' },
          { type: 'answered' },
          { type: 'hang-up' },
          { type: 'timer-fired' },
          { type: 'waits', until: 1 },
          { type: 'silent' },
          { type: 'reserved' },
          { type: 'passed-over', end: refused('calls-per-second') },
        ),
        fc
          .constantFrom<LegEnd>(rejected(503), rejected(486), { by: 'local' }, { by: 'no-response' })
          .map((end): RoutedLegInput => ({ type: 'ended', end })),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(inputs, fc.integer({ min: 1, max: 3 }), (walk, targets) => {
        const leg = new Leg(targets);
        const held = new Set<string>();
        const invited: string[] = [];
        for (const input of walk) {
          // The owner answers each `reserve` once, and reports nothing else.
          const isAnswer = input.type === 'reserved' || input.type === 'passed-over';
          if (isAnswer && leg.state.phase !== 'reserving') continue;
          if (input.type === 'reserved') held.add(String(leg.state.at));
          const seen = leg.orders.length;
          const before = leg.end;
          leg.take(input);
          if (before !== undefined) assert.equal(leg.orders.length, seen, 'nothing is ordered after the end');
          for (const order of leg.orders.slice(seen)) {
            const [what, at = ''] = order.split(' ');
            if (what === 'settle') assert.ok(held.delete(at), `${at} is settled without a reservation`);
            if (what !== 'invite') continue;
            assert.ok(held.has(at));
            invited.push(at);
          }
        }
        assert.deepEqual(invited, [...new Set(invited)].sort());
        assert.equal(leg.end !== undefined, leg.state.phase === 'ended');
        assert.ok(held.size <= (leg.state.phase === 'ended' ? 0 : 1));
      }),
    );
  });
});
