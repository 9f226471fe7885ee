import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionEffect, SessionInput, VerifySession } from './session.ts';
import { sessionMachine } from './session-machine.ts';

const attempt = 'attempt-1';
const begin = Date.UTC(2026, 0, 1);

const begun: VerifySession = {
  uuid: 'session-1',
  account: 'MA',
  mainAccount: 'MA',
  appUuid: 'app-1',
  alias: 'Default',
  recipient: '+14155552671',
  country: 'US',
  requestorIp: null,
  status: 'in-progress',
  callback: null,
  template: '{{code}}',
  codeLength: 6,
  codeHash: 'hash',
  sealedCode: 'sealed',
  maxAttempts: 5,
  maxChecks: 5,
  voiceFallback: false,
  createdAt: begin,
  updatedAt: begin,
  expiresAt: begin + 600_000,
  closedAt: null,
  attempts: [],
};

/** A session that calls its recipient: steps in order, and the effects of the last one. */
function calling() {
  const machine = sessionMachine();
  let session = begun;
  let last: readonly SessionEffect[] = [];
  const at = (ms: number, input: SessionInput | { readonly type: 'timer-fired'; readonly key: string }) => {
    const { state, effects } = machine.step(session, input, begin + ms);
    session = state;
    last = effects;
    return effects;
  };
  at(0, {
    type: 'attempt-asked',
    callback: null,
    attempt: {
      uuid: attempt,
      channel: 'voice',
      locale: 'en',
      brandName: null,
      appHash: null,
      dtmf: false,
      fraudCheck: null,
      sender: null,
      blockedBy: null,
    },
  });
  const decideIn = (ms: number) =>
    last.flatMap((effect) => (effect.do === 'start-timer' ? [effect.at - begin - ms] : []));
  const voice = (ms: number, speaking: boolean) => {
    at(ms, { type: 'call-voice', attempt, speaking });
    return decideIn(ms);
  };
  const decide = (ms: number) =>
    at(ms, { type: 'timer-fired', key: `greeting/${attempt}` }).map((effect) =>
      'part' in effect
        ? `${effect.do} ${effect.part}`
        : 'isOn' in effect
          ? `${effect.do} ${effect.isOn}`
          : effect.do,
    );
  at(100, { type: 'call-answered', attempt });
  return { decideIn, voice, decide, answer: last };
}

test('a silent callee waits 2 s for the caller to speak', () => {
  const { decideIn, answer } = calling();
  assert.deepEqual(decideIn(100), [2_000]);
  assert.ok(answer.some((effect) => effect.do === 'listen' && effect.isOn));
});

test('the code follows 500 ms after the report of a pause, and voice is reported no longer', () => {
  const { voice, decide } = calling();
  assert.deepEqual(voice(2_000, true), [2_900]);
  assert.deepEqual(voice(2_900, false), [500]);
  assert.deepEqual(voice(3_300, true), [1_600], 'a pause within the greeting is part of it');
  assert.deepEqual(voice(3_900, false), [500]);
  assert.deepEqual(decide(4_400), ['listen false', 'speak code']);
  assert.deepEqual(voice(4_500, true), []);
});

test('talk of 2.9 s is an announcement: the prompt comes before the code', () => {
  const { voice, decide } = calling();
  assert.deepEqual(voice(100, true), [2_900]);
  assert.deepEqual(decide(3_000), ['listen false', 'speak prompt']);
  assert.deepEqual(voice(3_100, false), []);
});
