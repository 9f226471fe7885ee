import { frameSamples, toneMeter } from './tone-meter.ts';

/*
 * Speech that a program can read back from the audio. A byte of UTF-8 is two tones of 40 ms: the upper half of the byte from the low set, the
 * lower half from the high set. The sets alternate, so that equal bytes stay apart, and 40 ms contain a whole frame of 20 ms at any
 * alignment. Tones are 100 Hz apart, where the window of the meter has its zeros. Marks of ASCII begin and end a text: on a busy machine its
 * speaker may stop within a word for as long as others pause between two texts.
 */
const symbolSamples = 2 * frameSamples;
const lowHz = (half: number) => 400 + 100 * half;
const highHz = (half: number) => 2000 + 100 * half;
const halves = Array.from({ length: 16 }, (_, half) => half);
const meters = [...halves.map(lowHz), ...halves.map(highHz)].map((hz) => toneMeter(hz));

/** A quarter of full scale, as the voice of a speech engine. */
const amplitude = 8000;
/** Quieter frames are not speech, but the comfort noise of a waiting document, or an echo. */
const silentBelow = 2000;
/** A tone counts when it is this much louder than every other one, in dB; frames with two tones are skipped. */
const purityDb = 6;
const startOfText = 0x02;
const endOfText = 0x03;
/** Silence after which a text without its end was interrupted, in frames: a second. */
const interruptedFrames = 50;

const encoder = new TextEncoder();

/** The sound of a text, mono at 8 kHz: 80 ms per byte of UTF-8 and for each of its two marks. */
export function spokenText(text: string): Int16Array {
  const bytes = [startOfText, ...encoder.encode(text).filter((byte) => !isMark(byte)), endOfText];
  const samples = new Int16Array(bytes.length * 2 * symbolSamples);
  bytes.forEach((byte, index) => {
    writeTone(samples, 2 * index, lowHz(byte >> 4));
    writeTone(samples, 2 * index + 1, highHz(byte & 15));
  });
  return samples;
}

function isMark(byte: number): boolean {
  return byte === startOfText || byte === endOfText;
}

function writeTone(samples: Int16Array, symbol: number, hz: number): void {
  const from = symbol * symbolSamples;
  for (let index = 0; index < symbolSamples; index++) {
    samples[from + index] = amplitude * Math.sin((2 * Math.PI * hz * index) / 8000);
  }
}

/** Reads the texts of `spokenText` from frames of 20 ms, in order. */
export class SpokenTextReader {
  readonly #utterances: number[][] = [];
  #isWithin = false;
  #upper: number | undefined;
  #last: number | undefined;
  #silent = 0;
  /** The texts of `#utterances` when these had `bytes` bytes. */
  #read: { readonly bytes: number; readonly texts: readonly string[] } = { bytes: 0, texts: [] };
  #bytes = 0;

  hear(frame: Int16Array): void {
    if (isSilent(frame)) {
      this.#silent++;
      if (this.#silent >= 2) this.#last = undefined;
      if (this.#silent >= interruptedFrames) this.#isWithin = false;
      return;
    }
    this.#silent = 0;
    const tone = pureTone(frame);
    if (tone === undefined || tone === this.#last) return;
    this.#last = tone;
    if (tone < 16) {
      this.#upper = tone;
    } else if (this.#upper !== undefined) {
      this.#take((this.#upper << 4) | (tone - 16));
      this.#upper = undefined;
    }
  }

  /** False when the last text has come to its end, or was interrupted. */
  get isWithinText(): boolean {
    return this.#isWithin;
  }

  /** Every utterance so far, the current one included; a byte that was lost leaves a replacement character at most. */
  get texts(): readonly string[] {
    if (this.#read.bytes === this.#bytes) return this.#read.texts;
    const texts = this.#utterances
      .map((bytes) => new TextDecoder().decode(Uint8Array.from(bytes)))
      .filter((text) => text !== '');
    this.#read = { bytes: this.#bytes, texts };
    return texts;
  }

  /** A byte outside of a text belongs to one whose beginning was not heard. */
  #take(byte: number): void {
    const isWithin = this.#isWithin && byte !== startOfText;
    if (byte !== endOfText && !isWithin) this.#utterances.push([]);
    this.#isWithin = byte !== endOfText;
    if (isMark(byte)) return;
    this.#utterances.at(-1)!.push(byte);
    this.#bytes++;
  }
}

export function isSilent(frame: Int16Array): boolean {
  for (const sample of frame) if (sample > silentBelow || sample < -silentBelow) return false;
  return true;
}

/** The number of the only tone, 0–31; undefined for anything else. */
function pureTone(frame: Int16Array): number | undefined {
  let best = 0;
  let bestDb = Number.NEGATIVE_INFINITY;
  let nextDb = Number.NEGATIVE_INFINITY;
  meters.forEach((meter, tone) => {
    const level = meter(frame);
    if (level > bestDb) {
      nextDb = bestDb;
      bestDb = level;
      best = tone;
    } else if (level > nextDb) nextDb = level;
  });
  return bestDb - nextDb >= purityDb && bestDb > -40 ? best : undefined;
}
