import { pcma, pcmu } from '@jackfield/media';
import { readWavFormat, type WavFormat } from './wav-format.ts';

/** The samples of a chunk, or the reason for their absence. */
export type ReadAudio =
  | { readonly samples: Int16Array; readonly sampleRate: number; readonly sentence?: never }
  | { readonly sentence: string };

/** The format of chunks that do not state it. */
export interface AudioDefaults {
  readonly contentType: string;
  readonly sampleRate: number;
}

/**
 * Decodes consecutive chunks into samples: 16-bit little-endian, µ-law, or WAV, whose header may precede the first chunk only. Half a
 * sample at the end of a chunk is kept for the next one.
 */
export class AudioReader {
  readonly #defaults: AudioDefaults;
  #odd = -1;
  /** The half sample in front of the last chunk; -1 for none, as in `#odd`. */
  #before = -1;
  #refused: { readonly bytes: Uint8Array; readonly odd: number } | undefined;
  #kind = '';
  #wav: WavFormat | undefined;

  constructor(defaults: AudioDefaults) {
    this.#defaults = defaults;
  }

  read(contentType: string, sampleRate: number | undefined, bytes: Uint8Array): ReadAudio {
    const [type = '', ...parameters] = (contentType || this.#defaults.contentType)
      .toLowerCase()
      .split(';', 8);
    const kind = kinds.get(type.trim());
    if (kind === undefined) {
      const sentence = `playAudio: contentType ${JSON.stringify(contentType.slice(0, 60))} is not audio/x-l16, audio/x-mulaw, audio/wav or raw`;
      return { sentence };
    }
    if (kind !== this.#kind) {
      this.reset();
      this.#kind = kind;
    }
    const rate = sampleRate ?? rateIn(parameters) ?? (kind === 'mulaw' ? 8000 : this.#defaults.sampleRate);
    if (rate < 8000 || rate > 48_000)
      return { sentence: `playAudio: a rate of ${rate} Hz is not from 8000 to 48000` };
    const refused = this.#refused;
    this.#refused = undefined;
    if (refused !== undefined && Buffer.compare(refused.bytes, bytes) === 0) this.#odd = refused.odd;
    this.#before = this.#odd;
    switch (kind) {
      case 'mulaw':
        return { samples: companded(pcmu, bytes), sampleRate: rate };
      case 'wav':
        return this.#readWav(bytes, rate);
      default:
        return { samples: this.#linear(bytes), sampleRate: rate };
    }
  }

  /**
   * The chunk that was read last is not used. If it comes again, it is read as the first time; in front of another one it counts as a gap, so
   * that the samples of a sender that goes on stay whole.
   */
  refuse(bytes: Uint8Array): void {
    this.#refused = { bytes, odd: this.#before };
  }

  /** The next chunk starts a new file. */
  reset(): void {
    this.#odd = -1;
    this.#refused = undefined;
    this.#kind = '';
    this.#wav = undefined;
  }

  #readWav(bytes: Uint8Array, rate: number): ReadAudio {
    const format = readWavFormat(bytes);
    if (format?.sentence !== undefined) return { sentence: `playAudio: ${format.sentence}` };
    if (format !== undefined) {
      this.#odd = -1;
      this.#wav = format;
    }
    const wav = this.#wav;
    if (wav === undefined)
      return { sentence: 'playAudio: the payload does not begin with the header of a WAV file' };
    const data = format === undefined ? bytes : bytes.subarray(format.start, format.end);
    const mono =
      wav.encoding === 'linear'
        ? this.#linear(data)
        : companded(wav.encoding === 'mulaw' ? pcmu : pcma, data);
    const samples = wav.channels === 1 ? mono : folded(mono);
    return { samples, sampleRate: wav.sampleRate === 0 ? rate : wav.sampleRate };
  }

  #linear(bytes: Uint8Array): Int16Array {
    const carried = this.#odd >= 0 ? 1 : 0;
    const count = (bytes.length + carried) >> 1;
    const samples = new Int16Array(count);
    let at = 0;
    if (carried === 1 && count > 0) {
      samples[0] = this.#odd | (bytes[0]! << 8);
      at = 1;
    }
    for (let i = carried; i < count; i++, at += 2) samples[i] = bytes[at]! | (bytes[at + 1]! << 8);
    if (carried === 0 || count > 0) this.#odd = at < bytes.length ? bytes[at]! : -1;
    return samples;
  }
}

const kinds = new Map([
  ['audio/x-l16', 'linear'],
  ['audio/l16', 'linear'],
  ['audio/x-raw', 'linear'],
  ['audio/raw', 'linear'],
  ['audio/pcm', 'linear'],
  ['raw', 'linear'],
  ['l16', 'linear'],
  ['audio/x-mulaw', 'mulaw'],
  ['audio/mulaw', 'mulaw'],
  ['audio/pcmu', 'mulaw'],
  ['mulaw', 'mulaw'],
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/wave', 'wav'],
  ['wav', 'wav'],
]);

function rateIn(parameters: readonly string[]): number | undefined {
  for (const parameter of parameters) {
    const rate = /^\s*rate\s*=\s*"?([0-9]{4,6})"?\s*$/.exec(parameter)?.[1];
    if (rate !== undefined) return Number(rate);
  }
  return undefined;
}

function companded(codec: typeof pcmu, bytes: Uint8Array): Int16Array {
  const samples = new Int16Array(bytes.length);
  codec.decode(bytes, 0, bytes.length, samples);
  return samples;
}

/** Mixes two channels into one. */
function folded(samples: Int16Array): Int16Array {
  const mono = new Int16Array(samples.length >> 1);
  for (let i = 0; i < mono.length; i++) mono[i] = (samples[2 * i]! + samples[2 * i + 1]!) >> 1;
  return mono;
}
