import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import type { Sound } from './heard.ts';

const rate = 8000;
/** Frames of 10 ms. */
const frame = rate / 100;
/** Quieter than the softest sound of a digit, louder than the steps of µ-law around zero. */
const silentLevel = 60;
/** Between digits there is a quarter of a second; within one there are stops of a tenth. */
const gapFrames = 16;

interface Spoken {
  readonly digit: string;
  readonly samples: Float64Array;
}

/** The ten digits as the engine says them, to compare with what was heard. */
export async function engineDigits(language: string): Promise<readonly Spoken[]> {
  const speech = createEspeakSpeech();
  try {
    const digits: Spoken[] = [];
    for (const digit of '0123456789') {
      const clip = await speech.speak({ text: digit, language, voice: 'woman' });
      digits.push({
        digit,
        samples: trimmed(resampled({ sampleRate: clip.sampleRate, samples: clip.samples })),
      });
    }
    return digits;
  } finally {
    await speech.close();
  }
}

/** The pieces of speech between silences, each as the digit that it resembles most, and how much (0–1). */
export function heardDigits(
  heard: Sound,
  digits: readonly Spoken[],
): readonly { readonly digit: string; readonly likeness: number; readonly lengthMs: number }[] {
  return pieces(resampled(heard)).map((piece) => {
    const scored = digits
      .map(({ digit, samples }) => ({ digit, likeness: likeness(piece, samples) }))
      .sort((one, other) => other.likeness - one.likeness);
    return { ...scored[0]!, lengthMs: Math.round((piece.length / rate) * 1000) };
  });
}

function resampled({ sampleRate, samples }: Sound): Float64Array {
  const step = sampleRate / rate;
  const result = new Float64Array(Math.floor(samples.length / step));
  // The mean over each sample keeps frequencies above 4 kHz from folding back.
  const width = Math.max(1, Math.round(step));
  for (let index = 0; index < result.length; index++) {
    const from = Math.floor(index * step);
    let sum = 0;
    for (let at = from; at < from + width; at++) sum += samples[at] ?? 0;
    result[index] = sum / width;
  }
  return result;
}

function isLoud(samples: Float64Array, frameIndex: number): boolean {
  let sum = 0;
  for (let at = frameIndex * frame; at < (frameIndex + 1) * frame; at++) sum += (samples[at] ?? 0) ** 2;
  return Math.sqrt(sum / frame) > silentLevel;
}

function pieces(samples: Float64Array): readonly Float64Array[] {
  const found: Float64Array[] = [];
  let start = -1;
  let lastLoud = -1;
  const frames = Math.floor(samples.length / frame);
  for (let index = 0; index <= frames; index++) {
    const loud = index < frames && isLoud(samples, index);
    if (loud) {
      if (start === -1) start = index;
      lastLoud = index;
    } else if (start !== -1 && (index - lastLoud > gapFrames || index === frames)) {
      found.push(samples.slice(start * frame, (lastLoud + 1) * frame));
      start = -1;
    }
  }
  return found;
}

function trimmed(samples: Float64Array): Float64Array {
  const [first = samples, ...more] = pieces(samples);
  if (more.length > 0) throw new Error('the engine says a digit in two pieces');
  return first;
}

/** The highest normalised correlation of two sounds within 30 ms of their beginnings. */
function likeness(one: Float64Array, other: Float64Array): number {
  let best = 0;
  for (let lag = -240; lag <= 240; lag += 1) {
    let dot = 0;
    let ones = 0;
    let others = 0;
    for (let at = Math.max(0, lag); at < Math.max(one.length, other.length + lag); at++) {
      const a = one[at] ?? 0;
      const b = other[at - lag] ?? 0;
      dot += a * b;
      ones += a * a;
      others += b * b;
    }
    best = Math.max(best, dot / Math.sqrt(ones * others || 1));
  }
  return best;
}
