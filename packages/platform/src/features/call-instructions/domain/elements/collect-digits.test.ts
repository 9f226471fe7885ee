import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actionUrl, getDigits, getInput, ScriptedRun, speak } from '../testing/scripted-run.ts';

const unprompted = { prompts: [] };

describe('GetDigits', () => {
  it('plays its prompts, and a digit interrupts them', () => {
    const run = ScriptedRun.running(getDigits());
    assert.deepEqual(run.orders, ['play']);
    assert.deepEqual(run.press('1').orders, ['stop-play', 'start-timer']);
  });

  it('with playBeep beeps behind the prompts', () => {
    const items = ScriptedRun.running(getDigits({ playBeep: true })).find('play')?.items;
    assert.deepEqual(
      items?.map(({ kind }) => kind),
      ['file', 'built-in'],
    );
  });

  it('counts its timeout from the end of the prompts', () => {
    const run = ScriptedRun.running(getDigits()).after(4_000).playedOut();
    assert.deepEqual(run.find('start-timer'), {
      do: 'start-timer',
      key: 'element/timeout',
      at: run.now + 5_000,
    });
  });

  it('ends after numDigits digits, and requests its action with them', () => {
    const run = ScriptedRun.running(getDigits(unprompted)).press('1', '2', '3');
    assert.equal(run.asked, undefined);
    assert.deepEqual(run.press('4').asked, { url: actionUrl.url, Digits: '1234', Event: 'Redirect' });
  });

  it('ends by finishOnKey, which is no part of the digits', () => {
    assert.equal(ScriptedRun.running(getDigits(unprompted)).press('1', '#').asked?.Digits, '1');
  });

  it('ends when digitTimeout has passed since the last digit', () => {
    const run = ScriptedRun.running(getDigits(unprompted)).after(1_000).press('1').after(500).press('2');
    assert.deepEqual(run.find('start-timer'), {
      do: 'start-timer',
      key: 'element/digit',
      at: run.now + 2_000,
    });
    assert.equal(run.fire('element/digit').asked?.Digits, '12');
  });

  it('that got nothing goes on with the next element', () => {
    const run = ScriptedRun.running(getDigits(unprompted), speak).fire('element/timeout');
    assert.deepEqual(run.orders, ['play']);
    assert.equal(ScriptedRun.running(getDigits(unprompted), speak).press('#').asked, undefined);
  });

  it('repeats its prompts as often as retries says', () => {
    const run = ScriptedRun.running(getDigits({ retries: 2 }), speak)
      .playedOut()
      .fire('element/timeout');
    assert.equal(run.find('play')?.items[0]?.kind, 'file');
    run.playedOut().fire('element/timeout');
    assert.equal(run.find('play')?.items[0]?.kind, 'speech');
  });

  it('objects to an invalid digit and begins again', () => {
    const invalidDigitsSound = 'https://example.com/no.mp3';
    const run = ScriptedRun.running(
      getDigits({ ...unprompted, validDigits: '12', retries: 2, invalidDigitsSound }),
    );
    run.press('1', '9');
    assert.deepEqual(run.find('play')?.items, [{ kind: 'file', url: invalidDigitsSound, loop: 1 }]);
    assert.deepEqual(run.playedOut().orders, ['start-timer']);
    assert.equal(run.press('2', '#').asked?.Digits, '2');
  });

  it('counts keys during its objection for the next round', () => {
    const run = ScriptedRun.running(
      getDigits({
        ...unprompted,
        validDigits: '12',
        retries: 2,
        invalidDigitsSound: 'https://example.com/no.mp3',
      }),
    ).press('9', '2');
    assert.deepEqual(run.orders.slice(-2), ['stop-play', 'start-timer']);
    assert.equal(run.press('#').asked?.Digits, '2');
  });

  it('whose last round was invalid continues with the next element, after its objection', () => {
    const run = ScriptedRun.running(
      getDigits({ ...unprompted, validDigits: '1', invalidDigitsSound: 'https://example.com/no.mp3' }),
      speak,
    ).press('9', '1');
    assert.equal(run.asked, undefined);
    assert.equal(run.playedOut().find('play')?.items[0]?.kind, 'speech');
  });

  it('with redirect=false requests its action and continues', () => {
    const run = ScriptedRun.running(getDigits({ ...unprompted, redirect: false }), speak).press('1', '#');
    assert.deepEqual(run.events, [{ type: 'action', request: actionUrl, fields: { Digits: '1' } }]);
    assert.ok(run.find('play'));
  });

  it('with redirect=false and log=false leaves the digits in no event', () => {
    const run = ScriptedRun.running(getDigits({ ...unprompted, redirect: false, log: false }), speak);
    run.press('1', '#');
    assert.deepEqual(run.events, []);
    assert.deepEqual(run.find('report')?.fields, { Digits: '1', Event: 'Redirect' });
  });

  it('without an action continues with the next element', () => {
    const run = ScriptedRun.running(getDigits({ ...unprompted, action: null }), speak).press('1', '#');
    assert.deepEqual(run.orders, ['start-timer', 'play']);
  });

  it('leaves no play and no timer behind', () => {
    const run = ScriptedRun.running(getDigits(), speak).playedOut().press('1', '#');
    assert.deepEqual(run.run.timers, []);
    assert.deepEqual(run.run.plays, {});
  });
});

describe('GetInput', () => {
  it('requests its action with InputType and Digits', () => {
    const run = ScriptedRun.running(getInput()).press('1', '2', '#');
    assert.deepEqual(run.asked, { url: actionUrl.url, InputType: 'dtmf', Digits: '12', Event: 'Redirect' });
  });

  it('ends after two seconds without a digit when digitEndTimeout is automatic', () => {
    const run = ScriptedRun.running(getInput()).press('1');
    assert.deepEqual(run.find('start-timer'), {
      do: 'start-timer',
      key: 'element/digit',
      at: run.now + 2_000,
    });
  });

  it('has one execution timeout for all digits, and ends with the digits so far', () => {
    const run = ScriptedRun.running(getInput({ digitEndTimeoutMs: 10_000 })).press('1');
    assert.ok(!run.effects.some((effect) => effect.do === 'cancel-timer'));
    assert.equal(run.fire('element/timeout').asked?.Digits, '1');
  });

  it('whose prompts are interrupted counts the execution timeout from then', () => {
    const prompts = getDigits().prompts;
    const run = ScriptedRun.running(getInput({ prompts })).press('1');
    assert.deepEqual(
      run.effects.flatMap((effect) => (effect.do === 'start-timer' ? [effect.key] : [])),
      ['element/timeout', 'element/digit'],
    );
  });

  it('that got nothing goes on with the next element', () => {
    const run = ScriptedRun.running(getInput(), speak).fire('element/timeout');
    assert.equal(run.asked, undefined);
    assert.ok(run.find('play'));
  });
});
