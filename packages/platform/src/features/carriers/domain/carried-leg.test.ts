import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LegEnd } from '@jackfield/ports';
import fc from 'fast-check';
import {
  type CarriedLeg,
  type CarriedLegEffect,
  type CarriedLegInput,
  carriedLegMachine,
  newCarriedLeg,
} from './carried-leg.ts';

const names = ['alpha', 'beta', 'gamma'];

/** A leg and everything that was ordered for it, in words. */
class Leg {
  state: CarriedLeg;
  now = 0;
  readonly orders: string[] = [];
  end: LegEnd | undefined;

  constructor(carriers: readonly string[] = names.slice(0, 2)) {
    this.state = newCarriedLeg(carriers.map((name) => ({ name, ringingWithinMs: 8000 })));
    this.take({ type: 'dialled' });
  }

  take(input: CarriedLegInput): this {
    const { state, effects } = carriedLegMachine.step(this.state, input, this.now);
    this.state = state;
    for (const effect of effects) this.#note(effect);
    return this;
  }

  reserved(): this {
    return this.take({ type: 'reserved' });
  }

  ended(end: LegEnd): this {
    return this.take({ type: 'ended', end });
  }

  #note(effect: CarriedLegEffect): void {
    if (effect.do === 'tell-end') this.end = effect.end;
    const what = 'carrier' in effect ? ` ${effect.carrier}` : effect.do === 'tell' ? ` ${effect.notice}` : '';
    if (!effect.do.endsWith('timer')) this.orders.push(`${effect.do}${what}`);
  }
}

const rejected = (sipStatus: number): LegEnd => ({ by: 'rejected', sipStatus });

describe('a leg through carriers', () => {
  it('is reserved before it is invited, and goes on to the next carrier after 408 and 5xx', () => {
    for (const status of [408, 500, 503, 599]) {
      const leg = new Leg().reserved().ended(rejected(status)).reserved();
      assert.deepEqual(leg.orders, [
        'reserve alpha',
        'invite alpha',
        'settle alpha',
        'tell-passed',
        'reserve beta',
        'invite beta',
      ]);
    }
  });

  it('goes on after a transport that failed, and after silence', () => {
    for (const by of ['transport-failed', 'no-response'] as const) {
      assert.equal(new Leg().reserved().ended({ by }).orders.at(-1), 'reserve beta');
    }
  });

  it('goes on when nothing has rung within its time, however late the end of that try comes', () => {
    const leg = new Leg().reserved().take({ type: 'timer-fired' });
    assert.equal(leg.orders.at(-1), 'hang-up');
    leg.ended({ by: 'local' }).reserved();
    assert.equal(leg.orders.at(-1), 'invite beta');
  });

  it('stays after every other answer: whoever is called has decided', () => {
    for (const status of [302, 403, 404, 480, 486, 487, 600, 603]) {
      const leg = new Leg().reserved().ended(rejected(status));
      assert.deepEqual(leg.end, { by: 'rejected', sipStatus: status, carrier: 'alpha' });
    }
  });

  it('never goes on once it rang or was answered', () => {
    const rang = new Leg().reserved().take({ type: 'ringing' }).ended(rejected(503));
    assert.deepEqual(rang.end, { by: 'rejected', sipStatus: 503, carrier: 'alpha' });
    const answered = new Leg().reserved().take({ type: 'answered' }).ended({ by: 'dialog-lost' });
    assert.deepEqual(answered.end, { by: 'dialog-lost', carrier: 'alpha' });
    assert.equal(
      new Leg().reserved().take({ type: 'ringing' }).take({ type: 'timer-fired' }).state.phase,
      'taken',
    );
  });

  it('ends as the last carrier that was asked has ended it', () => {
    const leg = new Leg().reserved().ended(rejected(503)).reserved().ended(rejected(500));
    assert.deepEqual(leg.end, { by: 'rejected', sipStatus: 500, carrier: 'beta' });
    const silent = new Leg().reserved().ended({ by: 'no-response' });
    silent.take({ type: 'passed-over', because: 'concurrent-calls' });
    assert.deepEqual(silent.end, { by: 'no-response', carrier: 'alpha' });
  });

  it('ends with the first cap where nobody was asked, and with no route where nobody is there', () => {
    const capped = new Leg()
      .take({ type: 'passed-over', because: 'spend-per-hour' })
      .take({ type: 'passed-over', because: 'calls-per-second' });
    assert.deepEqual(capped.end, { by: 'not-carried', refusal: 'spend-per-hour' });
    const out = new Leg()
      .take({ type: 'passed-over', because: 'unreachable' })
      .take({ type: 'passed-over', because: 'unreachable' });
    assert.deepEqual(out.end, { by: 'not-carried', refusal: 'no-route' });
    assert.deepEqual(new Leg([]).end, { by: 'not-carried', refusal: 'no-route' });
  });

  it('that is hung up while its cost is written calls nobody, and keeps no reservation', () => {
    const leg = new Leg().take({ type: 'hang-up' });
    assert.equal(leg.end, undefined);
    leg.reserved();
    assert.deepEqual(leg.orders, ['reserve alpha', 'settle alpha', 'tell-end']);
    assert.deepEqual(leg.end, { by: 'local' });
  });

  it('that is hung up while one carrier is tried goes on to no other', () => {
    const leg = new Leg().reserved().take({ type: 'hang-up' }).ended(rejected(503));
    assert.deepEqual(leg.end, { by: 'rejected', sipStatus: 503, carrier: 'alpha' });
    const late = new Leg().reserved().take({ type: 'timer-fired' }).take({ type: 'hang-up' });
    assert.deepEqual(late.ended({ by: 'local' }).end, { by: 'local', carrier: 'alpha' });
  });

  it('is settled by the time from its answer to its end', () => {
    const leg = new Leg().reserved().take({ type: 'ringing' });
    leg.now = 5000;
    leg.take({ type: 'answered' });
    leg.now = 65_000;
    const { effects } = carriedLegMachine.step(
      leg.state,
      { type: 'ended', end: { by: 'remote-bye' } },
      leg.now,
    );
    assert.deepEqual(effects[1], { do: 'settle', carrier: 'alpha', answeredMs: 60_000 });
  });

  it('settles each reservation once and ends once, in whatever order things happen', () => {
    const inputs = fc.array(
      fc.oneof(
        fc.constantFrom<CarriedLegInput>(
          { type: 'ringing' },
          { type: 'answered' },
          { type: 'hang-up' },
          { type: 'timer-fired' },
        ),
        fc
          .constantFrom<LegEnd>(rejected(503), rejected(486), { by: 'local' }, { by: 'no-response' })
          .map((end): CarriedLegInput => ({ type: 'ended', end })),
        fc.constantFrom<CarriedLegInput>(
          { type: 'reserved' },
          { type: 'passed-over', because: 'calls-per-second' },
        ),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(inputs, (walk) => {
        const leg = new Leg(names);
        const holds = new Set<string>();
        let invited = 0;
        let told = 0;
        let seen = 0;
        for (const input of walk) {
          // The books answer a question that was asked, and nothing else.
          const isAnswer = input.type === 'reserved' || input.type === 'passed-over';
          if (isAnswer !== (leg.state.phase === 'reserving' && isAnswer)) continue;
          if (input.type === 'reserved') holds.add(leg.state.carriers[0]!.name);
          leg.take(input);
          for (const order of leg.orders.slice(seen)) {
            const [what, carrier = ''] = order.split(' ');
            if (what === 'settle')
              assert.ok(holds.delete(carrier), `${carrier} is settled without a reservation`);
            if (what === 'invite') assert.ok(holds.has(carrier) && ++invited <= names.length);
            if (what === 'tell-end') told++;
          }
          seen = leg.orders.length;
        }
        assert.ok(told <= 1);
        assert.equal(told === 1, leg.state.phase === 'ended');
        if (leg.state.phase === 'ended') assert.equal(holds.size, 0);
        assert.ok(holds.size <= 1);
      }),
    );
  });
});
