import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actionUrl, dial, leg, record, ScriptedRun, speak } from '../testing/scripted-run.ts';

const whole = {
  RecordUrl: 'https://files/recording-0.mp3',
  RecordingID: 'recording-0',
  RecordingDuration: '4',
  RecordingDurationMs: '4000',
  RecordingStartMs: '1000000',
  RecordingEndMs: '1004000',
};
const begun = {
  RecordUrl: 'https://files/recording-0.mp3',
  RecordingID: 'recording-0',
  RecordingDuration: '-1',
  RecordingDurationMs: '-1',
  RecordingStartMs: '-1',
  RecordingEndMs: '-1',
  Digits: '',
};
/** The disk was full after 4 seconds. */
const failed = {
  type: 'recording-over',
  recording: 'recording-0',
  url: 'https://files/recording-0.mp3',
  outcome: 'failed',
  because: 'failed',
  durationMs: 4_000,
  startedAt: 1_000_000,
  endedAt: 1_004_000,
  fault: { code: 'disk-full', sentence: 'the disk is full' },
} as const;

describe('Record', () => {
  it('beeps and then records the caller on the left, what it hears on the right', () => {
    const run = ScriptedRun.running(record({ playBeep: true }));
    assert.deepEqual(run.orders, ['play']);
    run.playedOut();
    assert.deepEqual(run.orders, ['start-recording', 'watch-voice', 'start-timer']);
    assert.deepEqual(run.find('start-recording')?.recording.tracks, [
      { said: [leg], heard: [] },
      { said: [], heard: [leg] },
    ]);
  });

  it('in mono records only the caller', () => {
    const run = ScriptedRun.running(record({ channels: 'mono' }));
    assert.deepEqual(run.find('start-recording')?.recording.tracks, [{ said: [leg], heard: [] }]);
  });

  it('ends by finishOnKey, which its action gets as Digits when the file is complete', () => {
    const run = ScriptedRun.running(record()).press('1');
    assert.deepEqual(run.effects, []);
    run.press('#');
    assert.deepEqual(run.orders, ['stop-recording']);
    assert.deepEqual(run.recorded('recording-0').asked, {
      url: actionUrl.url,
      ...whole,
      Digits: '#',
      Event: 'Redirect',
    });
  });

  it('ends after a silence of timeout, also when the caller never speaks', () => {
    const run = ScriptedRun.running(record());
    assert.deepEqual(run.find('start-timer'), {
      do: 'start-timer',
      key: 'element/silence',
      at: run.now + 15_000,
    });
    // The first notice of the watch is the present state.
    assert.deepEqual(run.voice(false).effects, []);
    assert.deepEqual(run.voice(true).effects, [{ do: 'cancel-timer', key: 'element/silence' }]);
    run.after(2_000).voice(false);
    assert.deepEqual(run.find('start-timer'), {
      do: 'start-timer',
      key: 'element/silence',
      at: run.now + 14_500,
    });
    assert.deepEqual(run.fire('element/silence').orders, ['stop-recording']);
  });

  it('ends by its greatest length, which the recording itself limits', () => {
    const run = ScriptedRun.running(record({ maxLengthSeconds: 20 }));
    assert.equal(run.find('start-recording')?.recording.maxSeconds, 20);
    run.recorded('recording-0', 20_000);
    assert.equal(run.asked?.RecordingDuration, '20');
    assert.ok(!run.orders.includes('stop-recording'));
  });

  it('that failed emits a warning', () => {
    const run = ScriptedRun.running(record({ action: null }), speak).feed(failed);
    assert.match(JSON.stringify(run.events), /recording-0 failed/);
    assert.ok(run.find('play'));
  });

  it('that failed gives the reason to its action, also after the end of the call', () => {
    const reason = { RecordingError: 'the disk is full', RecordingErrorCode: 'disk-full' };
    const { asked } = ScriptedRun.running(record()).feed(failed);
    assert.deepEqual(asked, { url: actionUrl.url, ...whole, Digits: '', ...reason, Event: 'Redirect' });
    const [action] = ScriptedRun.running(record())
      .hangUp()
      .feed(failed)
      .events.filter(({ type }) => type === 'action');
    assert.deepEqual(action, {
      type: 'action',
      request: actionUrl,
      fields: { ...whole, Digits: '', ...reason },
    });
  });
});

describe('Record of the session', () => {
  it('runs beside the next elements; its action is requested at once with durations of -1', () => {
    const run = ScriptedRun.running(record({ recordSession: true, redirect: false }), speak);
    assert.deepEqual(run.orders, ['start-recording', 'emit', 'play']);
    assert.deepEqual(run.events, [{ type: 'action', request: actionUrl, fields: begun }]);
  });

  it('reads the answer of its action when redirect is true', () => {
    const run = ScriptedRun.running(record({ recordSession: true }), speak);
    assert.deepEqual(run.asked, { url: actionUrl.url, ...begun, Event: 'Redirect' });
  });

  it('continues through transfers, and is completed and reported when the call ends', () => {
    const run = ScriptedRun.running(record({ recordSession: true, redirect: false }), speak);
    run.feed({ type: 'transfer', request: actionUrl, kept: null });
    assert.ok(!run.orders.includes('stop-recording'));
    run.document();
    assert.deepEqual(run.orders, ['stop-recording', 'hang-up']);
    run.recorded('recording-0');
    assert.deepEqual(run.events, [{ type: 'action', request: actionUrl, fields: { ...whole, Digits: '' } }]);
    assert.equal(run.hangUp().run.phase, 'over');
  });

  it('in mono has both sides on its one track', () => {
    const run = ScriptedRun.running(record({ recordSession: true, channels: 'mono' }));
    assert.deepEqual(run.find('start-recording')?.recording.tracks, [{ said: [leg], heard: [leg] }]);
  });

  it('with startOnDialAnswer begins when a Dial is answered', () => {
    const run = ScriptedRun.running(record({ startOnDialAnswer: true }), dial());
    assert.ok(!run.orders.includes('start-recording'));
    run.feed({ type: 'leg-answered', leg: 'b-1-0' });
    assert.ok(run.orders.indexOf('bridge') < run.orders.indexOf('start-recording'));
    assert.deepEqual(run.events[0], { type: 'action', request: actionUrl, fields: begun });
  });
});
