import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createEncoder, type WasmMediaEncoder } from 'wasm-media-encoders';
import { silentMp3 } from './mp3-frames.ts';

/** What is to be known of samples before the first of them: 16-bit, channels interleaved. */
export interface SoundFormat {
  readonly sampleRate: number;
  readonly channels: number;
}

/** Turns interleaved samples into the bytes of a file. What it gives is valid until it is asked again. */
export interface SoundEncoder {
  /** Once, before the first samples. */
  begin(format: SoundFormat): void;
  encode(samples: Int16Array): Uint8Array;
  /** What it still held; of an encoder that has not begun, what a file without sound holds. */
  end(): Uint8Array;
  /** It may be used for something else now. */
  free(): void;
}

const nothing = new Uint8Array(0);

/** The samples as they are; every machine that Node runs on by default is little-endian, as WAV is. */
export const plainSamples: SoundEncoder = {
  begin() {},
  encode: (samples) => new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength),
  end: () => nothing,
  free() {},
};

type Lame = WasmMediaEncoder<'audio/mpeg'>;
type Kilobits = NonNullable<Parameters<Lame['configure']>[0]['bitrate']>;

/** LAME for one file at a time each: instances that are free are used again, within limits. */
export interface Mp3Encoders {
  open(): Promise<SoundEncoder>;
}

/** An instance has some megabytes; so many are kept for the next recordings. */
const keptInstances = 8;

/** Compiles the encoder, once for all files. */
export async function loadMp3Encoders(): Promise<Mp3Encoders> {
  let code: Parameters<typeof createEncoder>[1] = await readFile(
    fileURLToPath(import.meta.resolve('wasm-media-encoders/wasm/mp3')),
  );
  const first = await createEncoder('audio/mpeg', code, (compiled) => {
    code = compiled;
  });
  const idle: Lame[] = [first];
  return {
    async open() {
      const lame = idle.pop() ?? (await createEncoder('audio/mpeg', code));
      return mp3Encoder(lame, () => {
        if (idle.length < keptInstances) idle.push(lame);
      });
    },
  };
}

function mp3Encoder(lame: Lame, giveBack: () => void): SoundEncoder {
  let tracks: Float32Array[] = [];
  let isConfigured = false;
  let isFree = false;
  return {
    begin({ sampleRate, channels }) {
      if (channels !== 1 && channels !== 2) throw new RangeError('an MP3 file has one or two channels');
      const bitrate = (kilobitsPerTrack(sampleRate) * channels) as Kilobits;
      // Configuring frees what the instance had before. The rate is said twice: LAME would choose another one for few bits.
      lame.configure({ sampleRate, channels, bitrate, outputSampleRate: sampleRate as 8000 });
      tracks = Array.from({ length: channels }, () => new Float32Array(0));
      isConfigured = true;
    },
    encode(samples) {
      const channels = tracks.length;
      const length = samples.length / channels;
      for (let channel = 0; channel < channels; channel++) {
        let track = tracks[channel]!;
        // The encoder takes the length from the array, so a shorter portion needs a shorter one.
        if (track.length !== length) tracks[channel] = track = new Float32Array(length);
        for (let i = 0, at = channel; i < length; i++, at += channels) track[i] = samples[at]! / 32_768;
      }
      return lame.encode(tracks);
    },
    end: () => (isConfigured ? lame.finalize() : silentMp3),
    free() {
      if (isFree) return;
      isFree = true;
      giveBack();
    },
  };
}

/** Speech is clear at half of what music needs: 32 kbit/s at 8 kHz, so that two tracks come to the 64 that MPEG 2.5 allows best. */
function kilobitsPerTrack(sampleRate: number): number {
  if (sampleRate <= 12_000) return 32;
  return sampleRate <= 24_000 ? 48 : 64;
}
