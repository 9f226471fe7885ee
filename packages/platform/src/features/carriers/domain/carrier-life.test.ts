import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type CarrierLife,
  type CarrierLifeEffect,
  type CarrierLifeInput,
  carrierLifeMachine,
  newCarrierLife,
} from './carrier-life.ts';

function walk(life: CarrierLife, ...inputs: readonly CarrierLifeInput[]) {
  let state = life;
  let effects: readonly CarrierLifeEffect[] = [];
  for (const input of inputs) ({ state, effects } = carrierLifeMachine.step(state, input, 0));
  return { state, effects };
}

const opened: CarrierLifeInput = { type: 'opened' };
const registered: CarrierLifeInput = {
  type: 'register-settled',
  outcome: { type: 'registered', expiresSeconds: 600 },
  chance: 1,
};
const refused = (status: number, chance = 1): CarrierLifeInput => ({
  type: 'register-settled',
  outcome: { type: 'refused', status },
  chance,
});
const probed = (status: number | undefined): CarrierLifeInput => ({ type: 'probe-settled', status });
const told = (effects: readonly CarrierLifeEffect[]) =>
  effects.flatMap((each) => (each.do === 'tell' ? [each.event.name] : []));

describe('a registration with a carrier', () => {
  it('is refreshed when four fifths of what was granted are over', () => {
    const { effects } = walk(newCarrierLife(3600, 0), opened, registered);
    assert.deepEqual(effects, [
      { do: 'start-timer', key: 'register', at: 480_000 },
      { do: 'tell', event: { name: 'registered', expiresSeconds: 600 } },
    ]);
  });

  it('is told once, not with every refresh', () => {
    const refreshed = walk(newCarrierLife(600, 0), opened, registered, registered);
    assert.deepEqual(told(refreshed.effects), []);
  });

  it('that is refused waits twice as long each time, up to half an hour, with chance', () => {
    const waits: number[] = [];
    let life = walk(newCarrierLife(600, 0), opened).state;
    for (let n = 0; n < 9; n++) {
      const step = walk(life, refused(403));
      life = step.state;
      const timer = step.effects.find((each) => each.do === 'start-timer');
      waits.push(timer?.at ?? 0);
      assert.deepEqual(told(step.effects), n === 0 ? ['unregistered'] : []);
    }
    assert.deepEqual(waits.slice(0, 4), [30_000, 60_000, 120_000, 240_000]);
    assert.equal(waits.at(-1), 1_800_000);
    assert.deepEqual(walk(newCarrierLife(600, 0), opened, refused(403, 0)).effects[0], {
      do: 'start-timer',
      key: 'register',
      at: 15_000,
    });
  });

  it('asks again at once for what the registrar takes, as a 423 says, and only once', () => {
    const short: CarrierLifeInput = {
      type: 'register-settled',
      outcome: { type: 'refused', status: 423, minExpiresSeconds: 1800 },
      chance: 1,
    };
    assert.deepEqual(walk(newCarrierLife(600, 0), opened, short).effects, [
      { do: 'register', expiresSeconds: 1800 },
    ]);
    assert.deepEqual(told(walk(newCarrierLife(600, 0), opened, short, short).effects), ['unregistered']);
  });

  it('is taken away at the end where there is one, and nothing is started after it', () => {
    const life = walk(newCarrierLife(600, 30), opened, registered).state;
    const closed = walk(life, { type: 'closed' });
    assert.deepEqual(closed.effects.at(-1), { do: 'register', expiresSeconds: 0 });
    assert.deepEqual(walk(closed.state, probed(200)).effects, []);
    const never = walk(newCarrierLife(600, 0), opened, { type: 'closed' });
    assert.ok(never.effects.every((each) => each.do === 'cancel-timer'));
  });
});

describe('the reach of a carrier', () => {
  it('is lost when nobody answers OPTIONS, or with 408 and 503', () => {
    for (const status of [undefined, 408, 503]) {
      const { state, effects } = walk(newCarrierLife(undefined, 30), opened, probed(status));
      assert.equal(state.reach, 'unreachable');
      assert.deepEqual(told(effects), ['unreachable']);
      assert.deepEqual(effects[0], { do: 'start-timer', key: 'probe', at: 10_000 });
    }
  });

  it('is there with every other answer, also one that knows no OPTIONS', () => {
    for (const status of [200, 404, 405, 483, 501]) {
      const { state, effects } = walk(newCarrierLife(undefined, 30), opened, probed(status));
      assert.equal(state.reach, 'reachable');
      assert.deepEqual(told(effects), []);
      assert.deepEqual(effects[0], { do: 'start-timer', key: 'probe', at: 30_000 });
    }
  });

  it('comes back with the first answer, and that is told', () => {
    const { effects } = walk(newCarrierLife(undefined, 30), opened, probed(undefined), probed(200));
    assert.deepEqual(told(effects), ['reachable']);
  });
});
