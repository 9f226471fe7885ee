import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createEncoder, type WasmMediaEncoder } from 'wasm-media-encoders';
import { silentMp3 } from './mp3-frames.ts';

/** The format of the samples, known before the first of them: 16-bit, channels interleaved. */
export interface SoundFormat {
  readonly sampleRate: number;
  readonly channels: number;
}

/** Turns interleaved samples into the bytes of a file. A result is valid until the next call. */
export interface SoundEncoder {
  /** Once, before the first samples. */
  begin(format: SoundFormat): void;
  encode(samples: Int16Array): Uint8Array;
  /** The remaining bytes; of an encoder that has not begun, the content of a file without sound. */
  end(): Uint8Array;
  /** Releases the encoder for another file. */
  free(): void;
}

const nothing = new Uint8Array(0);

/** The samples unchanged; every default platform of Node is little-endian, as WAV is. */
export const plainSamples: SoundEncoder = {
  begin() {},
  encode: (samples) => new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength),
  end: () => nothing,
  free() {},
};

type Lame = WasmMediaEncoder<'audio/mpeg'>;
type Kilobits = NonNullable<Parameters<Lame['configure']>[0]['bitrate']>;

/** LAME, one instance per file; free instances are reused, within limits. */
export interface Mp3Encoders {
  open(): Promise<SoundEncoder>;
}

/** An instance has some megabytes; this many are kept for the next recordings. */
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
      // Configuring frees the previous state of the instance. The rate is given twice: LAME would choose another one for few bits.
      lame.configure({ sampleRate, channels, bitrate, outputSampleRate: sampleRate as 8000 });
      tracks = Array.from({ length: channels }, () => new Float32Array(0));
      isConfigured = true;
    },
    encode(samples) {
      const channels = tracks.length;
      const length = samples.length / channels;
      for (let channel = 0; channel < channels; channel++) {
        let track = tracks[channel]!;
        // The encoder reads the length from the array, so a shorter portion needs a shorter array.
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

/** Speech is clear at half the bit rate of music: 32 kbit/s at 8 kHz, so that two tracks use 64 kbit/s, the most that MPEG 2.5 allows. */
function kilobitsPerTrack(sampleRate: number): number {
  if (sampleRate <= 12_000) return 32;
  return sampleRate <= 24_000 ? 48 : 64;
}
