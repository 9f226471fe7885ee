import type { EspeakSpeech } from '@jackfield/adapters/speech-espeak';
import { codecFor, resample } from '@jackfield/media';
import { spokenDigits } from '@jackfield/platform/verify';
import { seededRandom } from '@jackfield/testkit';
import { createCodeJudge, digitErrors, judgedDigits } from '@jackfield/testkit/code-judge';
import { cpuOfChildren } from '../measure.ts';

/** What pocketsphinx understood of one code that a call of Verify speaks. */
export interface JudgedCode {
  readonly said: string;
  readonly understood: string;
  /** Digits that are wrong, missing or too many. */
  readonly errors: number;
}

export interface JudgedCodes {
  readonly codes: readonly JudgedCode[];
  readonly audioMs: number;
  /** CPU of pocketsphinx. */
  readonly cpuMs: number;
}

/** The codecs of calls, and how a recogniser hears them. */
const bands = { PCMU: 'telephone', G722: 'wide' } as const;

export type JudgedCodec = keyof typeof bands;

/** Speaks as many codes in English as a call of Verify does, with the loss of a codec, and has them judged. */
export async function judgeCodes(
  speech: EspeakSpeech,
  codec: JudgedCodec,
  count: number,
): Promise<JudgedCodes> {
  const judge = createCodeJudge(bands[codec]);
  const random = seededRandom(5);
  try {
    const codes: JudgedCode[] = [];
    let audioMs = 0;
    const cpuBefore = cpuOfChildren();
    for (let n = 0; n < count; n++) {
      const said = Array.from({ length: judgedDigits }, () => Math.floor(random() * 10)).join('');
      const { samples, sampleRate } = await spoken(said, speech, codec);
      audioMs += (1000 * samples.length) / sampleRate;
      const understood = (await judge.understand(samples, sampleRate)).join('');
      codes.push({ said, understood, errors: digitErrors(said, understood) });
    }
    // The engine that speaks runs on, so only the judge's processes have ended.
    return { codes, audioMs, cpuMs: cpuOfChildren() - cpuBefore };
  } finally {
    judge.close();
  }
}

/** The share of wrong digits, in percent. */
export function wordError(codes: readonly JudgedCode[]): number {
  const errors = codes.reduce((sum, each) => sum + each.errors, 0);
  return (100 * errors) / (codes.length * judgedDigits);
}

/** The digits as Verify plays them, between two pauses, encoded and decoded. */
async function spoken(code: string, speech: EspeakSpeech, name: JudgedCodec) {
  const codec = codecFor(name)!;
  const { sampleRate, frameSamples } = codec;
  const silence = (ms: number) => new Int16Array((sampleRate * ms) / 1000);
  const parts: Int16Array[] = [silence(400)];
  for (const item of spokenDigits('en_US', code)) {
    if (item.kind === 'silence') parts.push(silence(item.durationMs));
    if (item.kind !== 'speech') continue;
    const clip = await speech.speak(item);
    parts.push(resample(clip.samples, clip.sampleRate, sampleRate));
  }
  const all = Int16Array.from([...parts, silence(1000)].flatMap((part) => [...part]));
  const samples = new Int16Array(all.length - (all.length % frameSamples));
  const frame = new Uint8Array(codec.frameBytes);
  for (let at = 0; at < samples.length; at += frameSamples) {
    const bytes = codec.encode(all.subarray(at), frameSamples, frame, 0);
    codec.decode(frame, 0, bytes, samples, at);
  }
  return { samples, sampleRate };
}
