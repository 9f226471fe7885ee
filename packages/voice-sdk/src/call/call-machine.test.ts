import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stepCall } from './call-machine.ts';
import { type CallEffect, type CallInput, type CallState, newCall, phaseOf } from './call-state.ts';

function word(effect: CallEffect): string {
  switch (effect.do) {
    case 'start-timer':
      return `start ${effect.key} ${effect.at}`;
    case 'stop-timer':
      return `stop ${effect.key}`;
    case 'describe':
      return `describe ${effect.offer ?? 'offer'}${effect.isHeld ? ' held' : ''}${effect.restartsIce ? ' restart' : ''}`;
    case 'apply-answer':
      return `apply ${effect.answer}${effect.isEarly ? ' early' : ''}`;
    case 'silence':
      return effect.isSilent ? 'silent' : 'audible';
    case 'emit':
      return effect.event.type === 'ended' ? `ended ${effect.event.end.by}` : effect.event.type;
    case 'send-digit':
      return `send-digit ${effect.digit}`;
    case 'send-rejection':
    case 'refuse-offer':
      return `${effect.do} ${effect.status}`;
    default:
      return effect.do;
  }
}

function run(state: CallState, ...inputs: readonly (CallInput | readonly [number, CallInput])[]) {
  let current = state;
  let words: string[] = [];
  for (const each of inputs) {
    const [at, input] = 'type' in each ? [0, each] : each;
    const step = stepCall(current, input, at);
    current = step.state;
    words = step.effects.map(word).filter((effect) => !effect.startsWith('stop'));
  }
  return { state: current, words };
}

const described: CallInput = { type: 'described', sdp: 'sdp' };
const connected: CallInput = { type: 'connection', state: 'connected' };
const answered: CallInput = { type: 'answered', answer: 'answer' };
const down: CallInput = { type: 'signalling', isUp: false };
const up: CallInput = { type: 'signalling', isUp: true };

const calling = run(newCall(false), { type: 'start' }, described).state;
const talking = run(calling, answered, connected).state;

describe('the machine of a call', () => {
  it('describes, invites, rings and talks', () => {
    assert.deepEqual(run(newCall(false), { type: 'start' }).words, ['describe offer']);
    assert.deepEqual(run(newCall(false), { type: 'start' }, described).words, ['audible', 'invite']);
    const ringing = run(calling, { type: 'provisional', answer: '' });
    assert.deepEqual([ringing.words, phaseOf(ringing.state)], [['ringing'], 'ringing']);
    const { words, state } = run(ringing.state, answered);
    assert.deepEqual(words, ['apply answer', 'accepted', 'start sample 5000']);
    assert.equal(phaseOf(state), 'active');
  });

  it('plays early audio, and has no other answer where the 2xx has none', () => {
    const early = run(calling, { type: 'provisional', answer: 'early' });
    assert.deepEqual(early.words, ['apply early early', 'ringing']);
    assert.equal(run(early.state, { type: 'answered', answer: '' }).words[0], 'apply early');
  });

  it('answers an incoming call with or without an offer', () => {
    const offered = run(newCall(true, 'their offer'), { type: 'accept' });
    assert.deepEqual(offered.words, ['describe their offer']);
    assert.deepEqual(run(offered.state, described).words, [
      'audible',
      'send-answer',
      'accepted',
      'start sample 5000',
    ]);
    const bare = run(newCall(true), { type: 'accept' }, described);
    assert.deepEqual(run(bare.state, { type: 'acknowledged', answer: 'late' }).words, ['apply late']);
  });

  it('rejects, ignores, and rejects again where there is no microphone', () => {
    const reject: CallInput = { type: 'reject', status: 486 };
    const silent = ['close-media', 'ended local'];
    assert.deepEqual(run(newCall(true, 'o'), reject).words, ['send-rejection 486', ...silent]);
    assert.deepEqual(run(newCall(true, 'o'), { type: 'ignore' }).words, silent);
    const failed: CallInput = { type: 'media-failed', sentence: 'NotAllowedError' };
    assert.deepEqual(run(newCall(true, 'o'), { type: 'accept' }, failed).words, [
      'send-rejection 480',
      'close-media',
      'ended media-failed',
    ]);
  });

  it('holds with a description of its own, and resumes with another one', () => {
    const held = run(talking, { type: 'hold', isHeld: true });
    assert.deepEqual(held.words, ['silent', 'describe offer held']);
    const sent = run(held.state, described);
    assert.deepEqual(sent.words, ['silent', 'send-offer']);
    const agreed = run(sent.state, { type: 'offer-answered', answer: 'a' });
    assert.deepEqual(agreed.words, ['apply a', 'held', 'silent']);
    assert.deepEqual(run(agreed.state, { type: 'hold', isHeld: false }).words, ['audible', 'describe offer']);
  });

  it('changes its mind after the offer that is open', () => {
    const sent = run(talking, { type: 'hold', isHeld: true }, described, { type: 'hold', isHeld: false });
    assert.deepEqual(sent.words, ['audible']);
    const { words } = run(sent.state, { type: 'offer-answered', answer: 'a' });
    assert.deepEqual(words, ['apply a', 'held', 'audible', 'describe offer']);
  });

  it('goes on as before when the server refuses to hold it', () => {
    const sent = run(talking, { type: 'hold', isHeld: true }, described);
    const { words, state } = run(sent.state, { type: 'offer-refused', status: 488 });
    assert.deepEqual(words, ['roll-back', 'hold-failed', 'audible']);
    assert.equal(state.requested.isHeld, false);
  });

  it('answers an offer of the other side, and 491 while its own is open (RFC 3261 §14.1)', () => {
    const offer: CallInput = { type: 'offered', offer: 'v=0\r\na=sendonly\r\n' };
    const asked = run(talking, offer);
    assert.deepEqual(asked.words, ['describe v=0\r\na=sendonly\r\n', 'held']);
    assert.deepEqual(run(asked.state, described).words, ['audible', 'answer-offer']);
    assert.deepEqual(run(talking, { type: 'hold', isHeld: true }, offer).words, ['refuse-offer 491']);
  });

  it('restarts ICE after three seconds without a path, or at once when there is none', () => {
    const lost = run(talking, [1000, { type: 'connection', state: 'disconnected' }]);
    assert.deepEqual(lost.words, ['start restart 4000']);
    assert.deepEqual(run(lost.state, [2000, connected]).words, ['connected']);
    const restarted = run(lost.state, [4000, { type: 'timer-fired', key: 'restart' }]);
    assert.deepEqual(restarted.words, [
      'start restart-again 12000',
      'reconnecting',
      'start give-up 49000',
      'describe offer restart',
    ]);
    assert.equal(phaseOf(restarted.state), 'reconnecting');
    const offered = run(restarted.state, described, { type: 'offer-answered', answer: 'a' });
    assert.deepEqual(run(offered.state, connected).words, ['connected', 'reconnected']);
    assert.equal(
      run(talking, { type: 'connection', state: 'failed' }).words.at(-1),
      'describe offer restart',
    );
  });

  it('survives the loss of its signalling, and restarts ICE over the next socket', () => {
    const lost = run(talking, [1000, down]);
    assert.deepEqual(lost.words, ['reconnecting', 'start give-up 46000']);
    const back = run(lost.state, [3000, up]);
    assert.deepEqual(back.words, ['start restart-again 11000', 'describe offer restart']);
    const { words, state } = run(back.state, described, { type: 'offer-answered', answer: 'a' });
    assert.deepEqual(words, ['apply a', 'audible', 'reconnected']);
    assert.equal(phaseOf(state), 'active');
  });

  it('makes its offer again when the signalling is lost before it is sent', () => {
    const lost = run(talking, { type: 'hold', isHeld: true }, down, described);
    assert.deepEqual(lost.words, ['silent', 'roll-back']);
    assert.equal(run(lost.state, up).words.at(-1), 'describe offer held restart');
  });

  it('ends without a connection for 45 s, and unanswered when another socket takes over', () => {
    const { words } = run(talking, down, [45_000, { type: 'timer-fired', key: 'give-up' }]);
    assert.deepEqual(words, ['send-bye', 'close-media', 'ended connection-lost']);
    assert.deepEqual(run(calling, down, up).words, ['send-bye', 'close-media', 'ended connection-lost']);
  });

  it('sends digits as events, or by INFO one after another with pauses', () => {
    assert.deepEqual(run(talking, { type: 'digits', digits: '12', byMedia: true }).words, ['insert-digits']);
    const first = run(talking, { type: 'digits', digits: '1,2', byMedia: false });
    assert.deepEqual(first.words, ['send-digit 1', 'digit']);
    const paused = run(first.state, { type: 'info-answered' }, [100, { type: 'timer-fired', key: 'digit' }]);
    assert.deepEqual(paused.words, ['start digit 2100']);
    const second = run(paused.state, [2100, { type: 'timer-fired', key: 'digit' }]);
    assert.deepEqual(second.words, ['send-digit 2', 'digit']);
  });

  it('is silent while it is muted or held, and only then', () => {
    const muted = run(talking, { type: 'mute', isMuted: true });
    assert.deepEqual(muted.words, ['muted', 'silent']);
    assert.deepEqual(
      run(muted.state, { type: 'hold', isHeld: true }, { type: 'mute', isMuted: false }).words,
      ['muted', 'silent'],
    );
  });

  it('begins silent when it is muted or held before its microphone is open', () => {
    const mute: CallInput = { type: 'mute', isMuted: true };
    const hold: CallInput = { type: 'hold', isHeld: true };
    for (const order of [mute, hold]) {
      assert.equal(run(newCall(false), { type: 'start' }, order, described).words[0], 'silent');
      assert.equal(run(newCall(true, 'o'), order, { type: 'accept' }, described).words[0], 'silent');
    }
  });

  it('nothing follows its end, which comes once', () => {
    const ended = run(talking, { type: 'hang-up' });
    assert.deepEqual(ended.words, ['send-bye', 'close-media', 'ended local']);
    for (const input of [answered, up, described, { type: 'dialog-ended', end: { by: 'remote' } }] as const)
      assert.deepEqual(stepCall(ended.state, input, 0).effects, []);
  });
});
