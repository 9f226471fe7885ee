import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { GetInput, SpokenInput } from '../instruction.ts';
import { actionUrl, getDigits, getInput, ScriptedRun, speak, spoken } from '../testing/scripted-run.ts';

const interimCallback = { url: 'https://example.com/interim', method: 'POST' } as const;
const { prompts } = getDigits();

/** On a call whose document is one GetInput with speech, and a Speak behind it. */
function listening(speech: Partial<SpokenInput> = {}, input: Partial<GetInput> = {}): ScriptedRun {
  return ScriptedRun.running(getInput({ ...input, speech: spoken(speech) }), speak);
}

function timerOf(run: ScriptedRun, key: string): number | undefined {
  const found = run.effects.find((effect) => effect.do === 'start-timer' && effect.key === `element/${key}`);
  return found?.do === 'start-timer' ? found.at - run.now : undefined;
}

/** A caller who has said this, and the engine is done. */
function said(run: ScriptedRun, text: string, confidence: number | null = null): ScriptedRun {
  return run
    .voice(true)
    .voice(false)
    .recognise(text, { confidence })
    .fire('element/speech-end')
    .recognitionOver();
}

describe('GetInput with speech', () => {
  it('requests its action with the words and their mean confidence', () => {
    const run = listening().voice(true).recognise('new', { confidence: 0.5 });
    run.recognise('york', { confidence: 1 }).voice(false).fire('element/speech-end').recognitionOver();
    assert.deepEqual(run.asked, {
      url: actionUrl.url,
      InputType: 'speech',
      Digits: '',
      Speech: 'new york',
      SpeechConfidenceScore: '0.79',
      Event: 'Redirect',
    });
  });

  it('of an engine without confidence sends none', () => {
    assert.equal('SpeechConfidenceScore' in said(listening(), 'yes').asked!, false);
  });

  it('hands its language, hints, model and profanity filter to the engine, and asks for partial results with a callback', () => {
    const speech = { language: 'fr-FR', hints: ['oui'], model: 'telephone', profanityFilter: true } as const;
    assert.deepEqual(listening(speech).find('start-recognition')?.request, { ...speech, interim: false });
    assert.equal(listening({ interimCallback }).find('start-recognition')?.request.interim, true);
  });

  it('listens from the beginning of its prompts, and a voice interrupts them', () => {
    const run = listening({}, { prompts });
    assert.deepEqual(run.orders, ['start-recognition', 'watch-voice', 'play']);
    assert.deepEqual(run.voice(true).orders, ['stop-play', 'start-timer']);
    assert.equal(timerOf(run, 'timeout'), 15_000);
  });

  it('is interrupted by words of a voice that the media engine does not notice', () => {
    const run = listening({}, { prompts }).recognise('hello', { isFinal: false });
    assert.deepEqual(run.orders, ['stop-play', 'start-timer', 'start-timer']);
    assert.equal(timerOf(run, 'speech-end'), 1_000);
  });

  for (const [endTimeoutMs, expected] of [
    [null, 500],
    [2_000, 1_500],
    [10_000, 9_500],
  ] as const) {
    it(`with speechEndTimeout ${endTimeoutMs ?? 'auto'} ends ${expected} ms after the media engine reports silence`, () => {
      const run = listening({ endTimeoutMs }).voice(true).voice(false);
      assert.equal(timerOf(run, 'speech-end'), expected);
      assert.deepEqual(run.fire('element/speech-end').orders, ['finish-recognition', 'start-timer']);
    });
  }

  it('goes on while the caller speaks again within the timeout', () => {
    const run = listening().voice(true).voice(false).voice(true);
    assert.ok(
      run.effects.some((effect) => effect.do === 'cancel-timer' && effect.key === 'element/speech-end'),
    );
    assert.equal(run.fire('element/speech-end').find('finish-recognition'), undefined);
  });

  it('does not wait longer because results of the engine are late', () => {
    const run = listening().voice(true).voice(false).recognise('late', { isFinal: false });
    assert.equal(timerOf(run, 'speech-end'), undefined);
  });

  it('that heard nothing continues with the next element', () => {
    const run = listening().fire('element/timeout');
    assert.equal(run.asked, undefined);
    assert.deepEqual(run.orders, ['watch-voice', 'cancel-recognition', 'play']);
  });

  it('that heard a voice and no words continues with the next element', () => {
    const run = listening().voice(true).voice(false).fire('element/speech-end').recognitionOver();
    assert.equal(run.asked, undefined);
    assert.deepEqual(run.events, []);
    assert.ok(run.find('play'));
  });

  it('cuts a caller off who speaks beyond the execution timeout, and keeps the words', () => {
    const run = listening().voice(true).recognise('and so on').fire('element/timeout');
    assert.ok(run.find('finish-recognition'));
    assert.equal(run.recognitionOver().asked?.Speech, 'and so on');
  });

  it('with redirect=false and log=false leaves the words in no event', () => {
    const run = said(listening({}, { redirect: false, log: false }), 'my secret');
    assert.deepEqual(run.events, []);
    assert.equal(run.find('report')?.fields.Speech, 'my secret');
  });

  it('cuts endless speech at 10,000 characters', () => {
    const run = listening().voice(true);
    for (let n = 0; n < 30; n++) run.recognise('x'.repeat(500));
    run.voice(false).fire('element/speech-end').recognitionOver();
    assert.ok(run.asked!.Speech!.length <= 10_000);
  });

  it('leaves no play, no timer, no watch and no recognition behind', () => {
    for (const run of [said(listening({}, { prompts }), 'yes'), listening({}, { prompts }).hangUp()]) {
      assert.deepEqual(run.run.timers, []);
      assert.deepEqual(run.run.plays, {});
      assert.equal(run.run.isVoiceWatched, false);
      assert.equal(run.run.recognition, null);
    }
  });
});

describe('Keys beside speech', () => {
  it('decide for keys with the first one, and the recognition ends', () => {
    const run = listening().press('1');
    assert.deepEqual(run.orders, ['cancel-recognition', 'start-timer']);
    assert.deepEqual(run.press('2', '#').asked, {
      url: actionUrl.url,
      InputType: 'dtmf',
      Digits: '12',
      Event: 'Redirect',
    });
  });

  it('interrupt the prompts', () => {
    const run = listening({}, { prompts }).press('1');
    assert.ok(run.find('stop-play'));
    assert.equal(run.press('#').asked?.Digits, '1');
  });

  it('end speech by a key that ends the input', () => {
    const run = listening().voice(true).recognise('yes').press('#');
    assert.ok(run.find('finish-recognition'));
    assert.equal(run.recognitionOver().asked?.Speech, 'yes');
  });

  it('are ignored after the words were understood', () => {
    const run = listening().voice(true).voice(false).recognise('yes').fire('element/speech-end').press('1');
    assert.equal(run.recognitionOver().asked?.InputType, 'speech');
  });

  it('are ignored where speech alone is input', () => {
    const run = listening({ withKeys: false }).press('1', '#');
    assert.deepEqual(run.orders, []);
    assert.equal(said(run, 'yes').asked?.Speech, 'yes');
  });
});

describe('Partial results', () => {
  it('are requested at the callback with a number, stable and unstable words, and are in no event', () => {
    const run = listening({ interimCallback }).voice(true);
    run.recognise('new yo', { isFinal: false, confidence: 0.4 });
    assert.deepEqual(run.find('report'), {
      do: 'report',
      request: interimCallback,
      fields: { StableSpeech: '', UnstableSpeech: 'new yo', SequenceNumber: '0', Stability: '0.40' },
    });
    run.recognise('new york');
    assert.deepEqual(run.find('report')?.fields, {
      StableSpeech: 'new york',
      UnstableSpeech: '',
      SequenceNumber: '1',
    });
    assert.deepEqual(run.events, []);
  });

  it('are reported at most every 200 ms', () => {
    const run = listening({ interimCallback }).voice(true).recognise('a', { isFinal: false });
    assert.equal(run.after(199).recognise('a b', { isFinal: false }).find('report'), undefined);
    assert.ok(run.after(1).recognise('a b c', { isFinal: false }).find('report'));
  });
});

describe('An engine that is away', () => {
  for (const code of [
    'engine-unreachable',
    'engine-slow',
    'engine-failed',
    'unknown-language',
    'no-audio',
  ] as const) {
    it(`(${code}) gives a warning, and keys are still input`, () => {
      const run = listening().recognitionOver(code);
      assert.deepEqual(
        run.events.map((event) => event.type === 'document-warning' && event.sentence),
        [`GetInput: the speech engine is away (${code})`],
      );
      assert.equal(run.voice(true).voice(false).press('1', '#').asked?.Digits, '1');
    });
  }

  it('lets prompts play to their end, and then speech alone continues with the next element', () => {
    const run = listening({ withKeys: false }, { prompts }).recognitionOver('engine-unreachable');
    assert.equal(run.find('stop-play'), undefined);
    assert.equal(run.playedOut().find('play')?.items[0]?.kind, 'speech');
  });

  it('ends a GetInput of speech alone that listens', () => {
    const run = listening({ withKeys: false }).recognitionOver('engine-failed');
    assert.equal(run.find('play')?.items[0]?.kind, 'speech');
  });

  it('leaves what was understood, partial words too', () => {
    const run = listening().voice(true).recognise('new').recognise('york', { isFinal: false });
    assert.equal(run.recognitionOver('engine-failed').asked?.Speech, 'new york');
    assert.equal(run.events[0]?.type, 'document-warning');
  });

  it('that does not complete its result within 5 s is given up, with its words so far', () => {
    const run = listening().voice(true).voice(false).fire('element/speech-end');
    assert.equal(timerOf(run, 'engine'), 5_000);
    run.recognise('yes', { isFinal: false }).fire('element/engine');
    assert.equal(run.asked?.Speech, 'yes');
    assert.ok(run.find('cancel-recognition'));
  });

  it('that ends by itself before any word counts as failed', () => {
    assert.match(JSON.stringify(listening().recognitionOver().events), /ended by itself/);
  });

  it('that answers twice, or for another recognition, changes nothing', () => {
    const run = said(listening(), 'yes');
    assert.deepEqual(run.recognise('no').effects, []);
    assert.deepEqual(run.recognitionOver('engine-failed').effects, []);
    assert.deepEqual(listening().recognise('no', {}, 'another').effects, []);
  });
});
