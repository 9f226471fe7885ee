import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Instruction } from './instruction.ts';
import {
  answerUrl,
  dial,
  getDigits,
  getInput,
  leg,
  multiparty,
  play,
  record,
  ScriptedRun,
  speak,
  stream,
  wait,
} from './testing/scripted-run.ts';

const toServer = stream({ bidirectional: false });
const dtmf: Instruction = { element: 'DTMF', digits: '12', isAsync: true };

describe('an incoming call', () => {
  it('gets no answer while its document is fetched with the event StartApp', () => {
    const run = new ScriptedRun('none').feed({ type: 'begin' });
    assert.deepEqual(run.orders, ['fetch']);
    assert.deepEqual(run.asked, { url: answerUrl.url, Event: 'StartApp' });
  });

  for (const instruction of [speak, play, getDigits(), getInput(), record(), multiparty(), toServer, dtmf]) {
    it(`is answered by ${instruction.element}, which begins when the answer is out`, () => {
      const run = ScriptedRun.incoming(instruction);
      assert.deepEqual(run.orders, ['answer']);
      run.feed({ type: 'leg-answered', leg });
      assert.notEqual(run.effects.length, 0);
      assert.ok(!run.orders.includes('answer'));
    });
  }

  it('is not answered by Wait, which plays no music before the answer', () => {
    const run = ScriptedRun.incoming(wait(2_000, { silence: false, beep: true, minSilenceMs: 500 }));
    assert.deepEqual(run.orders, ['start-timer']);
  });

  it('is not answered by Redirect', () => {
    const run = ScriptedRun.incoming({ element: 'Redirect', request: answerUrl });
    assert.deepEqual(run.orders, ['fetch']);
    assert.equal(run.asked?.Event, 'Redirect');
  });

  it('hears PreAnswer in early media, and is answered by the next element', () => {
    const run = ScriptedRun.incoming({ element: 'PreAnswer', children: [speak, wait(1_000)] as never }, play);
    assert.deepEqual(run.orders, ['open-early']);
    run.feed({ type: 'leg-early', leg });
    assert.deepEqual(run.orders, ['play']);
    run.playedOut();
    assert.deepEqual(run.orders, ['start-timer']);
    run.fire('element/length');
    assert.deepEqual(run.orders, ['answer']);
    run.feed({ type: 'leg-answered', leg });
    assert.deepEqual(run.orders, ['play']);
  });

  it('is rung by Dial when the callee rings, and answered when the callee answers', () => {
    const run = ScriptedRun.incoming(dial());
    assert.deepEqual(run.orders.includes('dial-leg'), true);
    assert.ok(!run.orders.includes('answer'));
    run.feed({ type: 'leg-ringing', leg: 'b-0-0' });
    assert.deepEqual(run.orders, ['ring']);
    run.feed({ type: 'leg-answered', leg: 'b-0-0' });
    assert.ok(run.orders.includes('answer'));
    run.feed({ type: 'leg-answered', leg });
    assert.ok(run.orders.includes('bridge'));
  });

  for (const [reason, end] of [
    ['busy', '3010 Answer XML'],
    ['rejected', '3020 Answer XML'],
    [null, '4000 Answer XML'],
  ] as const) {
    it(`is ended by Hangup with reason ${reason} with ${end}`, () => {
      const run = ScriptedRun.incoming({ element: 'Hangup', reason, scheduleSeconds: 0 });
      assert.equal(run.end, end);
    });
  }

  it('that was answered is hung up by Hangup with any reason', () => {
    const run = ScriptedRun.running({ element: 'Hangup', reason: 'busy', scheduleSeconds: 0 });
    assert.equal(run.end, '4000 Answer XML');
  });
});

describe('an outgoing call', () => {
  it('fetches its document when it is answered', () => {
    const run = new ScriptedRun().feed({ type: 'opened' }, { type: 'leg-ringing', leg });
    assert.deepEqual(run.orders, []);
    run.feed({ type: 'leg-answered', leg });
    assert.equal(run.asked?.Event, 'StartApp');
  });

  it('with hangup_on_ring ends with 6000 so long after it rang, unless it was answered', () => {
    const run = new ScriptedRun('none', { hangupOnRingSeconds: 5 }).feed({ type: 'leg-ringing', leg });
    assert.deepEqual(run.effects, [{ do: 'start-timer', key: 'hangup-on-ring', at: run.now + 5_000 }]);
    assert.equal(run.fire('hangup-on-ring').end, '6000 Service');
    const answered = new ScriptedRun('none', { hangupOnRingSeconds: 5 });
    answered.feed({ type: 'leg-ringing', leg }, { type: 'leg-answered', leg });
    assert.ok(
      answered.effects.some((effect) => effect.do === 'cancel-timer' && effect.key === 'hangup-on-ring'),
    );
  });

  it('is over without any audio when it is not answered', () => {
    const run = new ScriptedRun().feed({ type: 'opened' }).hangUp();
    assert.equal(run.run.phase, 'over');
    assert.equal(run.end, undefined);
  });
});
