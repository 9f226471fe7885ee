import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type CarrierLink,
  type CarrierLinkEffect,
  type CarrierLinkInput,
  carrierLinkMachine,
  isPostponed,
  newCarrierLink,
} from './carrier-link.ts';

function walk(link: CarrierLink, ...inputs: readonly CarrierLinkInput[]) {
  let state = link;
  let effects: readonly CarrierLinkEffect[] = [];
  for (const input of inputs) ({ state, effects } = carrierLinkMachine.step(state, input, 0));
  return { state, effects };
}

const opened: CarrierLinkInput = { type: 'opened' };
const taken: CarrierLinkInput = { type: 'registration-taken' };
const registered: CarrierLinkInput = {
  type: 'register-settled',
  outcome: { type: 'registered', expiresSeconds: 600 },
  chance: 1,
};
const refused = (status: number, chance = 1): CarrierLinkInput => ({
  type: 'register-settled',
  outcome: { type: 'refused', status },
  chance,
});
const probed = (status: number | undefined): CarrierLinkInput => ({ type: 'probe-settled', status });
const emitted = (effects: readonly CarrierLinkEffect[]) =>
  effects.flatMap((each) => (each.do === 'report' ? [each.event.name] : []));

describe('a registration with a carrier', () => {
  it('is refreshed after four fifths of the granted time', () => {
    const { effects } = walk(newCarrierLink(3600, 0), taken, registered);
    assert.deepEqual(effects, [
      { do: 'start-timer', key: 'register', at: 480_000 },
      { do: 'report', event: { name: 'registered', expiresSeconds: 600 } },
    ]);
  });

  it('is reported once, not with every refresh', () => {
    const refreshed = walk(newCarrierLink(600, 0), taken, registered, registered);
    assert.deepEqual(emitted(refreshed.effects), []);
  });

  it('that is refused waits twice as long each time, up to half an hour, with chance', () => {
    const waits: number[] = [];
    let link = walk(newCarrierLink(600, 0), taken).state;
    for (let n = 0; n < 9; n++) {
      const step = walk(link, refused(403));
      link = step.state;
      const timer = step.effects.find((each) => each.do === 'start-timer');
      waits.push(timer?.at ?? 0);
      assert.deepEqual(emitted(step.effects), n === 0 ? ['unregistered'] : []);
    }
    assert.deepEqual(waits.slice(0, 4), [30_000, 60_000, 120_000, 240_000]);
    assert.equal(waits.at(-1), 1_800_000);
    assert.deepEqual(walk(newCarrierLink(600, 0), taken, refused(403, 0)).effects[0], {
      do: 'start-timer',
      key: 'register',
      at: 15_000,
    });
  });

  it('is repeated at once with the minimum of a 423, and only once', () => {
    const short: CarrierLinkInput = {
      type: 'register-settled',
      outcome: { type: 'refused', status: 423, minExpiresSeconds: 1800 },
      chance: 1,
    };
    assert.deepEqual(walk(newCarrierLink(600, 0), taken, short).effects, [
      { do: 'register', expiresSeconds: 1800 },
    ]);
    assert.deepEqual(emitted(walk(newCarrierLink(600, 0), taken, short, short).effects), ['unregistered']);
  });

  it('is removed at the end, and nothing is started after it', () => {
    const link = walk(newCarrierLink(600, 30), taken, registered).state;
    const closed = walk(link, { type: 'closed' });
    assert.deepEqual(closed.effects.at(-1), { do: 'register', expiresSeconds: 0 });
    assert.deepEqual(walk(closed.state, probed(200)).effects, []);
    const never = walk(newCarrierLink(600, 0), taken, { type: 'closed' });
    assert.ok(never.effects.every((each) => each.do === 'cancel-timer'));
  });

  it('belongs to one of several processes: given up, it is removed, and a late answer changes nothing', () => {
    const { state, effects } = walk(newCarrierLink(600, 0), taken, registered, { type: 'registration-left' });
    assert.deepEqual(effects, [
      { do: 'cancel-timer', key: 'register' },
      { do: 'register', expiresSeconds: 0 },
    ]);
    assert.deepEqual(walk(state, registered), { state, effects: [] });
  });
});

describe('the reach of a carrier', () => {
  it('is lost when OPTIONS is not answered, or with 408 and 503', () => {
    for (const status of [undefined, 408, 503]) {
      const { state, effects } = walk(newCarrierLink(undefined, 30), opened, probed(status));
      assert.equal(state.reach, 'unreachable');
      assert.deepEqual(emitted(effects), ['unreachable']);
      assert.deepEqual(effects[0], { do: 'start-timer', key: 'probe', at: 10_000 });
    }
  });

  it('holds with every other answer, also from a carrier that refuses OPTIONS', () => {
    for (const status of [200, 404, 405, 483, 501]) {
      const { state, effects } = walk(newCarrierLink(undefined, 30), opened, probed(status));
      assert.equal(state.reach, 'reachable');
      assert.deepEqual(emitted(effects), []);
      assert.deepEqual(effects[0], { do: 'start-timer', key: 'probe', at: 30_000 });
    }
  });

  it('is postponed for the Retry-After of a refused call, at most 5 minutes, whatever OPTIONS is answered with', () => {
    const refusing = (...seconds: readonly number[]) =>
      walk(
        newCarrierLink(undefined, 30),
        ...seconds.map((retryAfterSeconds) => ({ type: 'call-refused', retryAfterSeconds }) as const),
        probed(200),
      ).state;
    assert.ok(!isPostponed(newCarrierLink(undefined, 30), 0));
    assert.deepEqual([isPostponed(refusing(20), 19_999), isPostponed(refusing(20), 20_000)], [true, false]);
    assert.deepEqual(
      [isPostponed(refusing(9e9), 299_999), isPostponed(refusing(9e9), 300_000)],
      [true, false],
    );
    // The answers to calls that were sent together come in any order.
    assert.ok(isPostponed(refusing(60, 20), 59_999));
    assert.equal(refusing(20).reach, 'reachable');
  });

  it('comes back with the first answer, which is reported', () => {
    const { effects } = walk(newCarrierLink(undefined, 30), opened, probed(undefined), probed(200));
    assert.deepEqual(emitted(effects), ['reachable']);
  });
});
