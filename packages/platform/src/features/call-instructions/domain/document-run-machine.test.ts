import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Instruction } from './instruction.ts';
import {
  actionUrl,
  answerUrl,
  dial,
  fallbackUrl,
  getDigits,
  leg,
  multiparty,
  play,
  record,
  ScriptedRun,
  speak,
  stream,
  wait,
} from './testing/scripted-run.ts';

const redirect: Instruction = { element: 'Redirect', request: actionUrl };
const normal = { code: 4000, name: 'Normal Hangup', source: 'Caller' } as const;

describe('elements', () => {
  it('run one after another; after the last the call ends with 4010', () => {
    const run = ScriptedRun.running(speak, play);
    assert.equal(run.find('play')?.items[0]?.kind, 'speech');
    run.playedOut();
    assert.equal(run.find('play')?.items[0]?.kind, 'file');
    assert.equal(run.playedOut().end, '4010 Answer XML');
  });

  it('play under names of their own', () => {
    const run = ScriptedRun.running(speak, play);
    const first = run.find('play')?.play;
    assert.notEqual(run.playedOut().find('play')?.play, first);
  });

  it('ignore digits that are pressed while nothing collects them', () => {
    const run = ScriptedRun.running(speak, getDigits({ prompts: [] })).press('1', '2');
    assert.deepEqual(run.effects, []);
    run.playedOut().press('7', '#');
    assert.equal(run.asked?.Digits, '7');
  });

  it('that cannot be played are skipped with a warning', () => {
    const run = ScriptedRun.running(play, speak).playedOut('https://example.com/a.mp3 is no sound');
    assert.deepEqual(run.events, [
      { type: 'document-warning', url: answerUrl.url, sentence: 'https://example.com/a.mp3 is no sound' },
    ]);
    assert.ok(run.find('play'));
  });

  it('DTMF ends at once when it is asynchronous, otherwise when the last key is sent', () => {
    const run = ScriptedRun.running({ element: 'DTMF', digits: '1w', isAsync: true }, speak);
    assert.deepEqual(run.orders, ['send-digits', 'play']);
    const waits = ScriptedRun.running({ element: 'DTMF', digits: '1wW', isAsync: false }, speak);
    assert.deepEqual(waits.effects, [
      { do: 'send-digits', digits: '1wW' },
      { do: 'start-timer', key: 'element/sent', at: waits.now + 1_700 },
    ]);
    assert.deepEqual(waits.fire('element/sent').orders, ['play']);
  });

  it('Hangup with a schedule lets the other elements run, and ends the call with 6000 at its time', () => {
    const run = ScriptedRun.running({ element: 'Hangup', reason: null, scheduleSeconds: 9 }, speak);
    assert.deepEqual(run.orders, ['start-timer', 'play']);
    assert.equal(run.fire('schedule').end, '6000 Answer XML');
    assert.ok(run.orders.includes('stop-play'));
  });

  it('Stream runs beside the next elements, and continues when a transfer replaces the document', () => {
    const run = ScriptedRun.running(stream(), speak);
    assert.deepEqual(run.orders, ['start-stream', 'play']);
    assert.deepEqual(run.feed({ type: 'stream-ended', stream: 'stream-0' }).orders, []);
    const transfer = { type: 'transfer', request: actionUrl, kept: null } as const;
    assert.equal(ScriptedRun.running(stream(), speak).feed(transfer).find('stop-stream'), undefined);
  });

  it('Stream with keepCallAlive lasts until its stream ends, then the next element runs', () => {
    const run = ScriptedRun.running(stream({ keepCallAlive: true }), speak);
    assert.deepEqual(run.orders, ['start-stream']);
    assert.deepEqual(run.feed({ type: 'stream-ended', stream: 'another' }).orders, []);
    assert.deepEqual(run.feed({ type: 'stream-ended', stream: 'stream-0' }).orders, ['play']);
    const alone = ScriptedRun.running(stream({ keepCallAlive: true }));
    assert.equal(alone.feed({ type: 'stream-ended', stream: 'stream-0' }).end, '4010 Answer XML');
  });

  it('Stream with keepCallAlive is stopped by a transfer, and ends with the call', () => {
    const transfer = { type: 'transfer', request: actionUrl, kept: null } as const;
    const moved = ScriptedRun.running(stream({ keepCallAlive: true })).feed(transfer);
    assert.equal(moved.find('stop-stream')?.reason, 'API request');
    const over = ScriptedRun.running(stream({ keepCallAlive: true })).hangUp();
    assert.equal(over.find('stop-stream')?.reason, 'Call hangup');
  });
});

describe('Wait', () => {
  it('with beep beeps first, then plays hold music for its length', () => {
    const run = ScriptedRun.running(wait(3_000, { silence: false, beep: true }));
    assert.deepEqual(run.orders, ['play']);
    run.playedOut();
    assert.deepEqual(run.orders, ['start-timer', 'play']);
    assert.deepEqual(run.find('play')?.items[0], {
      kind: 'built-in',
      sound: { kind: 'hold-music' },
      loop: 0,
    });
    run.fire('element/length');
    assert.ok(run.orders.includes('stop-play'));
    assert.equal(run.end, '4010 Answer XML');
  });

  it('with minSilence ends as soon as the caller was silent for that time', () => {
    const run = ScriptedRun.running(wait(60_000, { minSilenceMs: 2_000 }));
    assert.deepEqual(run.orders, ['start-timer', 'watch-voice']);
    run.voice(true).voice(false);
    // Half a second of the silence had passed when it was noticed.
    assert.deepEqual(run.find('start-timer'), {
      do: 'start-timer',
      key: 'element/silence',
      at: run.now + 1_500,
    });
    run.fire('element/silence');
    assert.deepEqual(run.find('watch-voice'), { do: 'watch-voice', watched: false });
    assert.equal(run.end, '4010 Answer XML');
  });
});

describe('documents', () => {
  it('replace each other by Redirect; a late answer to the first is ignored', () => {
    const run = ScriptedRun.running(redirect, speak);
    assert.deepEqual(run.asked, { url: actionUrl.url, Event: 'Redirect' });
    run.feed({ type: 'document-fetched', fetch: 1, elements: [], warnings: [] });
    assert.deepEqual(run.effects, []);
    assert.ok(run.document(play).find('play'));
  });

  it('that are empty end the call', () => {
    assert.equal(ScriptedRun.running().end, '4010 Answer XML');
  });

  it('emit a warning for each part that is not carried out', () => {
    const run = new ScriptedRun('answered').feed({ type: 'begin' });
    run.feed({ type: 'document-fetched', fetch: 1, elements: [], warnings: ['line 2: no music'] });
    assert.deepEqual(run.events, [
      { type: 'document-warning', url: answerUrl.url, sentence: 'line 2: no music' },
    ]);
  });

  for (const [how, bring, codes] of [
    ['answer', (run: ScriptedRun) => run.feed({ type: 'begin' }), [7011, 7022, 7032, 8011]],
    [
      'action',
      (run: ScriptedRun) =>
        run
          .feed({ type: 'begin' })
          .document(getDigits({ numDigits: 1 }))
          .press('1'),
      [7012, 7022, 7032, 8012],
    ],
    [
      'transfer',
      (run: ScriptedRun) => run.feed({ type: 'begin' }, { type: 'transfer', request: actionUrl, kept: null }),
      [7013, 7023, 7033, 8013],
    ],
    [
      'redirect',
      (run: ScriptedRun) => run.feed({ type: 'begin' }).document(redirect),
      [7014, 7024, 7034, 8014],
    ],
  ] as const) {
    for (const [index, fault] of (['unreachable', 'url', 'method', 'xml'] as const).entries()) {
      it(`of a fault '${fault}' at the ${how} URL end the call with ${codes[index]}, and the customer reads why`, () => {
        const run = bring(new ScriptedRun('answered')).fail(fault, 'line 3: no such element');
        assert.equal(run.end, `${codes[index]} Error`);
        assert.deepEqual(
          run.events.map(({ type }) => type),
          ['document-failed'],
        );
        assert.match(JSON.stringify(run.events), /line 3: no such element/);
      });
    }
  }

  it('that cannot be fetched at first are replaced by fallback_url, which gets the reason', () => {
    const run = new ScriptedRun('none', { fallback: fallbackUrl })
      .feed({ type: 'begin' })
      .fail('unreachable', 'no answer');
    assert.deepEqual(run.asked, {
      url: fallbackUrl.url,
      Event: 'StartApp',
      FallbackCode: '7011',
      FallbackCause: 'Error Reaching Answer URL',
      FallbackReason: 'no answer',
    });
    assert.equal(run.end, undefined);
    assert.equal(run.fail('xml').end, '8011 Error');
  });

  it('that replace a running document have no fallback', () => {
    const run = new ScriptedRun('answered', { fallback: fallbackUrl })
      .feed({ type: 'begin' })
      .document(redirect);
    assert.equal(run.fail('unreachable').end, '7014 Error');
  });

  it('on a leg of another owner end it as ordered when they are unreachable, and by the cause of the fault otherwise', () => {
    const kicked = { code: 4030, name: 'Kicked Out Of Multiparty Call', source: 'API Request' } as const;
    const given = { reason: 'action', fields: { MemberID: '7' }, endWithout: kicked } as const;
    const begun = () => new ScriptedRun('answered', given).feed({ type: 'begin' });
    assert.deepEqual(begun().asked, { url: answerUrl.url, Event: 'Redirect', MemberID: '7' });
    const ends = {
      unreachable: '4030 API Request',
      xml: '8012 Error',
      url: '7022 Error',
      method: '7032 Error',
    };
    for (const [fault, end] of Object.entries(ends)) {
      assert.equal(begun().fail(fault as keyof typeof ends).end, end);
    }
    assert.equal(begun().document(redirect).fail('unreachable').end, '7014 Error', 'the first alone');
  });

  it('that follow each other without taking time end the call with 2060 and an event', () => {
    const run = new ScriptedRun('answered', {}, { idleSteps: 20 }).feed({ type: 'begin' });
    for (let round = 0; run.run.phase === 'fetching' && round < 100; round++) run.document(redirect);
    assert.equal(run.end, '2060 Error');
    assert.equal(run.events.at(-1)?.type, 'document-failed');
  });

  it('that take time may follow each other for ever', () => {
    const run = new ScriptedRun('answered', {}, { idleSteps: 20 }).feed({ type: 'begin' });
    for (let round = 0; round < 100; round++) {
      run.document(wait(1_000), redirect).after(1_000).fire('element/length');
    }
    assert.equal(run.run.phase, 'fetching');
  });

  it('that take time to arrive may follow each other for ever', () => {
    const run = new ScriptedRun('answered', {}, { idleSteps: 20 }).feed({ type: 'begin' });
    for (let round = 0; round < 100; round++) run.after(200).document(redirect);
    assert.equal(run.run.phase, 'fetching');
    for (let round = 0; run.run.phase === 'fetching' && round < 100; round++)
      run.after(199).document(redirect);
    assert.equal(run.end, '2060 Error');
  });
});

describe('a transfer', () => {
  const transfer = { type: 'transfer', request: actionUrl, kept: null } as const;

  it('stops the running element and fetches the new document', () => {
    const run = ScriptedRun.running(speak).feed(transfer);
    assert.deepEqual(run.orders, ['reply', 'stop-play', 'fetch']);
    assert.deepEqual(run.find('reply'), { do: 'reply', reply: 'transferred' });
    assert.ok(run.document(play).find('play'));
  });

  it('gives up a document that is being fetched', () => {
    const run = new ScriptedRun('answered').feed({ type: 'begin' }).feed(transfer);
    assert.deepEqual(run.find('give-up-fetch'), { do: 'give-up-fetch', fetch: 1 });
    assert.equal(run.find('fetch')?.fetch, 2);
  });

  it('hangs up the leg that a Dial has connected, unless that leg is moved as well', () => {
    const bridged = () => ScriptedRun.running(dial()).feed({ type: 'leg-answered', leg: 'b-0-0' });
    const hangsUp = (run: ScriptedRun) =>
      run.effects.some((effect) => effect.do === 'hang-up' && effect.leg === 'b-0-0');
    assert.ok(hangsUp(bridged().feed(transfer)));
    const both = bridged().feed({ ...transfer, kept: 'b-0-0' });
    assert.ok(!hangsUp(both));
    assert.ok(both.orders.includes('unbridge'));
  });

  it('reclaims a lent leg, whose return does not end the run', () => {
    const run = ScriptedRun.running(multiparty()).feed(transfer);
    assert.deepEqual(run.orders, ['reply', 'reclaim', 'fetch']);
    run.feed({ type: 'leg-taken', leg }, { type: 'leg-given', leg });
    assert.equal(run.run.phase, 'fetching');
    assert.equal(run.feed({ type: 'leg-taken', leg }).run.phase, 'over');
  });

  it('of a call that rings or has ended is refused', () => {
    const ringing = new ScriptedRun().feed({ type: 'opened' }).feed(transfer);
    assert.deepEqual(ringing.effects, [{ do: 'reply', reply: 'unanswered' }]);
    assert.deepEqual(ScriptedRun.running().feed(transfer).effects, [{ do: 'reply', reply: 'ended' }]);
  });
});

describe('a multiparty call', () => {
  it('has the leg until it comes back; then the next element runs', () => {
    const run = ScriptedRun.running(multiparty(), speak);
    assert.deepEqual(run.orders, ['join']);
    assert.ok(run.feed({ type: 'leg-returned', leg, fields: { MemberID: '7' } }).find('play'));
  });

  it('requests onExitAction with the fields of the participant, whose answer is the next document', () => {
    const run = ScriptedRun.running(multiparty({ onExitAction: actionUrl }));
    run.feed({ type: 'leg-returned', leg, fields: { MemberID: '7' } });
    assert.deepEqual(run.asked, { url: actionUrl.url, MemberID: '7', Event: 'Redirect' });
  });

  it('that the caller joins after a transfer gives the leg back', () => {
    const run = ScriptedRun.running(multiparty()).feed({
      type: 'transfer',
      request: actionUrl,
      kept: null,
    });
    run.feed({ type: 'leg-taken', leg }, { type: 'leg-given', leg }, { type: 'joined', join: 1 });
    assert.deepEqual(run.orders, ['reclaim']);
  });

  it('that refuses emits a warning, and the next element runs', () => {
    const run = ScriptedRun.running(multiparty(), speak).feed({
      type: 'join-refused',
      join: 1,
      sentence: 'it is full',
    });
    assert.deepEqual(run.events, [{ type: 'document-warning', url: answerUrl.url, sentence: 'it is full' }]);
    assert.ok(run.find('play'));
  });
});

describe('a dial', () => {
  it('that is over requests its action with the result', () => {
    const run = ScriptedRun.running(dial()).feed({
      type: 'leg-ended',
      leg: 'b-0-0',
      end: { code: 3010, name: 'Busy Line', source: 'Call recipient' },
      durationSeconds: 0,
    });
    assert.equal(run.asked?.DialStatus, 'busy');
  });

  it('that the end of the call ends requests its action without reading the answer', () => {
    const answered = { type: 'leg-answered', leg: 'b-0-0' } as const;
    const hangup: Instruction = { element: 'Hangup', reason: null, scheduleSeconds: 9 };
    for (const [run, DialStatus] of [
      [ScriptedRun.running(dial()).hangUp(), 'cancel'],
      [ScriptedRun.running(dial()).feed(answered).hangUp(), 'completed'],
      [ScriptedRun.running(hangup, dial()).fire('schedule'), 'cancel'],
    ] as const) {
      const actions = run.events.filter(({ type }) => type === 'action');
      assert.deepEqual(
        actions.map((event) => 'request' in event && [event.request, event.fields.DialStatus]),
        [[actionUrl, DialStatus]],
      );
      assert.equal(run.asked, undefined);
    }
    const silent = ScriptedRun.running(dial({ action: null })).hangUp();
    assert.deepEqual(silent.events, []);
  });

  it('that a transfer or another owner ends does not request its action', () => {
    const transfer = { type: 'transfer', request: actionUrl, kept: null } as const;
    for (const input of [transfer, { type: 'leg-taken', leg }] as const) {
      assert.deepEqual(ScriptedRun.running(dial()).feed(input).events, []);
    }
  });

  it('sends callbacks about its legs', () => {
    const run = ScriptedRun.running(dial({ callback: actionUrl }));
    run.feed({ type: 'leg-answered', leg: 'b-0-0' });
    assert.ok(run.events.length > 0);
    assert.ok(run.events.every(({ type }) => type === 'dial'));
  });

  it('whose callee was transferred is over', () => {
    const run = ScriptedRun.running(dial({ action: null }), speak).feed({
      type: 'leg-answered',
      leg: 'b-0-0',
    });
    run.feed({ type: 'leg-taken', leg: 'b-0-0' });
    assert.ok(run.orders.includes('unbridge'));
    assert.ok(run.find('play'));
  });
});

describe('the end of the leg', () => {
  for (const [state, begin] of [
    ['a play', () => ScriptedRun.running(speak)],
    ['a collection', () => ScriptedRun.running(getDigits({ prompts: [] })).press('1')],
    ['a dial', () => ScriptedRun.running(dial())],
    ['a fetch', () => new ScriptedRun().feed({ type: 'begin' })],
    ['a multiparty call', () => ScriptedRun.running(multiparty())],
  ] as const) {
    it(`during ${state} stops everything and orders no hangup`, () => {
      const run = begin().hangUp();
      assert.equal(run.run.phase, 'over');
      assert.equal(run.end, undefined);
    });
  }

  it('completes a recording, and its action gets the duration', () => {
    const run = ScriptedRun.running(record()).after(3_000).hangUp();
    assert.deepEqual(run.find('stop-recording'), { do: 'stop-recording', uuid: 'recording-0' });
    assert.equal(run.run.phase, 'closing');
    run.recorded('recording-0');
    assert.equal(run.run.phase, 'over');
    assert.deepEqual(run.events[0], {
      type: 'action',
      request: actionUrl,
      fields: {
        RecordUrl: 'https://files/recording-0.mp3',
        RecordingID: 'recording-0',
        RecordingDuration: '4',
        RecordingDurationMs: '4000',
        RecordingStartMs: '1000000',
        RecordingEndMs: '1004000',
        Digits: '',
      },
    });
  });

  it('waits for no recording longer than a minute', () => {
    const run = ScriptedRun.running(record()).hangUp();
    assert.deepEqual(run.find('start-timer'), { do: 'start-timer', key: 'closing', at: run.now + 60_000 });
    assert.equal(run.fire('closing').run.phase, 'over');
  });

  it('that crosses with an ordered hangup does not repeat the order', () => {
    const run = ScriptedRun.running();
    assert.equal(run.end, '4010 Answer XML');
    run.hangUp();
    assert.deepEqual([run.effects, run.run.phase], [[], 'over']);
    assert.deepEqual(run.feed({ type: 'leg-ended', leg, end: normal, durationSeconds: 0 }).effects, []);
  });

  it('that another owner claims ends the run without a hangup', () => {
    const run = ScriptedRun.running(speak).feed({ type: 'leg-taken', leg });
    assert.deepEqual([run.orders, run.run.phase], [['stop-play'], 'over']);
  });
});
