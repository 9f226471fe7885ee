import { joinedSamples, readMpegHeader, readWavHeader, wavTag } from '@jackfield/media';
import type { RecordingFiles, RecordingFormat } from '@jackfield/ports';
import { MPEGDecoder } from 'mpg123-decoder';

/** Part of a file of the recorder: samples of each channel. */
export interface RecordedSpan {
  readonly sampleRate: number;
  readonly channels: readonly Int16Array[];
  /** Whether this is the end of the file, so far. */
  readonly isLast: boolean;
}

/** A file of the recorder, which may still grow. */
export interface RecordedAudio {
  readonly channels: number;
  read(fromMs: number, mostMs: number): Promise<RecordedSpan>;
}

/** More than any header that the recorder writes, and than three frames of MP3. */
const headBytes = 4096;
/** Frames before the requested ones that fill the filters and the bit reservoir of the decoder (ISO 11172-3 §2.4.2.7). */
const leadFrames = 8;
/** Bytes that are decoded at once: a few milliseconds. */
const sliceBytes = 16_384;

/** Undefined for a file without sound. A file that is not there rejects. */
export async function openRecordedAudio(
  files: Pick<RecordingFiles, 'size' | 'read'>,
  name: string,
  format: RecordingFormat,
): Promise<RecordedAudio | undefined> {
  const bytes = (await files.size(name)) ?? 0;
  if (bytes === 0) return undefined;
  const read = async (from: number, to: number) => await whole(await files.read(name, from, to - 1));
  const file = { bytes, read };
  const head = await read(0, Math.min(bytes, headBytes));
  return format === 'wav' ? wavAudio(file, head) : mp3Audio(file, head);
}

interface ReadableFile {
  readonly bytes: number;
  read(from: number, to: number): Promise<Buffer>;
}

function wavAudio(file: ReadableFile, head: Buffer): RecordedAudio | undefined {
  const header = readWavHeader(head);
  if (header.fault !== undefined || header.tag !== wavTag.pcm || header.bits !== 16) return undefined;
  const { channels, sampleRate, frameBytes, start } = header;
  const frames = Math.floor((file.bytes - start) / frameBytes);
  return {
    channels,
    async read(fromMs, mostMs) {
      const from = Math.min(frames, framesIn(fromMs, sampleRate));
      const to = Math.min(frames, from + framesIn(mostMs, sampleRate));
      const bytes =
        to === from ? Buffer.alloc(0) : await file.read(start + from * frameBytes, start + to * frameBytes);
      const spans = Array.from({ length: channels }, () => new Int16Array(to - from));
      for (let frame = 0, at = 0; frame < to - from; frame++) {
        for (let channel = 0; channel < channels; channel++, at += 2)
          spans[channel]![frame] = bytes.readInt16LE(at);
      }
      return { sampleRate, channels: spans, isLast: to === frames };
    },
  };
}

/** All frames of a file of the recorder have the same length: its bit rate is constant and divides into whole bytes. */
function mp3Audio(file: ReadableFile, head: Buffer): RecordedAudio | undefined {
  const header = readMpegHeader(head, 0);
  if (header === undefined) return undefined;
  const { sampleRate, samples, bytes: frameBytes } = header;
  const frames = Math.floor(file.bytes / frameBytes);
  // The two bits of the mode (ISO 11172-3 §2.4.2.3): 3 is one channel.
  const channels = head[3]! >> 6 === 3 ? 1 : 2;
  return {
    channels,
    async read(fromMs, mostMs) {
      const from = Math.min(frames, Math.floor(framesIn(fromMs, sampleRate) / samples));
      const to = Math.min(frames, Math.ceil(framesIn(fromMs + mostMs, sampleRate) / samples));
      const first = Math.max(0, from - leadFrames);
      const bytes = to === from ? Buffer.alloc(0) : await file.read(first * frameBytes, to * frameBytes);
      const decoded = await decode(bytes, channels);
      // The position may lie within its first frame.
      const within = Math.max(0, framesIn(fromMs, sampleRate) - from * samples);
      const requested = Math.max(0, (to - from) * samples - within);
      return {
        sampleRate,
        channels: decoded.map((each) => each.subarray(Math.max(0, each.length - requested))),
        isLast: to === frames,
      };
    },
  };
}

/** Decodes in slices, because signalling runs on the same thread. */
async function decode(bytes: Buffer, channels: number): Promise<readonly Int16Array[]> {
  if (bytes.length === 0) return Array.from({ length: channels }, () => new Int16Array(0));
  const decoder = new MPEGDecoder({ enableGapless: false });
  await decoder.ready;
  try {
    const pieces: Int16Array[][] = Array.from({ length: channels }, () => []);
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      const { channelData, samplesDecoded } = decoder.decode(bytes.subarray(at, at + sliceBytes));
      for (const [channel, all] of pieces.entries())
        all.push(asSamples(channelData[channel]!, samplesDecoded));
      await new Promise(setImmediate);
    }
    return pieces.map(joinedSamples);
  } finally {
    decoder.free();
  }
}

function asSamples(wave: Float32Array, count: number): Int16Array {
  const samples = new Int16Array(count);
  for (let n = 0; n < count; n++)
    samples[n] = Math.max(-32_768, Math.min(32_767, Math.round(wave[n]! * 32_767)));
  return samples;
}

function framesIn(ms: number, sampleRate: number): number {
  return Math.round((ms * sampleRate) / 1000);
}

async function whole(portions: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const portion of portions) all.push(portion);
  return Buffer.concat(all);
}
