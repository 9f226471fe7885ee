import { randomInt } from 'node:crypto';

/** A sequence of tones that is drawn anew for each call: no other sound is taken for it. */
export interface Watermark {
  /** A WAV file with the sequence, twice. */
  readonly wav: Buffer;
  /** The share of its tones that a WAV file with one channel has in their order, at the position that has most. */
  shareIn(wav: Buffer): number;
}

const sampleRate = 8_000;
/** Within the band of G.711, and no multiple of another below 1,000 Hz. */
const frequencies = [500, 740, 980, 1_220, 1_460, 1_700, 1_940, 2_180] as const;
const tones = 12;
const toneMs = 120;
/** The recording is read in steps, of which a tone has six. */
const stepMs = 20;
const stepsOfTone = toneMs / stepMs;
/** Of the middle of a tone: its ends may lie in a neighbour's step. */
const windowMs = 60;
/** Of full scale: loud, and without clipping. */
const amplitude = 10_000;
/** Energy of the strongest tone in that of its window. */
const leastShare = 0.5;
/** Of samples of 16 bits: below is silence. */
const leastLevel = 200;

/** `draw` chooses a number below its argument. */
export function createWatermark(draw: (below: number) => number = randomInt): Watermark {
  const sequence = Array.from({ length: tones }, () => draw(frequencies.length));
  return {
    wav: wavOf([...sequence, ...sequence].flatMap(samplesOf)),
    shareIn(wav) {
      const heard = strongestTones(wav);
      let most = 0;
      for (let from = 0; from + (tones - 1) * stepsOfTone < heard.length; from++) {
        const found = sequence.filter((tone, at) => heard[from + at * stepsOfTone] === tone).length;
        most = Math.max(most, found);
      }
      return most / tones;
    },
  };
}

function samplesOf(tone: number): number[] {
  const step = (2 * Math.PI * frequencies[tone]!) / sampleRate;
  const count = (toneMs * sampleRate) / 1000;
  return Array.from({ length: count }, (_, at) => Math.round(amplitude * Math.sin(step * at)));
}

/** PCM of 16 bits with one channel. */
function wavOf(samples: readonly number[]): Buffer {
  const header = Buffer.alloc(44);
  const bytes = samples.length * 2;
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + bytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(bytes, 40);
  return Buffer.concat([header, Buffer.from(Int16Array.from(samples).buffer)]);
}

/** The strongest tone from each step on; -1 where there is none. */
function strongestTones(wav: Buffer): readonly number[] {
  const rate = wav.readUInt32LE(24);
  const begin = wav.indexOf('data', 12, 'latin1') + 8;
  const [step, size] = [(rate * stepMs) / 1000, (rate * windowMs) / 1000];
  const count = Math.floor((wav.length - begin) / 2);
  const steps: number[] = [];
  for (let from = 0; from + size <= count; from += step) {
    const window = Array.from({ length: size }, (_, at) => wav.readInt16LE(begin + (from + at) * 2));
    const energy = window.reduce((sum, sample) => sum + sample * sample, 0);
    const shares = frequencies.map((hz) => powerAt(window, hz / rate) / energy);
    const strongest = shares.indexOf(Math.max(...shares));
    const isTone = energy > leastLevel * leastLevel * size && shares[strongest]! >= leastShare;
    steps.push(isTone ? strongest : -1);
  }
  return steps;
}

/** Goertzel; the whole energy of the window for a pure tone. */
function powerAt(window: readonly number[], cycles: number): number {
  const factor = 2 * Math.cos(2 * Math.PI * cycles);
  let [before, last] = [0, 0];
  for (const sample of window) [before, last] = [last, sample + factor * last - before];
  return ((before * before + last * last - factor * before * last) * 2) / window.length;
}
