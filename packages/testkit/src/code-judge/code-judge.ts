import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessSpeechEngine } from '@jackfield/adapters/speech-recognition';
import { resample } from '@jackfield/media';
import { engineSampleRate, type RecognitionProblem, type SpeechEngine } from '@jackfield/ports';
import { seededRandom } from '../seeded-random.ts';
import { writeTelephoneModel } from './telephone-model.ts';

/** Judges by pocketsphinx, which we did not write, whether spoken codes of six digits are understood in English. */
export interface CodeJudge {
  /** The digits of each time that a code is said, as they are understood. */
  understand(samples: Int16Array, sampleRate: number): Promise<readonly string[]>;
  close(): void;
}

/** Digits of a code that a call of Verify speaks. */
export const judgedDigits = 6;

const names = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
/** About −65 dBFS: its model was trained with people in rooms, and digital silence confuses it. */
const noise = 30;
const answerMs = 120_000;
const command = [
  'pocketsphinx_continuous',
  '-infile',
  '/dev/stdin',
  // Removes consonants of a synthetic voice.
  '-remove_noise',
  'no',
  '-jsgf',
  join(import.meta.dirname, 'spoken-code.gram'),
] as const;
/** Its usual beams and numbers of densities give up too early: a codec makes weak consonants weaker. */
const patience = ['-beam', '1e-120', '-wbeam', '1e-90', '-pbeam', '1e-120', '-topn', '8', '-ds', '1'];

/** `telephone` for calls over G.711; `wide` for those over G.722 and Opus, which have what the model was trained with. */
export function createCodeJudge(band: 'telephone' | 'wide'): CodeJudge {
  const directory = mkdtempSync(join(tmpdir(), 'code-judge-'));
  if (band === 'telephone') writeTelephoneModel(directory);
  const model = band === 'telephone' ? ['-hmm', directory] : [];
  const engine = createProcessSpeechEngine({
    command: [...command, ...patience, ...model],
    limits: { answerMs },
  });
  return {
    async understand(samples, sampleRate) {
      const random = seededRandom(1);
      const noisy = Int16Array.from(resample(samples, sampleRate, engineSampleRate), (sample) =>
        Math.max(-32768, Math.min(32767, sample + noise * (2 * random() - 1))),
      );
      return (await linesOf(engine, noisy)).map(digitsOf).filter((digits) => digits !== '');
    },
    close() {
      engine.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** Digits that are wrong, missing or too many: Levenshtein's distance. */
export function digitErrors(said: string, understood: string): number {
  let row = Array.from({ length: understood.length + 1 }, (_, at) => at);
  for (const [n, digit] of [...said].entries()) {
    const next = [n + 1];
    for (const [at, each] of [...understood].entries())
      next.push(Math.min(row[at]! + (digit === each ? 0 : 1), row[at + 1]! + 1, next[at]! + 1));
    row = next;
  }
  return row.at(-1)!;
}

async function linesOf(engine: SpeechEngine, samples: Int16Array): Promise<readonly string[]> {
  const lines: string[] = [];
  const { promise, resolve } = Promise.withResolvers<RecognitionProblem | null>();
  const session = engine.open(
    { language: 'en-US', hints: [], model: null, profanityFilter: false, interim: false },
    { result: ({ text }) => void lines.push(text), over: resolve },
  );
  session.write(samples);
  session.finish();
  const problem = await promise;
  if (problem !== null) throw new Error(problem.sentence);
  return lines;
}

function digitsOf(line: string): string {
  return line
    .split(' ')
    .map((word) => names.indexOf(word))
    .filter((digit) => digit !== -1)
    .join('');
}
