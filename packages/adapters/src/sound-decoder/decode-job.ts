import { MPEGDecoder } from 'mpg123-decoder';
import { type ClipSink, createClipWriter, tooLong } from './clip-writer.ts';
import { DecodeError } from './decode-error.ts';
import { nextFrames, skipId3 } from './mpeg-frames.ts';
import { recogniseSound } from './recognise-sound.ts';
import { readWavLayout } from './wav-layout.ts';
import { createWavReader } from './wav-samples.ts';

/** One file that is being decoded. */
export interface DecodeJob {
  /** Decodes a slice of some milliseconds; true after the last one. Throws a DecodeError for a fault of the file. */
  turn(): boolean;
  end(): void;
}

export interface DecodeJobLimits {
  readonly seconds: number;
  readonly maxSampleRate: number;
}

/** The receiver of the clip: its length in samples, or slightly more, precedes them. */
export interface DecodeSink {
  begin(sampleRate: number, mostSamples: number): void;
  take(piece: Int16Array): void;
}

/** 4 KB are at most 4 s of MP3: 1 to 5 ms. */
const sliceBytes = 4_096;
/** Reading headers alone is a hundred times as fast. */
const scanBytes = 262_144;
const sliceFrames = 32_768;
/** The decoder omits the padding of encoders, which headers count. */
const paddingSeconds = 1;

export async function createDecodeJob(
  file: Uint8Array,
  limits: DecodeJobLimits,
  sink: DecodeSink,
): Promise<DecodeJob> {
  switch (recogniseSound(file)) {
    case 'wav':
      return createWavJob(file, limits, sink);
    case 'mp3':
      return createMp3Job(file, limits, sink);
    case undefined:
      throw new DecodeError(
        'unknown-format',
        file.length === 0 ? 'it is empty' : 'it is neither an MP3 nor a WAV file',
      );
  }
}

function createWavJob(
  file: Uint8Array,
  { seconds, maxSampleRate }: DecodeJobLimits,
  sink: DecodeSink,
): DecodeJob {
  const layout = readWavLayout(file);
  const length = layout.frames / layout.sampleRate;
  if (length > seconds) throw tooLong(seconds);
  const read = createWavReader(file, layout);
  const clip = createClipWriter(
    maxSampleRate,
    seconds,
    sinkOf(sink, () => length),
  );
  // Frames of many channels are long: a slice has the same bytes for any number of channels.
  const perTurn = Math.max(1, Math.floor(sliceFrames / layout.channels));
  const samples = new Int16Array(perTurn);
  let frame = 0;
  return {
    turn() {
      const count = Math.min(perTurn, layout.frames - frame);
      read(frame, count, samples);
      clip.append(samples, count, layout.sampleRate);
      frame += count;
      if (frame < layout.frames) return false;
      clip.finish();
      return true;
    },
    end() {},
  };
}

/** Reads every header first: a file that is too long is refused before any decoding or allocation. */
async function createMp3Job(
  file: Uint8Array,
  { seconds, maxSampleRate }: DecodeJobLimits,
  sink: DecodeSink,
): Promise<DecodeJob> {
  // One decoder per file: its filters keep sound of the previous file.
  const decoder = new MPEGDecoder();
  await decoder.ready;
  let length = 0;
  const most = (): number => Math.min(length, seconds);
  const clip = createClipWriter(maxSampleRate, seconds, sinkOf(sink, most));
  const first = skipId3(file);
  let scanned: number | undefined = first;
  let at = first;
  let samples = new Int16Array(0);

  const scan = (from: number): number | undefined => {
    let to = from;
    while (to < from + scanBytes) {
      const run = nextFrames(file, to, scanBytes);
      if (run === undefined) return undefined;
      length += run.samples / run.sampleRate;
      if (length > seconds + paddingSeconds) throw tooLong(seconds);
      to = run.end;
    }
    return to;
  };

  return {
    turn() {
      if (scanned !== undefined) {
        scanned = scan(scanned);
        return false;
      }
      // Only whole frames reach the decoder; its work on other bytes is unbounded.
      const run = nextFrames(file, at, sliceBytes);
      if (run === undefined) {
        if (clip.finish()) return true;
        throw new DecodeError('broken-file', 'it is a broken MP3 file: no frame of it could be decoded');
      }
      at = run.end;
      const { channelData, samplesDecoded } = decoder.decode(file.subarray(run.start, run.end));
      if (samples.length < samplesDecoded) samples = new Int16Array(samplesDecoded);
      mixDown(channelData, samplesDecoded, samples);
      clip.append(samples, samplesDecoded, run.sampleRate);
      return false;
    },
    end: () => decoder.free(),
  };
}

function sinkOf(sink: DecodeSink, seconds: () => number): ClipSink {
  return {
    begin: (sampleRate) => sink.begin(sampleRate, Math.ceil(seconds() * sampleRate) + 1),
    take: (piece) => sink.take(piece),
  };
}

/** The decoder outputs two equal channels for mono as well. */
function mixDown(channels: readonly Float32Array[], count: number, out: Int16Array): void {
  const left = channels[0]!;
  const right = channels[1] ?? left;
  for (let i = 0; i < count; i++) {
    const sample = Math.round((left[i]! + right[i]!) * 16_383.5);
    out[i] = sample > 32_767 ? 32_767 : sample < -32_768 ? -32_768 : sample;
  }
}
