import { joinedSamples } from '@jackfield/media';
import type { SoundClip } from '@jackfield/ports';
import { VoiceError } from './voice-error.ts';
import type { VoiceLimits } from './voice-limits.ts';

/** 40 ms: the first piece is heard at once. */
const firstSeconds = 0.04;
/** Later pieces cost a message each. */
const nextSeconds = 0.2;
const leastRate = 8_000;
const mostRate = 48_000;

/** Bytes of 16-bit little-endian samples, mono, as pieces of sound. */
export async function* piecesOf(
  bytes: AsyncIterable<Uint8Array>,
  sampleRate: number,
  { audioSeconds }: VoiceLimits,
): AsyncGenerator<SoundClip> {
  if (!Number.isInteger(sampleRate) || sampleRate < leastRate || sampleRate > mostRate) {
    throw new VoiceError(
      'engine-failed',
      `the speech engine sent audio whose rate is not ${leastRate} to ${mostRate} Hz`,
    );
  }
  let waiting = Buffer.alloc(0);
  let seconds = firstSeconds;
  let total = 0;
  const piece = (length: number): SoundClip => {
    // A copy: the samples are handed to another thread, and need an even offset.
    const samples = new Int16Array(length / 2);
    Buffer.from(samples.buffer).set(waiting.subarray(0, length));
    waiting = waiting.subarray(length);
    return { sampleRate, samples };
  };
  for await (const more of bytes) {
    total += more.length;
    if (total > audioSeconds * sampleRate * 2) {
      throw new VoiceError('engine-failed', `the speech engine sent more than ${audioSeconds} s of audio`);
    }
    waiting = waiting.length === 0 ? Buffer.from(more) : Buffer.concat([waiting, more]);
    if (waiting.length < seconds * sampleRate * 2) continue;
    seconds = nextSeconds;
    yield piece(waiting.length - (waiting.length % 2));
  }
  if (waiting.length > 1) yield piece(waiting.length - (waiting.length % 2));
  if (total < 2) throw new VoiceError('engine-failed', 'the speech engine ended without audio');
}

/** All pieces as one sound. */
export async function wholeOf(pieces: AsyncIterable<SoundClip>): Promise<SoundClip> {
  const all: SoundClip[] = [];
  for await (const each of pieces) all.push(each);
  const samples = joinedSamples(all.map((piece) => piece.samples));
  return { sampleRate: all[0]?.sampleRate ?? leastRate, samples };
}
