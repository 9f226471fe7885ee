import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callEnds, legSpec } from '@jackfield/ports';
import fc from 'fast-check';
import {
  adoptedCall,
  type DirectCall,
  type DirectCallInput,
  directCallMachine,
  isDirectCallOver,
  newDirectCall,
} from './direct-call.ts';

const spec = legSpec({ from: 'a', callerName: 'A', to: 'b' });
const requested = { account: 'MA1', mainAccount: 'MA1', spec };
const end = callEnds(3010, 'Call recipient');

/** A leg as the world sees it; `unborn` ones have not been announced. */
type LegState = 'unborn' | 'ringing' | 'answered' | 'ended' | 'taken';

/** The machine, its legs, and what it has ordered: everything that decides what can happen next. */
interface World {
  readonly call: DirectCall;
  readonly legs: Readonly<Record<string, LegState>>;
  readonly hungUp: readonly string[];
  readonly isTimerRunning: boolean;
  readonly isSounding: boolean;
}

function newWorld(names: readonly string[], call: DirectCall, legState: LegState): World {
  const legs = Object.fromEntries(names.map((name) => [name, 'unborn' as LegState]));
  return {
    call,
    legs: { ...legs, caller: legState, callee: legState === 'answered' ? legState : 'unborn' },
    hungUp: [],
    isTimerRunning: false,
    isSounding: false,
  };
}

const isLive = (legState: LegState | undefined) => legState === 'ringing' || legState === 'answered';

/** What can happen now: legs that live answer, end or are taken; those that were hung up may do so a last time. */
function possible({ call, legs, isTimerRunning }: World): DirectCallInput[] {
  const inputs: DirectCallInput[] = [{ type: 'begin' }];
  if (call.caller === 'answered' && call.callee === 'answered') inputs.push({ type: 'adopt' });
  // A leg that was not recorded sends no notice.
  if (call.callee === 'waiting' && legs.callee === 'ringing' && !call.isEarly)
    inputs.push({ type: 'not-dialled', status: 500 });
  if (isTimerRunning) inputs.push({ type: 'timer-fired', key: 'left-alone' });
  for (const [leg, legState] of Object.entries(legs)) {
    if (legState === 'unborn' && leg.startsWith('next')) {
      for (const replaces of [call.callerLeg, call.calleeLeg])
        inputs.push({ type: 'succeed', leg, replaces });
    }
    if (!isLive(legState)) continue;
    if (legState === 'ringing') {
      inputs.push({ type: 'leg-ringing', leg }, { type: 'leg-early', leg }, { type: 'leg-answered', leg });
      if (leg.startsWith('next')) inputs.push({ type: 'leg-given', leg });
    }
    inputs.push({ type: 'leg-ended', leg, end }, { type: 'leg-taken', leg });
  }
  return inputs;
}

/** One step of the world; asserts what must hold after each. */
function stepped(before: World, input: DirectCallInput): World {
  const { state, effects } = directCallMachine.step(before.call, input, 0);
  const legs: Record<string, LegState> = { ...before.legs };
  const hungUp = [...before.hungUp];
  let { isTimerRunning, isSounding } = before;
  if (input.type === 'leg-answered' || input.type === 'leg-given') legs[input.leg] = 'answered';
  if (input.type === 'leg-ended') legs[input.leg] = 'ended';
  if (input.type === 'not-dialled') legs.callee = 'ended';
  if (input.type === 'leg-taken') legs[input.leg] = 'taken';
  if (input.type === 'timer-fired') isTimerRunning = false;
  for (const effect of effects) {
    switch (effect.do) {
      case 'dial-callee':
        assert.equal(legs.callee, 'unborn', 'dialled once');
        legs.callee = 'ringing';
        break;
      case 'reply':
        if (effect.reply && input.type === 'succeed') legs[input.leg] = 'ringing';
        break;
      case 'start-timer':
        isTimerRunning = true;
        break;
      case 'unbridge':
        assert.ok(isSounding, 'nothing is closed that was not open');
        isSounding = false;
        break;
      case 'bridge':
        for (const leg of effect.legs) assert.equal(legs[leg], 'answered', `${leg} is in a bridge`);
        assert.ok(!isSounding, 'one sound after the other');
        isSounding = true;
        break;
      case 'ringback':
        assert.equal(legs[effect.leg], 'answered', `${effect.leg} hears ringing`);
        assert.ok(!isSounding, 'one sound after the other');
        isSounding = true;
        break;
      case 'overhear':
        assert.ok(isLive(legs[effect.leg]), `${effect.leg} overhears`);
        assert.ok(isLive(legs[effect.other]), `${effect.other} is overheard`);
        assert.ok(!isSounding, 'one sound after the other');
        isSounding = true;
        break;
      case 'hang-up':
        assert.ok(isLive(legs[effect.leg]), `${effect.leg} was hung up although it is not ours`);
        if (input.type !== 'timer-fired') assert.ok(!hungUp.includes(effect.leg), `${effect.leg} twice`);
        hungUp.push(effect.leg);
        break;
      case 'refuse-caller':
        assert.ok(isLive(legs.caller), 'the caller was refused although it is not ours');
        hungUp.push('caller');
    }
  }
  const world = { call: state, legs, hungUp: [...new Set(hungUp)].sort(), isTimerRunning, isSounding };
  check(world);
  return world;
}

function check({ call, legs, hungUp, isTimerRunning, isSounding }: World): void {
  const live = Object.keys(legs).filter((leg) => isLive(legs[leg]));
  const kept = live.filter((leg) => !hungUp.includes(leg));
  const isPlaced = legs.callee !== 'unborn' || kept.length === 0;
  assert.ok(kept.length !== 1 || isTimerRunning || !isPlaced, `${kept} is left alone`);
  assert.ok(!isSounding || kept.length >= 2, 'no mix outlives a conversation');
  assert.equal(isDirectCallOver(call), live.length === 0, `over with ${live.length} legs alive`);
}

/** Visits every state that can be reached, each once; gives their number. */
function explored(first: World): number {
  const seen = new Set<string>();
  const left = [first];
  for (let world = left.pop(); world !== undefined; world = left.pop()) {
    if (isDirectCallOver(world.call)) continue;
    for (const input of possible(world)) {
      const next = stepped(world, input);
      const key = JSON.stringify([next.call, next.legs, next.hungUp, next.isTimerRunning]);
      if (seen.has(key)) continue;
      seen.add(key);
      left.push(next);
    }
  }
  return seen.size;
}

describe('a direct call, for any order of its notices', () => {
  it('is over when both legs have ended, have another owner or never existed, and leaves none alone before: all orders', () => {
    assert.ok(explored(newWorld([], newDirectCall(requested, 'caller', 'callee'), 'ringing')) > 20);
  });

  it('keeps that with legs that replace others, in all orders of two of them', () => {
    const names = ['next1', 'next2'];
    assert.ok(explored(newWorld(names, newDirectCall(requested, 'caller', 'callee'), 'ringing')) > 1_000);
    assert.ok(explored(newWorld(names, adoptedCall('caller', 'callee'), 'answered')) > 1_000);
  });

  it('keeps that with many transfers, one after another, in random orders', () => {
    const names = Array.from({ length: 8 }, (_, index) => `next${index}`);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 60 }), (picks) => {
        let world = newWorld(names, newDirectCall(requested, 'caller', 'callee'), 'ringing');
        for (const pick of picks) {
          if (isDirectCallOver(world.call)) break;
          const inputs = possible(world);
          world = stepped(world, inputs[pick % inputs.length]!);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Runs the machine through these and gives its orders in a few words. */
function orders(first: DirectCall, inputs: readonly DirectCallInput[]): string[] {
  let call = first;
  return inputs.flatMap((input) => {
    const { state, effects } = directCallMachine.step(call, input, 0);
    call = state;
    return effects.map((effect) => {
      if (effect.do === 'hang-up') return `hang-up ${effect.leg} ${effect.end.code} ${effect.end.source}`;
      if (effect.do === 'bridge') return `bridge ${effect.legs.join(' ')}`;
      if (effect.do === 'overhear') return `overhear ${effect.leg} ${effect.other}`;
      if (effect.do === 'ringback') return `ringback ${effect.leg}`;
      return effect.do === 'reply' ? `reply ${effect.reply}` : effect.do;
    });
  });
}

const talking = adoptedCall('caller', 'callee');
const ended = (leg: string): DirectCallInput => ({ type: 'leg-ended', leg, end });

describe('a direct call', () => {
  it('answers the caller only after the callee, and bridges when both have answered', () => {
    const given = orders(newDirectCall(requested, 'caller', 'callee'), [
      { type: 'begin' },
      { type: 'leg-ringing', leg: 'callee' },
      { type: 'leg-answered', leg: 'callee' },
      { type: 'leg-answered', leg: 'caller' },
      { type: 'leg-ended', leg: 'caller', end: callEnds(4000, 'Caller') },
    ]);
    assert.deepEqual(given, [
      'dial-callee',
      'ring-caller',
      'answer-caller',
      'bridge caller callee',
      'unbridge',
      'hang-up callee 4000 Caller',
    ]);
  });

  it('lets the caller hear the early media of the callee, one way, until both have answered', () => {
    const dialled: DirectCallInput[] = [{ type: 'begin' }, { type: 'leg-ringing', leg: 'callee' }];
    const heard: DirectCallInput[] = [
      ...dialled,
      { type: 'leg-early', leg: 'callee' },
      { type: 'leg-early', leg: 'caller' },
    ];
    const early = ['dial-callee', 'ring-caller', 'early-caller', 'overhear caller callee'];
    assert.deepEqual(
      orders(newDirectCall(requested, 'caller', 'callee'), [
        ...heard,
        { type: 'leg-answered', leg: 'callee' },
        { type: 'leg-answered', leg: 'caller' },
      ]),
      [...early, 'answer-caller', 'unbridge', 'bridge caller callee'],
    );
    // An announcement that ends in a refusal.
    assert.deepEqual(orders(newDirectCall(requested, 'caller', 'callee'), [...heard, ended('callee')]), [
      ...early,
      'unbridge',
      'hang-up caller 3010 Call recipient',
    ]);
    // A leg that is gone is not heard, even if the audio path to the caller opens only then.
    const late: DirectCallInput[] = [ended('callee'), { type: 'leg-early', leg: 'caller' }];
    const given = orders(newDirectCall(requested, 'caller', 'callee'), [...heard.slice(0, 3), ...late]);
    assert.deepEqual(given.slice(3), ['hang-up caller 3010 Call recipient']);
  });

  it('lets the remaining leg hear the early media of the successor, instead of ringing', () => {
    const begun: DirectCallInput[] = [
      { type: 'adopt' },
      { type: 'succeed', leg: 'next', replaces: 'callee' },
    ];
    const early: DirectCallInput = { type: 'leg-early', leg: 'next' };
    const after = orders(talking, [...begun, ended('callee'), early, { type: 'leg-answered', leg: 'next' }]);
    assert.deepEqual(after.slice(3), [
      'ringback caller',
      'unbridge',
      'overhear caller next',
      'unbridge',
      'bridge caller next',
    ]);
    const before = orders(talking, [...begun, early, ended('callee')]);
    assert.deepEqual(before.slice(2), ['unbridge', 'overhear caller next']);
  });

  it('gives an owner that takes both legs the time to take the second', () => {
    const given = orders(talking, [
      { type: 'adopt' },
      { type: 'leg-taken', leg: 'caller' },
      { type: 'leg-taken', leg: 'callee' },
    ]);
    assert.deepEqual(given, ['bridge caller callee', 'unbridge', 'start-timer', 'start-timer']);
  });

  it('hangs up a leg when its successor is answered, and joins the successor with the remaining leg', () => {
    const given = orders(talking, [
      { type: 'adopt' },
      { type: 'succeed', leg: 'next', replaces: 'callee' },
      { type: 'leg-ringing', leg: 'next' },
      { type: 'leg-answered', leg: 'next' },
    ]);
    assert.deepEqual(given.slice(1), [
      'reply true',
      'hang-up callee 4000 Call recipient',
      'unbridge',
      'bridge caller next',
    ]);
  });

  it('continues when the successor fails, and accepts another successor', () => {
    const given = orders(talking, [
      { type: 'adopt' },
      { type: 'succeed', leg: 'next', replaces: 'caller' },
      { type: 'succeed', leg: 'other', replaces: 'callee' },
      ended('next'),
      { type: 'succeed', leg: 'third', replaces: 'callee' },
    ]);
    assert.deepEqual(given.slice(1), ['reply true', 'reply false', 'reply true']);
  });

  it('plays ringing to the remaining leg when the other leaves before its successor is answered', () => {
    const begun: DirectCallInput[] = [
      { type: 'adopt' },
      { type: 'succeed', leg: 'next', replaces: 'callee' },
      ended('callee'),
    ];
    const rung = ['bridge caller callee', 'reply true', 'unbridge', 'ringback caller'];
    assert.deepEqual(orders(talking, [...begun, { type: 'leg-answered', leg: 'next' }]), [
      ...rung,
      'unbridge',
      'bridge caller next',
    ]);
    // A successor from another conversation has been answered before.
    assert.deepEqual(orders(talking, [...begun, { type: 'leg-given', leg: 'next' }]), [
      ...rung,
      'unbridge',
      'bridge caller next',
    ]);
    assert.deepEqual(orders(talking, [...begun, ended('next')]), [
      ...rung,
      'unbridge',
      'hang-up caller 4000 Call recipient',
    ]);
    assert.deepEqual(orders(talking, [...begun, ended('caller')]), [
      ...rung,
      'unbridge',
      'hang-up next 1000 Caller',
    ]);
  });
});
