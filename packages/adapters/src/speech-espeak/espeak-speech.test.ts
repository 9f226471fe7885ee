import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { SoundClip } from '@jackfield/ports';
import { createEspeakSpeech } from './index.ts';

const speech = createEspeakSpeech({ maxTextLength: 100 });
after(() => speech.close());
const seconds = ({ samples, sampleRate }: SoundClip) => samples.length / sampleRate;
const say = (text: string, language = 'en-US') => speech.speak({ text, language });

/** Share of 30 ms frames that are loud, and share of loud frames that repeat with the period of a voice (70–400 Hz). */
function hearVoice({ samples, sampleRate }: SoundClip): { loud: number; voiced: number } {
  const frame = Math.round(sampleRate * 0.03);
  let frames = 0;
  let loud = 0;
  let voiced = 0;
  for (let at = 0; at + 2 * frame <= samples.length; at += frame, frames += 1) {
    const energy = correlation(samples, at, frame, 0);
    if (Math.sqrt(energy / frame) < 500) continue;
    loud += 1;
    let best = 0;
    for (let lag = Math.round(sampleRate / 400); lag <= sampleRate / 70; lag += 1) {
      const shifted = Math.sqrt(energy * correlation(samples, at + lag, frame, 0));
      best = Math.max(best, correlation(samples, at, frame, lag) / (shifted + 1));
    }
    if (best > 0.6) voiced += 1;
  }
  return { loud: loud / frames, voiced: voiced / loud };
}

function correlation(samples: Int16Array, at: number, length: number, lag: number): number {
  let sum = 0;
  for (let index = at; index < at + length; index += 1) sum += samples[index]! * (samples[index + lag] ?? 0);
  return sum;
}

/** Median frequency of the voice in frames of 40 ms, in Hz. */
function pitch({ samples, sampleRate }: SoundClip): number {
  const frame = Math.round(sampleRate * 0.04);
  const found: number[] = [];
  for (let at = 0; at + 2 * frame <= samples.length; at += frame) {
    const energy = correlation(samples, at, frame, 0);
    if (Math.sqrt(energy / frame) < 800) continue;
    let best = { likeness: 0.6, hz: 0 };
    for (let lag = Math.round(sampleRate / 350); lag <= sampleRate / 70; lag += 1) {
      const shifted = Math.sqrt(energy * correlation(samples, at + lag, frame, 0));
      const likeness = correlation(samples, at, frame, lag) / (shifted + 1);
      if (likeness > best.likeness) best = { likeness, hz: sampleRate / lag };
    }
    if (best.hz > 0) found.push(best.hz);
  }
  return found.sort((one, other) => one - other)[found.length >> 1] ?? 0;
}

test('a sentence is spoken: loud, voiced, and as long as a person takes for it', async () => {
  const clip = await say('Good morning, this is a call from the other side of the town.');
  assert.equal(clip.sampleRate, 22_050);
  const length = seconds(clip);
  assert.ok(length > 2 && length < 7, `${length} s for 13 words`);
  const { loud, voiced } = hearVoice(clip);
  assert.ok(loud > 0.5, `${loud} of the frames are loud`);
  assert.ok(voiced > 0.6, `${voiced} of the loud frames are voiced`);
});

test('the measure of a voice refuses noise and silence', () => {
  let seed = 1;
  const noise = Int16Array.from({ length: 22_050 }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (seed / 2_147_483_648 - 0.5) * 20_000;
  });
  assert.ok(hearVoice({ sampleRate: 22_050, samples: noise }).voiced < 0.2);
  assert.equal(hearVoice({ sampleRate: 22_050, samples: new Int16Array(22_050) }).loud, 0);
});

test('two voices differ, and a language is found with and without its region', async () => {
  const woman = await speech.speak({ text: 'one two three', language: 'en-GB', voice: 'woman' });
  const man = await speech.speak({ text: 'one two three', language: 'en-GB', voice: 'man' });
  assert.notDeepEqual(man.samples, woman.samples);
  for (const language of ['fr-FR', 'fr-CA', 'FR', 'es-US', 'pt-BR', 'de-DE', 'ja-JP']) {
    assert.ok(hearVoice(await say('ananas banana', language)).loud > 0.3, language);
  }
});

test('each listed language can be spoken', async () => {
  const languages = await speech.languages();
  for (const tag of ['en-US', 'en-GB', 'fr-FR', 'de', 'es', 'pt-BR', 'ja'])
    assert.ok(languages.includes(tag), tag);
  assert.deepEqual(languages, [...languages].sort());
  const every20th = languages.filter((_, at) => at % 20 === 0);
  for (const language of every20th) assert.ok((await say('123', language)).samples.length > 0, language);
});

test('markup and phoneme brackets are text, control characters are blanks', async () => {
  const pause = await say('hello <break time="5s"/> world');
  assert.ok(seconds(pause) < 5, `${seconds(pause)} s`);
  assert.ok(seconds(await say('hello\0 world and everybody else')) > 1);
  assert.ok(seconds(await say('[[h@l@]]')) > 0.3);
});

test('markup that was checked is followed: pauses, speed, loudness, spelling and another language', async () => {
  const marked = (markup: string) => speech.speak({ text: 'hello world', markup, language: 'en-US' });
  const plain = await say('hello world');
  const longer = async (markup: string) => seconds(await marked(markup)) - seconds(plain);
  assert.ok(Math.abs((await longer('hello <break time="1500ms"/> world')) - 1.5) < 0.4);
  assert.ok((await longer('<prosody rate="50%">hello world</prosody>')) > 0.5);
  assert.ok((await longer('<say-as interpret-as="characters">hello</say-as> world')) > 0.3);
  const { loud } = hearVoice(await marked('<prosody volume="silent">hello world</prosody>'));
  assert.ok(loud < 0.05, `${loud} of the frames are loud`);
  const german = await marked('<voice xml:lang="de">hello world</voice>');
  assert.notDeepEqual(german.samples, plain.samples);
});

test('another language and another voice inside a text are those of the markup, and the rest keeps the voice of the text', async () => {
  const pitchOf = async (voice: 'woman' | 'man', markup?: string) => {
    const text = 'hello world, how are you today';
    const clip = await speech.speak({ text, language: 'en-US', voice, ...(markup && { markup }) });
    return pitch(clip);
  };
  const words = 'hello world, how are you today';
  const [woman, man] = [await pitchOf('woman'), await pitchOf('man')];
  assert.ok(woman > 1.5 * man, `${woman} and ${man} Hz`);
  const like = (found: number, meant: number) => Math.abs(found / meant - 1) < 0.2;
  const german = await pitchOf('woman', `<voice xml:lang="de">${words}</voice>`);
  assert.ok(like(german, woman), `${german} Hz: a woman speaks the other language as well`);
  const other = await pitchOf('woman', `<voice gender="male">${words}</voice>`);
  assert.ok(like(other, man), `${other} Hz`);
  const unknown = await pitchOf('woman', `<voice xml:lang="xx">${words}</voice>`);
  assert.ok(like(unknown, woman), `${unknown} Hz`);
});

test('the same text is spoken once, also for concurrent requests', async () => {
  const [first, second] = await Promise.all([say('said twice'), say('said twice')]);
  assert.equal(first, second);
  assert.equal(await say('said twice', 'EN-us'), first);
});

test('faults of the request are refused with their code', async () => {
  await assert.rejects(say('x'.repeat(101)), { code: 'text-too-long' });
  await assert.rejects(say(' \n\0'), { code: 'text-empty' });
  await assert.rejects(say('hello', 'tlh-XX'), { code: 'unknown-language' });
  await assert.rejects(say('hello', ''), { code: 'unknown-language' });
});

test('an engine that is killed is started again', async () => {
  await say('before');
  const killed = speech.enginePid!;
  process.kill(killed, 'SIGKILL');
  // The order in flight is refused when the process dies; how long the kill takes is not ours to decide.
  const during = await say('during').catch((error: { code: string }) => error.code);
  if (typeof during === 'string') assert.equal(during, 'engine-failed');
  assert.ok(seconds(await say('after')) > 0.2);
  assert.notEqual(speech.enginePid, killed);
});

test('a slow text is rejected, and a new engine speaks the next one', async () => {
  const hasty = createEspeakSpeech({ timeoutMs: 1, maxWaiting: 1, processes: 1 });
  const first = hasty.speak({ text: 'too slow', language: 'en' });
  const second = hasty.speak({ text: 'waiting', language: 'en' });
  const third = hasty.speak({ text: 'one too many', language: 'en' });
  await Promise.all([
    assert.rejects(first, { code: 'timeout' }),
    assert.rejects(second, { code: 'timeout' }),
    assert.rejects(third, { code: 'too-many-requests' }),
  ]);
  assert.equal(hasty.enginePid, undefined);
});

test('close ends the engine and rejects waiting texts', async () => {
  const closing = createEspeakSpeech();
  const asked = [
    closing.speak({ text: 'one', language: 'en' }),
    closing.speak({ text: 'two', language: 'en' }),
  ];
  await Promise.resolve();
  const pid = closing.enginePid!;
  closing.close();
  for (const one of asked) await assert.rejects(one, { code: 'closed' });
  await assert.rejects(closing.speak({ text: 'three', language: 'en' }), { code: 'closed' });
  assert.equal(closing.enginePid, undefined);
  assert.ok(pid > 0);
});
