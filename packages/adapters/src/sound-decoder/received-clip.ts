import type { SoundClip } from '@jackfield/ports';

/** A clip whose samples arrive in pieces, in memory that is allocated once. */
export interface ReceivedClip {
  take(piece: Int16Array): void;
  finish(): SoundClip;
}

/** Memory beyond the last sample that a clip may keep: unwritten pages cost nothing. */
const mostUnused = 65_536;

/** `mostSamples` is the length, or slightly more; further samples are dropped. */
export function createReceivedClip(sampleRate: number, mostSamples: number): ReceivedClip {
  const samples = new Int16Array(mostSamples);
  let length = 0;
  return {
    take(piece) {
      const part = Math.min(piece.length, mostSamples - length);
      samples.set(part === piece.length ? piece : piece.subarray(0, part), length);
      length += part;
    },
    finish() {
      const isClose = mostSamples - length <= mostUnused;
      return { sampleRate, samples: isClose ? samples.subarray(0, length) : samples.slice(0, length) };
    },
  };
}
