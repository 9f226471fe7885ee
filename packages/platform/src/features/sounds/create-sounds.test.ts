import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import type { SoundClip } from '@jackfield/ports';
import { toneMeter } from '@jackfield/testkit';
import type { PlayItem } from './index.ts';
import { inSoundsWorld, type SoundsWorld, type SoundsWorldOptions, toneWav } from './testing/sounds-world.ts';

function inWorld(
  options: SoundsWorldOptions,
  run: (world: SoundsWorld) => Promise<void>,
): () => Promise<void> {
  return () => inSoundsWorld(options, run);
}

const file = (url: string): PlayItem => ({ kind: 'file', url });
const say = (text: string): PlayItem => ({ kind: 'speech', text, language: 'en-US', voice: 'woman' });
const clip = (seconds: number): SoundClip => ({
  sampleRate: 8_000,
  samples: new Int16Array(8_000 * seconds).fill(1_000),
});
/** Seconds in which the tone was loud. */
const secondsOf = (frames: readonly Int16Array[], hz: number) =>
  frames.filter((frame) => toneMeter(hz)(frame) > -15).length / 50;

test(
  'a leg hears a file, a silence, a beep and the file again, one after another',
  inWorld({}, async (world) => {
    const heard = await world.leg('leg');
    const url = await world.server((_, response) => response.end(toneWav(1_000, 1)));
    const items: PlayItem[] = [
      file(`${url}/a.wav`),
      { kind: 'silence', durationMs: 500 },
      { kind: 'built-in', sound: { kind: 'beep', count: 1 } },
      file(`${url}/a.wav`),
    ];
    const play = world.play(items);
    await world.begun(play);
    const over = await world.over(play);
    assert.deepEqual([over.because, over.problems], ['finished', []]);
    const seconds = secondsOf(heard, 1_000);
    assert.ok(seconds > 1.9 && seconds < 2.1, `${seconds} s of the tone`);
    assert.ok(secondsOf(heard, 440) > 0.4, 'the beep');
    const first = world.notices.map((notice) => notice.type);
    assert.deepEqual(first, ['play-begun', 'play-over']);
  }),
);

test('speech for several concurrent plays is spoken once and heard by all', async () => {
  const speech = createEspeakSpeech();
  await inWorld({ speech }, async (world) => {
    const heard = await world.leg('leg');
    const plays = [world.play([say('Good morning')]), world.play([say('Good morning')])];
    for (const play of plays) await world.over(play);
    assert.ok(heard.some((frame) => frame.some((sample) => Math.abs(sample) > 3_000)));
    assert.equal(world.orders.clipsLoaded.length, 1);
  })();
  speech.close();
});

test(
  'each play has a mix of its own, and `alone` reaches the media engine',
  inWorld({}, async (world) => {
    await world.leg('leg');
    const beep: PlayItem = { kind: 'built-in', sound: { kind: 'beep', count: 1 } };
    const play = world.play([beep], { alone: true });
    await world.over(play);
    const [opened, played, closed] = world.orders.commands;
    assert.ok(opened?.do === 'open-mix' && played?.do === 'play' && closed?.do === 'close-mix');
    assert.match(opened.mix, /^play\/p1/);
    assert.deepEqual([played.mix, closed.mix], [opened.mix, opened.mix]);
    assert.equal(played.alone, true);
    world.play([beep], { play });
    await world.until('a name is free again', () => world.notices.length === 4, 20);
  }),
);

test(
  'a play with the name of a live play, or of an unregistered owner, is refused',
  inWorld({}, async (world) => {
    await world.leg('leg');
    const play = world.play([{ kind: 'silence', durationMs: 100 }]);
    assert.throws(() => world.play([], { play }), /alive already/);
    assert.throws(() => world.play([], { owner: { kind: 'stranger', id: 'x' } }), /no owner is registered/);
    assert.throws(() => world.sounds.ownedBy('test', () => {}), /an owner already/);
    await world.until('the silence is over', () => world.notices.length > 0, 20);
    world.sounds.stop(play);
    world.sounds.stop('unknown');
  }),
);

test(
  'an endless play ends when its only listener is gone',
  inWorld({}, async (world) => {
    await world.leg('leg');
    const play = world.play([{ kind: 'built-in', sound: { kind: 'hold-music' } }], { loop: 0 });
    await world.begun(play);
    await world.world.advance(3_000);
    assert.equal(world.census().plays, 1);
    await world.hangUp('leg');
    assert.equal((await world.over(play)).because, 'finished');
    await world.leg('other');
    const items: PlayItem[] = [
      { kind: 'built-in', sound: { kind: 'beep', count: 1 } },
      { kind: 'silence', durationMs: 3_600_000 },
    ];
    const other = world.play(items, { loop: 0, to: ['other'] });
    await world.world.advance(3_000);
    await world.hangUp('other');
    assert.equal((await world.over(other)).because, 'finished', 'in a silence as well');
  }),
);

test(
  'a play that is stopped during the fetch of its file aborts the fetch',
  inWorld({}, async (world) => {
    let isGone = false;
    let hasCome = false;
    const url = await world.server((request) => {
      hasCome = true;
      request.socket.on('close', () => {
        isGone = true;
      });
    });
    const play = world.play([file(url)]);
    await world.until('the fetch is under way', () => hasCome);
    assert.equal(world.census().fetching, 1);
    world.sounds.stop(play);
    assert.equal((await world.over(play)).because, 'stopped');
    await world.until('the connection is closed', () => isGone);
    assert.equal(world.census().fetching, 0);
  }),
);

test('an answer that breaks off, a text that cannot be spoken and an unexpected item have codes of their own', async () => {
  const refusal = Object.assign(new Error('the text is empty'), { code: 'text-empty' });
  const speech = { speak: () => Promise.reject(refusal) };
  await inSoundsWorld({ speech, loggedErrors: ['sound failed to load'] }, async (world) => {
    await world.leg('leg');
    const url = await world.server((request, response) => {
      if (request.url === '/gone') response.writeHead(404).end();
      else response.destroy();
    });
    const unexpected = { kind: 'unexpected' } as unknown as PlayItem;
    const { problems } = await world.over(world.play([file(url), file(`${url}/gone`), say(' '), unexpected]));
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['broken-answer', 'unexpected-status', 'text-refused', 'internal'],
    );
  });
});

test(
  'a failed sound is reported in a sentence without secrets, and in an event of the account',
  inWorld({ limits: { maxFileBytes: 1 << 20, maxSeconds: 5 } }, async (world) => {
    await world.leg('leg');
    const url = await world.server((request, response) => {
      if (request.url === '/html')
        response.setHeader('Content-Type', 'text/html; charset=utf-8').end('<html>');
      else if (request.url === '/large') response.end(new Uint8Array((1 << 20) + 1));
      else if (request.url === '/long') response.end(toneWav(400, 6));
      else response.writeHead(404).end();
    });
    const host = url.slice('http://'.length);
    const items = [
      file(`http://me:secret@${host}/gone.mp3?token=secret#x`),
      file(`${url}/html`),
      file(`${url}/large`),
      file(`${url}/long`),
      file('http://127.0.0.1:1/'),
      file('not a url'),
      { kind: 'built-in', sound: { kind: 'beep', count: 1 } } as const,
      say('hello'),
    ];
    const { main } = world.world;
    const branch = await world.world.subaccount();
    const play = world.play(items, { account: branch.authId, mainAccount: main.authId });
    // No time passes during the requests: after 10 s a failed item would be loaded again.
    await world.begun(play);
    const { because, problems } = await world.over(play);
    assert.equal(because, 'finished');
    const sentences = problems.map((problem) => problem.sentence);
    assert.deepEqual(
      problems.map((problem) => problem.code),
      [
        'address-refused',
        'not-a-sound',
        'file-too-large',
        'file-too-long',
        'unreachable',
        'address-refused',
        'speech-failed',
      ],
    );
    assert.deepEqual(
      problems.map((problem) => problem.item),
      [0, 1, 2, 3, 4, 5, 7],
    );
    assert.match(sentences[0]!, /http:\/\/127\.0\.0\.1:\d+\/gone\.mp3 could not be played/);
    assert.match(sentences[1]!, /neither an MP3 nor a WAV file \(6 bytes of text\/html came; MP3 and WAV/);
    assert.match(sentences[2]!, /larger than 1 MB/);
    assert.match(sentences[3]!, /longer than 5 seconds/);
    assert.match(sentences[4]!, /no connection: ECONNREFUSED/);
    assert.match(sentences[5]!, /not_a_url could not be played/);
    assert.match(sentences[6]!, /the speech engine failed/);
    assert.ok(!sentences.some((sentence) => /secret/.test(sentence)));
    const events = await world.events();
    assert.equal(events.length, 7);
    const [event] = events;
    // The main account reads the event of its subaccount.
    assert.deepEqual([event!.type, event!.account], ['sound.failed', branch.authId]);
    assert.equal(event!.resource, 'call/leg');
    assert.deepEqual([event!.data.problem, event!.data.problem_code], [sentences[0], 'address-refused']);
    assert.match(await world.metrics(), /jackfield_sound_failures_total\{kind="file"\} 6/);
  }),
);

test(
  'a failure in several parts of one play makes one event, also when a part was stopped before',
  inWorld({}, async (world) => {
    for (const leg of ['one', 'two', 'three']) await world.leg(leg);
    const answers: (() => void)[] = [];
    const url = await world.server((_, response) => {
      answers.push(() => response.writeHead(404).end());
    });
    const account = world.world.main.authId;
    const partOf = { play: 'whole', to: ['one', 'two', 'three'] };
    const joint = (leg: string, method: 'GET' | 'POST') =>
      world.play([{ kind: 'file', url, method }], { to: [leg], account, mainAccount: account, partOf });
    // Each POST is a request of its own.
    const parts = [joint('one', 'POST'), joint('two', 'POST'), joint('three', 'POST')];
    await world.until('all are asked for', () => answers.length === 3);
    world.sounds.stop(parts[0]!);
    for (const answer of answers) answer();
    for (const part of parts) await world.over(part);
    assert.deepEqual(
      (await world.events()).map(({ type, resource, data }) => [type, resource, data.play, data.call_uuids]),
      [['sound.failed', 'play/whole', 'whole', partOf.to]],
    );
    const again = joint('one', 'GET');
    await world.until('asked again', () => answers.length === 4);
    answers[3]!();
    await world.over(again);
    assert.equal((await world.events()).length, 2, 'a new play of that name is another one');
  }),
);

test('texts of one account wait for each other, not for other accounts; withdrawn texts are never spoken', async () => {
  const asked: string[] = [];
  const answers: ((clip: SoundClip) => void)[] = [];
  const speech = {
    speak({ text }: { text: string }) {
      asked.push(text);
      return new Promise<SoundClip>((resolve) => answers.push(resolve));
    },
  };
  await inWorld({ speech }, async (world) => {
    await world.leg('leg');
    const plays = ['a1', 'a2', 'a3'].map((text) => world.play([say(text)], { account: 'A' }));
    plays.push(world.play([say('b1')], { account: 'B' }));
    await world.until('two are asked for', () => asked.length === 2);
    assert.deepEqual(asked, ['a1', 'b1']);
    world.sounds.stop(plays[1]!);
    await world.over(plays[1]!);
    answers[0]!(clip(1));
    await world.until('the next one is asked for', () => asked.length === 3);
    assert.deepEqual(asked, ['a1', 'b1', 'a3'], 'the stopped play is skipped');
    answers[1]!(clip(1));
    answers[2]!(clip(0));
    const { problems } = await world.over(plays[2]!);
    assert.match(problems[0]!.sentence, /nothing to be heard/);
    assert.equal(problems[0]!.code, 'silent');
    for (const play of plays) await world.over(play);
  })();
});

test('the end of the platform drops idle clips, and no play is accepted after it', async () => {
  let ended: SoundsWorld | undefined;
  await inSoundsWorld({}, async (world) => {
    ended = world;
    await world.leg('leg');
    const url = await world.server((_, response) => response.end(toneWav(400, 5)));
    const playing = world.play([file(url)]);
    await world.begun(playing);
    world.sounds.stop(playing);
    await world.over(playing);
    assert.equal(world.world.node.media.census().clips, 1);
  });
  assert.throws(() => ended?.play([]), /no sound is played any more/);
});

/** An engine whose pieces the test gives. */
function streamedSpeech() {
  const waiting: ((piece: SoundClip | Error | undefined) => void)[] = [];
  const given: (SoundClip | Error | undefined)[] = [];
  let streams = 0;
  const next = () =>
    given.length > 0
      ? Promise.resolve(given.shift())
      : new Promise<SoundClip | Error | undefined>((resolve) => void waiting.push(resolve));
  return {
    speech: {
      speak: async () => clip(1),
      async *stream() {
        streams++;
        for (;;) {
          const piece = await next();
          if (piece === undefined) return;
          if (piece instanceof Error) throw piece;
          yield piece;
        }
      },
    },
    streams: () => streams,
    give(piece: SoundClip | Error | undefined) {
      const taker = waiting.shift();
      if (taker === undefined) given.push(piece);
      else taker(piece);
    },
  };
}

const streamed = streamedSpeech();
test(
  'a text is heard from its first piece on, while the engine makes the others, and is kept whole for the next play',
  inWorld({ speech: streamed.speech }, async (world) => {
    const heard = await world.leg('leg');
    const loud = () => heard.filter((frame) => frame.some((sample) => Math.abs(sample) > 500)).length;
    streamed.give(clip(0.2));
    const play = world.play([say('A long text.')]);
    await world.begun(play);
    await world.until('the first piece is heard', () => loud() >= 9, 20);
    assert.ok(world.census().texts === 1, 'the engine still speaks');
    await world.world.advance(200);
    streamed.give(clip(0.3));
    streamed.give(undefined);
    const over = await world.over(play);
    assert.deepEqual([over.because, over.problems], ['finished', []]);
    assert.ok(loud() >= 23 && loud() <= 27, `${loud()} frames`);
    await world.over(world.play([say('A long text.')]));
    assert.equal(streamed.streams(), 1, 'it was made once');
  }),
);

const brokenSpeech = streamedSpeech();
test(
  'an engine that breaks off ends the text there, and it is made again for the next play',
  inWorld({ speech: brokenSpeech.speech }, async (world) => {
    await world.leg('leg');
    brokenSpeech.give(clip(0.4));
    brokenSpeech.give(new Error('gone'));
    const over = await world.over(world.play([say('A text.')]));
    assert.equal(over.because, 'finished');
    assert.deepEqual(
      over.problems.map(({ code, sentence }) => [code, sentence]),
      [['speech-broke-off', 'the text was heard in part: its sound could not be completed']],
    );
    assert.ok(world.world.log.some(({ level }) => level === 'warn'));
    brokenSpeech.give(new Error('gone'));
    const { problems } = await world.over(world.play([say('A text.')]));
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['speech-failed'],
    );
    assert.equal(brokenSpeech.streams(), 2);
  }),
);

const reportedSpeech = streamedSpeech();
test(
  'a text that breaks off is an event for each account that hears it, once for the parts of one play, and the next item is heard',
  inWorld({ speech: reportedSpeech.speech }, async (world) => {
    const heard = await world.leg('leg');
    await world.leg('other');
    const beep: PlayItem = { kind: 'built-in', sound: { kind: 'beep', count: 1 } };
    const partOf = { play: 'whole', to: ['leg', 'other'] };
    const text = say('A secret text.');
    reportedSpeech.give(clip(0.2));
    const { main } = world.world;
    const other = await world.world.subaccount();
    const [a, b] = [
      { account: main.authId, mainAccount: main.authId },
      { account: other.authId, mainAccount: main.authId },
    ];
    const plays = [
      world.play([text, beep], a),
      world.play([text], { ...b, partOf }),
      world.play([text], { ...b, to: ['other'], partOf }),
    ];
    for (const play of plays) await world.begun(play);
    reportedSpeech.give(Object.assign(new Error('cut off'), { code: 'engine-failed' }));
    const overs = [];
    for (const play of plays) overs.push(await world.over(play));
    assert.deepEqual(
      overs.map(({ because, problems }) => [because, ...problems.map(({ code }) => code)]),
      plays.map(() => ['finished', 'speech-broke-off']),
    );
    assert.ok(secondsOf(heard, 440) > 0.4, 'the beep behind it');
    const events = await world.events();
    assert.deepEqual(
      events.map(({ type, account, resource, data }) => [type, account, resource, data.item]),
      [
        ['sound.broken-off', main.authId, 'call/leg', 0],
        ['sound.broken-off', other.authId, 'play/whole', 0],
      ],
    );
    const { problem, problem_code } = events[0]!.data;
    assert.deepEqual(
      [problem, problem_code],
      ['the text was heard in part: the speech engine failed within it', 'speech-broke-off'],
    );
    assert.ok(!JSON.stringify([events, world.world.log]).includes('secret'));
  }),
);

const stoppedSpeech = streamedSpeech();
test(
  'a stopped play ends the rest of its text',
  inWorld({ speech: stoppedSpeech.speech }, async (world) => {
    await world.leg('leg');
    stoppedSpeech.give(clip(0.4));
    const play = world.play([say('A text.')]);
    await world.begun(play);
    world.sounds.stop(play);
    await world.over(play);
    await world.until('its turn is over', () => world.census().texts === 0);
    stoppedSpeech.give(undefined);
  }),
);
