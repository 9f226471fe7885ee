import type { SoundClip } from '@jackfield/ports';
import { MPEGDecoder } from 'mpg123-decoder';
import { createClipBuilder } from './clip-builder.ts';
import { DecodeError } from './decode-error.ts';
import { nextFrames, skipId3 } from './mpeg-frames.ts';
import { recogniseSound } from './recognise-sound.ts';
import { readWavLayout } from './wav-layout.ts';
import { createWavReader } from './wav-samples.ts';

/** One file on its way to a clip. */
export interface DecodeJob {
  /** Does a slice of some milliseconds; the clip when that was the last one. Throws a DecodeError for a fault of the file. */
  turn(): SoundClip | undefined;
  end(): void;
}

export interface DecodeJobLimits {
  readonly seconds: number;
  readonly maxSampleRate: number;
}

/** 16 KB are about a second of MP3: 1 to 5 ms. */
const sliceBytes = 16_384;
const sliceFrames = 32_768;

export async function createDecodeJob(file: Uint8Array, limits: DecodeJobLimits): Promise<DecodeJob> {
  switch (recogniseSound(file)) {
    case 'wav':
      return createWavJob(file, limits);
    case 'mp3':
      return createMp3Job(file, limits);
    case undefined:
      throw new DecodeError(
        'unknown-format',
        file.length === 0 ? 'it is empty' : 'it is neither an MP3 nor a WAV file',
      );
  }
}

function createWavJob(file: Uint8Array, { seconds, maxSampleRate }: DecodeJobLimits): DecodeJob {
  const layout = readWavLayout(file);
  if (layout.frames / layout.sampleRate > seconds) throw tooLong(seconds);
  const read = createWavReader(file, layout);
  const clip = createClipBuilder(maxSampleRate, seconds);
  // Frames of many channels are long: a slice is as many bytes whatever their number.
  const perTurn = Math.max(1, Math.floor(sliceFrames / layout.channels));
  const samples = new Int16Array(perTurn);
  let frame = 0;
  return {
    turn() {
      const count = Math.min(perTurn, layout.frames - frame);
      read(frame, count, samples);
      clip.append(samples, count, layout.sampleRate);
      frame += count;
      return frame === layout.frames ? clip.finish() : undefined;
    },
    end() {},
  };
}

async function createMp3Job(
  file: Uint8Array,
  { seconds, maxSampleRate }: DecodeJobLimits,
): Promise<DecodeJob> {
  // One for each file: what the last one left in its filters is nobody else's to hear.
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const clip = createClipBuilder(maxSampleRate, seconds);
  let at = skipId3(file);
  let samples = new Int16Array(0);
  return {
    turn() {
      // Only whole frames reach the decoder; what it does with other bytes is not bounded.
      const run = nextFrames(file, at, sliceBytes);
      if (run === undefined) {
        const made = clip.finish();
        if (made !== undefined) return made;
        throw new DecodeError('broken-file', 'it is a broken MP3 file: no frame of it could be decoded');
      }
      at = run.end;
      const { channelData, samplesDecoded } = decoder.decode(file.subarray(run.start, run.end));
      if (samples.length < samplesDecoded) samples = new Int16Array(samplesDecoded);
      mixDown(channelData, samplesDecoded, samples);
      clip.append(samples, samplesDecoded, run.sampleRate);
      return undefined;
    },
    end: () => decoder.free(),
  };
}

/** The decoder hands over two channels for mono as well, equal ones. */
function mixDown(channels: readonly Float32Array[], count: number, out: Int16Array): void {
  const left = channels[0]!;
  const right = channels[1] ?? left;
  for (let i = 0; i < count; i++) {
    const sample = Math.round((left[i]! + right[i]!) * 16_383.5);
    out[i] = sample > 32_767 ? 32_767 : sample < -32_768 ? -32_768 : sample;
  }
}

function tooLong(seconds: number): DecodeError {
  return new DecodeError('too-long', `it is longer than ${seconds} seconds`);
}
