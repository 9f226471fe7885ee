import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backOffMs } from './back-off.ts';
import type { ClientToken } from './client-token.ts';
import { stepPhone } from './phone-machine.ts';
import { newPhone, type PhoneEffect, type PhoneInput, type PhoneState } from './phone-state.ts';

const chance = 0.5;
const token = (expiresAt: number, text = 'token'): ClientToken => ({ text, user: 'alice', expiresAt });

function word(effect: PhoneEffect): string {
  switch (effect.do) {
    case 'start-timer':
      return `start ${effect.key} ${effect.at}`;
    case 'stop-timer':
      return `stop ${effect.key}`;
    case 'send-register':
      return `send-register ${effect.token?.text ?? 'password'}`;
    case 'emit': {
      const { event } = effect;
      if (event.type === 'state') return `state ${event.phase}`;
      if (event.type === 'signalling') return `signalling ${event.isUp ? 'up' : 'down'}`;
      return event.type === 'failed' ? `failed ${event.failure.code}` : event.type;
    }
    default:
      return effect.do;
  }
}

/** Runs inputs, each with its time; keeps the effects of the last one without stops of timers. */
function run(state: PhoneState, ...inputs: readonly (readonly [at: number, input: PhoneInput])[]) {
  let words: string[] = [];
  let current = state;
  for (const [at, input] of inputs) {
    const step = stepPhone(current, input, at);
    current = step.state;
    words = step.effects.map(word).filter((each) => !each.startsWith('stop'));
  }
  return { state: current, words };
}

const opened: PhoneInput = { type: 'socket-opened' };
const closed: PhoneInput = { type: 'socket-closed', chance };
const ok: PhoneInput = { type: 'registered', expiresS: 600 };
const fetched = (given: ClientToken): PhoneInput => ({ type: 'token-fetched', token: given, chance });
const fires = (key: 'retry' | 'refresh' | 'token' | 'ping' | 'pong' | 'give-up'): PhoneInput => ({
  type: 'timer-fired',
  key,
  chance,
});
const refusal = (status: number, tokenError?: number): PhoneInput => ({
  type: 'register-refused',
  status,
  chance,
  ...(tokenError === undefined ? {} : { tokenError }),
});

/** Registered by password at 0 s. */
const byPassword = run(newPhone('password'), [0, { type: 'register' }], [0, opened], [0, ok]).state;
/** Registered by a token of 1000 s at 0 s. */
const byToken = run(
  newPhone('fetched-token'),
  [0, { type: 'register' }],
  [0, fetched(token(1_000_000))],
  [0, opened],
  [0, ok],
).state;

describe('the machine of a phone', () => {
  it('connects and fetches its token side by side, then registers', () => {
    const first = run(newPhone('fetched-token'), [0, { type: 'register' }]);
    assert.deepEqual(first.words, [
      'start give-up 30000',
      'state connecting',
      'open-socket',
      'start pong 10000',
      'fetch-token',
    ]);
    const connected = run(first.state, [10, opened]);
    assert.deepEqual(connected.words, ['start ping 25010', 'signalling up']);
    const { words } = run(connected.state, [20, fetched(token(1_000_020))]);
    assert.deepEqual(words, ['start token 800020', 'send-register token']);
  });

  it('refreshes its registration after 80 % of its time', () => {
    const { words, state } = run(newPhone('password'), [0, { type: 'register' }], [0, opened], [1000, ok]);
    assert.deepEqual(words, ['start refresh 481000', 'state registered']);
    assert.deepEqual(run(state, [481_000, fires('refresh')]).words, ['send-register password']);
  });

  it('fetches a token after 80 % of the life of the last one, and registers with it at once', () => {
    const due = run(byToken, [800_000, fires('token')]);
    assert.deepEqual(due.words, ['token-will-expire', 'fetch-token']);
    const { words } = run(due.state, [800_100, fetched(token(1_800_100, 'second'))]);
    assert.deepEqual(words, ['start token 1600100', 'send-register second']);
  });

  it('only warns the application when it cannot fetch a token itself', () => {
    const pushed = { ...byToken, login: 'pushed-token' } as const;
    assert.deepEqual(run(pushed, [800_000, fires('token')]).words, ['token-will-expire']);
    assert.deepEqual(run(pushed, [900_000, fetched(token(1_900_000, 'pushed'))]).words, [
      'start token 1700000',
      'send-register pushed',
    ]);
  });

  it('goes on with its token when a fetch fails, and without a valid one reconnects', () => {
    const failed: PhoneInput = { type: 'token-failed', sentence: 'no network', chance };
    const early = run(byToken, [800_000, fires('token')], [800_100, failed]);
    assert.deepEqual(early.words, ['start token 800475']);
    const late = run(early.state, [1_000_000, fires('token')], [1_000_000, failed]);
    assert.equal(late.state.phase, 'reconnecting');
  });

  it('reconnects after a wait that grows, and says so once', () => {
    const lost = run(byPassword, [5000, closed]);
    assert.deepEqual(lost.words, [
      'signalling down',
      'close-socket',
      'start retry 5375',
      'state reconnecting',
    ]);
    const again = run(lost.state, [5375, fires('retry')]);
    assert.deepEqual(again.words, ['open-socket', 'start pong 15375']);
    assert.deepEqual(run(again.state, [5400, closed]).words, ['close-socket', 'start retry 6150']);
    const back = run(again.state, [5400, opened]);
    assert.deepEqual(back.words, ['start ping 30400', 'signalling up', 'send-register password']);
    assert.deepEqual(run(back.state, [5500, ok]).words, ['start refresh 485500', 'state registered']);
  });

  it('closes a socket that does not answer its ping', () => {
    const pinged = run(byPassword, [25_000, fires('ping')]);
    assert.deepEqual(pinged.words, ['send-ping', 'start ping 50000', 'start pong 35000']);
    assert.deepEqual(stepPhone(pinged.state, { type: 'heard' }, 25_100).effects.map(word), ['stop pong']);
    assert.equal(run(pinged.state, [35_000, fires('pong')]).state.phase, 'reconnecting');
  });

  it('looks at its connection at once when the network changes, and does not wait for its turn', () => {
    assert.deepEqual(run(byPassword, [1000, { type: 'network-changed' }]).words, [
      'send-ping',
      'start pong 3000',
    ]);
    const waiting = run(byPassword, [1000, closed]).state;
    assert.deepEqual(run(waiting, [1010, { type: 'network-changed' }]).words, [
      'open-socket',
      'start pong 11010',
    ]);
  });

  it('replaces an expired token once, and gives up at a second refusal', () => {
    const again = run({ ...byToken, isBound: false, isRegistering: true }, [10, refusal(401, 10006)]);
    assert.deepEqual(again.words, ['fetch-token']);
    const second = run(again.state, [20, fetched(token(2_000_000, 'second'))]);
    assert.deepEqual(second.words.at(-1), 'send-register second');
    const { words, state } = run(second.state, [30, refusal(401, 10006)]);
    assert.deepEqual(words, ['state offline', 'failed refused', 'signalling down', 'close-socket']);
    assert.equal(state.socket, 'closed');
  });

  it('gives up at a wrong password, and tries again after a failure of the server', () => {
    const asked = run(newPhone('password'), [0, { type: 'register' }], [0, opened]).state;
    assert.ok(run(asked, [5, refusal(401)]).words.includes('failed refused'));
    for (const status of [0, 408, 429, 500, 503]) {
      assert.deepEqual(run(asked, [5, refusal(status)]).words, [
        'signalling down',
        'close-socket',
        'start retry 380',
      ]);
    }
  });

  it('gives up the first attempts after 30 s, but never a phone that was registered', () => {
    const trying = run(newPhone('password'), [0, { type: 'register' }], [0, closed]).state;
    assert.deepEqual(run(trying, [30_000, fires('give-up')]).words, ['state offline', 'failed unreachable']);
    const reconnecting = run(byPassword, [0, closed]).state;
    assert.deepEqual(run(reconnecting, [30_000, fires('give-up')]).words, []);
  });

  it('keeps its socket for live calls after it went offline', () => {
    const calling = run(byPassword, [0, { type: 'calls-counted', calls: 1 }], [0, { type: 'unregister' }]);
    assert.deepEqual(calling.words, ['send-unregister', 'state offline']);
    assert.deepEqual(run(calling.state, [10, { type: 'calls-counted', calls: 0 }]).words, [
      'signalling down',
      'close-socket',
    ]);
  });

  it('a pushed token is sent after its end as well, and its refusal ends the registration', () => {
    const pushed = { ...byToken, login: 'pushed-token' } as const;
    const ended = run(pushed, [1_000_500, fires('refresh')]);
    assert.deepEqual(ended.words, ['send-register token']);
    const { words } = run(ended.state, [1_000_600, refusal(401, 10006)]);
    assert.deepEqual(words, ['state offline', 'failed refused', 'signalling down', 'close-socket']);
    const back = run(pushed, [1_000_500, closed], [1_001_000, fires('retry')], [1_001_100, opened]);
    assert.deepEqual(back.words, ['start ping 1026100', 'signalling up', 'send-register token']);
  });

  it('an expired token that was fetched is never sent, and not fetched in a circle', () => {
    const { words } = run(
      newPhone('fetched-token'),
      [0, { type: 'register' }],
      [0, opened],
      [10, fetched(token(5))],
    );
    assert.deepEqual(words, ['state offline', 'failed no-token', 'signalling down', 'close-socket']);
  });
});

describe('the wait before a new attempt', () => {
  it('doubles from half a second to half a minute, and lies between a half and the whole of that', () => {
    assert.deepEqual(
      [1, 2, 3, 7, 50].map((failures) => [backOffMs(failures, 0), backOffMs(failures, 0.999_999)]),
      [
        [250, 500],
        [500, 1000],
        [1000, 2000],
        [15_000, 30_000],
        [15_000, 30_000],
      ],
    );
  });
});
