import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  consentMs,
  createIce,
  type IceEffect,
  type IceInput,
  type IceSource,
  type IceState,
  stepIce,
} from './ice-machine.ts';

const home: IceSource = { transport: 'udp', address: '192.0.2.1', port: 4000 };
const mobile: IceSource = { transport: 'udp', address: '198.51.100.7', port: 5000 };
const connection: IceSource = { transport: 'tcp', address: '192.0.2.1', port: 4000 };

type Check = Extract<IceInput, { readonly type: 'check-received' }>;
const check = (source: IceSource, more: Partial<Check> = {}): Check => ({
  type: 'check-received',
  source,
  transaction: 'aa',
  fragment: 'ours',
  nominates: false,
  role: 'controlling',
  unknown: [],
  ...more,
});

/** Steps through inputs and shows each one's effects in short. */
function run(...inputs: readonly (readonly [IceInput, number])[]): { state: IceState; effects: string[][] } {
  let state = createIce('ours');
  const effects = inputs.map(([input, now]) => {
    const step = stepIce(state, input, now);
    state = step.state;
    return step.effects.map(inShort);
  });
  return { state, effects };
}

function inShort(effect: IceEffect): string {
  switch (effect.do) {
    case 'answer':
      return `${effect.code} to ${nameOf(effect.source)}`;
    case 'send-to':
      return effect.target === undefined ? 'send nowhere' : `send to ${nameOf(effect.target)}`;
    case 'start-timer':
      return `timer at ${effect.dueMs}`;
    case 'forget-fragment':
      return `forget ${effect.fragment}`;
    default:
      return `${effect.do} ${nameOf(effect.source)}`;
  }
}

function nameOf(source: IceSource): string {
  if (source.transport === 'tcp') return 'connection';
  return source.port === home.port ? 'home' : 'mobile';
}

describe('ICE-lite agent', () => {
  it('RFC 8445 §7.3: a check is answered, its source admitted, and packets go there until a path is nominated', () => {
    const { effects, state } = run(
      [check(home), 0],
      [check(mobile), 10],
      [check(mobile, { nominates: true }), 20],
      [check(home), 30],
    );
    assert.deepEqual(effects, [
      ['admit home', 'timer at 30000', '200 to home', 'send to home'],
      ['admit mobile', '200 to mobile'],
      ['200 to mobile', 'send to mobile'],
      ['200 to home'],
    ]);
    assert.equal(state.target, mobile);
  });

  it('the last nomination counts, and a repeated one changes nothing', () => {
    const { effects } = run(
      [check(home, { nominates: true }), 0],
      [check(home, { nominates: true }), 2500],
      [check(connection, { nominates: true }), 5000],
    );
    assert.deepEqual(effects.slice(1), [
      ['200 to home'],
      ['admit connection', '200 to connection', 'send to connection'],
    ]);
  });

  it('RFC 8445 §7.3.1.1: a check in the controlled role gets 487 and opens nothing', () => {
    const { effects, state } = run([check(home, { role: 'controlled', nominates: true }), 0]);
    assert.deepEqual(effects, [['487 to home']]);
    assert.deepEqual(state.sources, []);
  });

  it('RFC 8489 §6.3.1: a check with an attribute that must be understood gets 420 and opens nothing', () => {
    const { effects, state } = run([check(home, { unknown: [0x7ffe] }), 0]);
    assert.deepEqual(effects, [['420 to home']]);
    assert.deepEqual(state.sources, []);
  });

  it('a check under a fragment that is not ours is ignored', () => {
    assert.deepEqual(run([check(home, { fragment: 'theirs' }), 0]).effects, [[]]);
  });

  it('RFC 7675 §5.1: a path is forgotten 30 s after its last check; without a path nothing is sent', () => {
    const { effects, state } = run(
      [check(home, { nominates: true }), 0],
      [check(mobile), 10_000],
      [{ type: 'timer-fired' }, consentMs],
      [{ type: 'timer-fired' }, 10_000 + consentMs],
    );
    assert.deepEqual(effects.slice(2), [
      ['forget home', 'send to mobile', 'timer at 40000'],
      ['forget mobile', 'send nowhere'],
    ]);
    assert.deepEqual([state.sources, state.target, state.isNominated], [[], undefined, false]);
  });

  it('checks keep consent alive, and a check after its end brings the leg back', () => {
    const { effects } = run(
      [check(home, { nominates: true }), 0],
      [check(home), 25_000],
      [{ type: 'timer-fired' }, consentMs],
      [{ type: 'timer-fired' }, 25_000 + consentMs],
      [check(home), 60_000],
    );
    assert.deepEqual(effects.slice(2), [
      ['timer at 55000'],
      ['forget home', 'send nowhere'],
      ['admit home', 'timer at 90000', '200 to home', 'send to home'],
    ]);
  });

  it('RFC 8445 §9: after a restart both fragments are valid until a check under the new one, and packets go on meanwhile', () => {
    const { effects, state } = run(
      [check(home, { nominates: true }), 0],
      [{ type: 'restarted', fragment: 'new' }, 1000],
      [check(home), 1100],
      [check(mobile, { fragment: 'new' }), 1200],
      [check(home), 1300],
      [check(mobile, { fragment: 'new', nominates: true }), 1400],
    );
    assert.deepEqual(
      effects.slice(1),
      [
        [],
        ['200 to home'],
        ['admit mobile', '200 to mobile', 'forget ours'],
        [],
        ['200 to mobile', 'send to mobile'],
      ].map((each) => each),
    );
    assert.deepEqual(state.fragments, ['new']);
  });

  it('a second restart before any check ends the fragment of the first one but one', () => {
    const { effects, state } = run(
      [{ type: 'restarted', fragment: 'second' }, 0],
      [{ type: 'restarted', fragment: 'third' }, 1],
    );
    assert.deepEqual(effects, [[], ['forget ours']]);
    assert.deepEqual(state.fragments, ['third', 'second']);
  });

  it('RFC 6544: the end of a connection ends its path at once', () => {
    const { effects } = run(
      [check(connection, { nominates: true }), 0],
      [check(home), 5],
      [{ type: 'connection-lost', source: connection }, 10],
      [{ type: 'connection-lost', source: connection }, 11],
    );
    assert.deepEqual(effects.slice(2), [['forget connection', 'send to home'], []]);
  });

  it('has at most eight sources: a ninth gets no answer', () => {
    const sources = Array.from({ length: 9 }, (_, n) => ({ ...home, port: 6000 + n }));
    const { effects, state } = run(...sources.map((source, n) => [check(source), n] as const));
    assert.deepEqual(effects[8], []);
    assert.equal(state.sources.length, 8);
  });
});
