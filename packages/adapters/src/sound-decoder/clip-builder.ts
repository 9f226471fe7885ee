import { createResampler, type Resampler } from '@jackfield/media';
import type { SoundClip } from '@jackfield/ports';
import { DecodeError } from './decode-error.ts';

/** Collects a clip piece by piece; what exceeds its rate is converted down, so that a long file at 48 kHz costs no more memory. */
export interface ClipBuilder {
  /** Throws a DecodeError with `too-long` as soon as the limit is passed. */
  append(samples: Int16Array, count: number, sampleRate: number): void;
  /** The clip, or undefined when nothing came. */
  finish(): SoundClip | undefined;
}

/** Steeper filters cost more than can be heard on a telephone. */
const zeroCrossings = 16;

export function createClipBuilder(maxSampleRate: number, seconds: number): ClipBuilder {
  let rate: number | undefined;
  let from = 0;
  let resampler: Resampler | undefined;
  let kept = new Int16Array(0);
  let length = 0;
  let owed = 0;

  const reserve = (count: number): void => {
    if (kept.length >= length + count) return;
    const larger = new Int16Array(Math.max(length + count, kept.length * 2, 8_192));
    larger.set(kept.subarray(0, length));
    kept = larger;
  };

  /** Silence behind the end pushes the last samples out of the filter. */
  const flush = (): void => {
    if (resampler === undefined) return;
    const tail = new Int16Array(resampler.delaySamples + 1);
    reserve(resampler.outputBound(tail.length));
    const written = resampler.process(tail, 0, tail.length, kept, length);
    length = Math.min(length + written, Math.round(owed));
    resampler = undefined;
  };

  return {
    append(samples, count, sampleRate) {
      if (count === 0) return;
      rate ??= Math.min(sampleRate, maxSampleRate);
      if (sampleRate !== from) {
        flush();
        from = sampleRate;
        if (from !== rate) resampler = createResampler({ from, to: rate, zeroCrossings });
      }
      owed += (count * rate) / from;
      if (owed > seconds * rate) {
        throw new DecodeError('too-long', `it is longer than ${seconds} seconds`);
      }
      if (resampler === undefined) {
        reserve(count);
        kept.set(samples.subarray(0, count), length);
        length += count;
      } else {
        reserve(resampler.outputBound(count));
        length += resampler.process(samples, 0, count, kept, length);
      }
    },
    finish() {
      flush();
      if (rate === undefined || length === 0) return undefined;
      return { sampleRate: rate, samples: kept.slice(0, length) };
    },
  };
}
