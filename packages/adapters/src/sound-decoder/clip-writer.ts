import { createResampler, type Resampler } from '@jackfield/media';
import { DecodeError } from './decode-error.ts';

/** Converts decoded samples to the rate of the clip and passes them on in pieces, without keeping them. */
export interface ClipWriter {
  /** Throws a DecodeError with `too-long` as soon as the limit is exceeded. */
  append(samples: Int16Array, count: number, sampleRate: number): void;
  /** Passes on the rest; false when the file had no samples. */
  finish(): boolean;
}

/** The receiver of a clip. */
export interface ClipSink {
  /** Precedes the first samples. */
  begin(sampleRate: number): void;
  /** The sink owns the piece. */
  take(piece: Int16Array): void;
}

/** Steeper filters cost more without an audible gain on a telephone. */
const zeroCrossings = 16;

/**
 * 16 KB, 1 s at 8 kHz: a message costs less than its samples, and fits one read of the channel. Pieces of 64 KB span several reads and are joined
 * at the receiver, which then kept 20 MB more for a three-hour clip (measured).
 */
const pieceSamples = 8_192;

export function createClipWriter(maxSampleRate: number, seconds: number, sink: ClipSink): ClipWriter {
  let rate: number | undefined;
  let from = 0;
  let resampler: Resampler | undefined;
  let converted = new Int16Array(0);
  let piece = new Int16Array(pieceSamples);
  let filled = 0;
  let written = 0;
  let owed = 0;

  const put = (samples: Int16Array, count: number): void => {
    written += count;
    for (let at = 0; at < count; ) {
      const part = Math.min(count - at, pieceSamples - filled);
      piece.set(samples.subarray(at, at + part), filled);
      at += part;
      filled += part;
      if (filled === pieceSamples) hand();
    }
  };

  const hand = (): void => {
    if (filled > 0) sink.take(piece.subarray(0, filled));
    piece = new Int16Array(pieceSamples);
    filled = 0;
  };

  const convert = (by: Resampler, samples: Int16Array, count: number): number => {
    const bound = by.outputBound(count);
    if (converted.length < bound) converted = new Int16Array(bound);
    return by.process(samples, 0, count, converted, 0);
  };

  /** Silence after the end flushes the last samples out of the filter. */
  const flush = (): void => {
    if (resampler === undefined) return;
    const tail = new Int16Array(resampler.delaySamples + 1);
    const count = convert(resampler, tail, tail.length);
    put(converted, Math.max(0, Math.min(count, Math.round(owed) - written)));
    resampler = undefined;
  };

  return {
    append(samples, count, sampleRate) {
      if (count === 0) return;
      if (rate === undefined) {
        rate = Math.min(sampleRate, maxSampleRate);
        sink.begin(rate);
      }
      if (sampleRate !== from) {
        flush();
        from = sampleRate;
        if (from !== rate) resampler = createResampler({ from, to: rate, zeroCrossings });
      }
      owed += (count * rate) / from;
      if (owed > seconds * rate) throw tooLong(seconds);
      if (resampler === undefined) put(samples, count);
      else {
        const made = convert(resampler, samples, count);
        put(converted, made);
      }
    },
    finish() {
      flush();
      hand();
      return written > 0;
    },
  };
}

export function tooLong(seconds: number): DecodeError {
  return new DecodeError('too-long', `it is longer than ${seconds} seconds`);
}
