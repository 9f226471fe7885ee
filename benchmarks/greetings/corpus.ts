import type { SoundClip, Speech } from '@jackfield/ports';
import { addNoise, atLevel, atLineRate, beep, createRandom, framesOf, lineRate } from './line.ts';
import { greetings } from './texts.ts';

/** One answered call: what comes from the other side, from the answer on. */
export interface AnsweredCall {
  readonly name: string;
  readonly kind: 'hello' | 'company' | 'silent' | 'machine' | 'brief-machine';
  readonly language: string;
  readonly noiseDb: number;
  readonly frames: readonly Int16Array[];
  /** When the beep ends, in ms from the answer; null without one. */
  readonly beepEndMs: number | null;
}

/** Several lines for each text, so that the corpus has more than 200 calls. */
const variants = { hello: 4, company: 3, machine: 6, 'brief-machine': 6 } as const;
const silentCalls = 12;
const beepHz = [440, 620, 850, 1000, 1400, 2000];
const beepMs = [180, 250, 400, 500, 900];
/** How long the caller is silent behind the greeting of a person or the beep. */
const tailMs = 4_500;

/** Makes the corpus; the same calls each time. */
export async function createCorpus(speech: Speech): Promise<readonly AnsweredCall[]> {
  const random = createRandom(20_260);
  const calls: AnsweredCall[] = [];
  for (const { language, hellos, companies, machines, briefMachines } of greetings) {
    const kinds = [
      ['hello', hellos],
      ['company', companies],
      ['machine', machines],
      ['brief-machine', briefMachines],
    ] as const;
    for (const [kind, texts] of kinds) {
      for (const text of texts) {
        const clips: readonly SoundClip[] = [
          await speech.speak({ text, language, voice: 'woman' }),
          await speech.speak({ text, language, voice: 'man' }),
        ];
        for (let variant = 0; variant < variants[kind]; variant++) {
          const name = `${language} ${kind} ${variant}: ${text}`;
          calls.push(answeredCall(name, kind, language, clips[variant % 2]!, random));
        }
      }
    }
  }
  for (let index = 0; index < silentCalls; index++) {
    const noiseDb = -60 + index * 2;
    const noise = addNoise(silence(8_000), noiseDb, index % 2 === 0 ? 'hiss' : 'street', random);
    calls.push({
      name: `silent ${index}`,
      kind: 'silent',
      language: '',
      noiseDb,
      frames: framesOf(noise),
      beepEndMs: null,
    });
  }
  return calls;
}

function answeredCall(
  name: string,
  kind: keyof typeof variants,
  language: string,
  clip: SoundClip,
  random: () => number,
): AnsweredCall {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]!;
  const between = (least: number, most: number) => least + random() * (most - least);
  const isMachine = kind === 'machine' || kind === 'brief-machine';
  const levelDb = between(-30, -14);
  const words = atLevel(trimmed(atLineRate(clip.samples, clip.sampleRate, between(0.88, 1.12))), levelDb);
  const parts = [silence(isMachine ? between(200, 2_200) : between(100, 1_200)), words];
  let beepEndMs: number | null = null;
  if (isMachine) {
    parts.push(silence(between(150, 600)), beep(pick(beepHz), pick(beepMs), between(-26, -12)));
    beepEndMs = (1000 * parts.reduce((sum, { length }) => sum + length, 0)) / lineRate;
  } else if (random() < 0.3) {
    // "Hello? … Hello?"
    parts.push(silence(between(1_400, 2_200)), words);
  }
  parts.push(silence(tailMs));
  // A voice is at least 16 dB above the noise of its line: below that people hang up themselves.
  const noiseDb = Math.min(between(-62, -38), levelDb - 16);
  const noisy = addNoise(joined(parts), noiseDb, isMachine ? 'hiss' : pick(['hiss', 'street']), random);
  return { name, kind, language, noiseDb, frames: framesOf(noisy), beepEndMs };
}

const silence = (ms: number) => new Float64Array(Math.round((ms * lineRate) / 1000));

/** Without the silence that the engine puts around a text. */
function trimmed(samples: Float64Array): Float64Array {
  const isLoud = (sample: number) => Math.abs(sample) > 200;
  return samples.subarray(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1);
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
