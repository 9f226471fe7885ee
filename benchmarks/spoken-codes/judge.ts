import { join } from 'node:path';
import { createEspeakSpeech, type EspeakSpeech } from '@jackfield/adapters/speech-espeak';
import { createProcessSpeechEngine } from '@jackfield/adapters/speech-recognition';
import { resample } from '@jackfield/media';
import { spokenDigits } from '@jackfield/platform/verify';
import { engineSampleRate, type RecognitionProblem, type SpeechEngine } from '@jackfield/ports';

/** What pocketsphinx understood of one code that a call of Verify speaks. */
export interface JudgedCode {
  readonly said: string;
  readonly understood: string;
  /** Words that are wrong, missing or too many. */
  readonly errors: number;
  readonly audioMs: number;
  /** From the last audio to the last word. */
  readonly answerMs: number;
}

const digits = 6;
const names = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
/** About −65 dBFS: its model was trained with people in rooms, and digital silence confuses it. */
const noise = 30;
// Its own removal of noise removes consonants of a synthetic voice.
const command = [
  'pocketsphinx_continuous',
  '-infile',
  '/dev/stdin',
  '-remove_noise',
  'no',
  '-jsgf',
  join(import.meta.dirname, 'six-digits.gram'),
] as const;

/** Speaks as many codes in English as a call of Verify does, at the rate of the recogniser, and has them judged. */
export async function judgeCodes(count: number): Promise<readonly JudgedCode[]> {
  const speech = createEspeakSpeech();
  const engine = createProcessSpeechEngine({ command, limits: { answerMs: 120_000 } });
  const random = createRandom();
  try {
    const judged: JudgedCode[] = [];
    for (let n = 0; n < count; n++) {
      const code = Array.from({ length: digits }, () => Math.floor(random() * 10)).join('');
      judged.push(await judge(code, await spoken(code, speech, random), engine));
    }
    return judged;
  } finally {
    engine.close();
    speech.close();
  }
}

/** The share of wrong words, in percent. */
export function wordError(judged: readonly JudgedCode[]): number {
  const errors = judged.reduce((sum, each) => sum + each.errors, 0);
  return (100 * errors) / (judged.length * digits);
}

async function judge(code: string, audio: Int16Array, engine: SpeechEngine): Promise<JudgedCode> {
  const texts: string[] = [];
  const { promise, resolve } = Promise.withResolvers<RecognitionProblem | null>();
  const session = engine.open(
    { language: 'en-US', hints: [], model: null, profanityFilter: false, interim: false },
    { result: ({ text }) => void texts.push(text), over: resolve },
  );
  session.write(audio);
  const begin = performance.now();
  session.finish();
  const problem = await promise;
  if (problem !== null) throw new Error(problem.sentence);
  const answerMs = performance.now() - begin;
  const understood = texts.join(' ');
  const said = [...code].map((digit) => names[Number(digit)]!).join(' ');
  const errors = distance(said.split(' '), understood.split(' '));
  return { said, understood, errors, audioMs: (1000 * audio.length) / engineSampleRate, answerMs };
}

/** The digits as Verify plays them, with noise, between two pauses. */
async function spoken(code: string, speech: EspeakSpeech, random: () => number): Promise<Int16Array> {
  const silence = (ms: number) => new Int16Array((engineSampleRate * ms) / 1000);
  const parts: Int16Array[] = [silence(400)];
  for (const item of spokenDigits('en_US', code)) {
    if (item.kind === 'silence') parts.push(silence(item.durationMs));
    if (item.kind !== 'speech') continue;
    const { samples, sampleRate } = await speech.speak(item);
    parts.push(resample(samples, sampleRate, engineSampleRate));
  }
  const all = [...parts, silence(500)].flatMap((part) => [...part]);
  return Int16Array.from(all, (sample) =>
    Math.max(-32768, Math.min(32767, sample + noise * (2 * random() - 1))),
  );
}

/** Levenshtein's: insertions, deletions and replacements. */
function distance(one: readonly string[], other: readonly string[]): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [n, word] of one.entries()) {
    const next = [n + 1];
    for (const [at, each] of other.entries())
      next.push(Math.min(row[at]! + (word === each ? 0 : 1), row[at + 1]! + 1, next[at]! + 1));
    row = next;
  }
  return row.at(-1)!;
}

/** Uniform in [0, 1), the same in each run. */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647;
  };
}
