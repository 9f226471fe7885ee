import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { patienceMs } from './patience.ts';

/** The tone of a phone has −12 dBFS, and arrives about as loud. */
const audibleDb = -20;

export interface Sound {
  readonly sampleRate: number;
  readonly samples: Int16Array;
}

/** 16-bit PCM of a WAV file, of its first channel unless another is named; a file that is still being written is read as far as it goes. */
export async function readWav(path: string, channel = 0): Promise<Sound> {
  const bytes = await readFile(path);
  const data = bytes.indexOf('data', 12, 'latin1');
  if (data === -1) throw new Error(`${path} has no data chunk`);
  const start = data + 8;
  const channels = bytes.readUInt16LE(22);
  const count = Math.floor((bytes.length - start) / (2 * channels));
  const samples = new Int16Array(count);
  for (let index = 0; index < count; index++)
    samples[index] = bytes.readInt16LE(start + 2 * (channels * index + channel));
  return { sampleRate: bytes.readUInt32LE(24), samples };
}

/**
 * Level at which a tone was heard, in dBFS: the median over windows of 50 ms, because a phone on a busy machine leaves gaps, and
 * behind a gap its tone goes on in another phase. Frequencies are multiples of 20 Hz.
 */
export function heardToneDb(sound: Sound, frequencyHz: number, fromS: number, toS: number): number {
  const levels: number[] = [];
  for (let at = fromS; at + 0.05 <= toS; at += 0.05)
    levels.push(toneLevelDb(sound, frequencyHz, at, at + 0.05));
  return levels.sort((one, other) => one - other)[levels.length >> 1] ?? Number.NEGATIVE_INFINITY;
}

/** Its length in seconds. */
export function lengthOf({ samples, sampleRate }: Sound): number {
  return samples.length / sampleRate;
}

/** Waits until what a phone has heard so far is as it must be, and resolves with it; `what` names it when it is not. */
export async function heardUntil(
  phone: { heard(): Promise<string> },
  what: string,
  reached: (sound: Sound) => boolean,
): Promise<Sound> {
  const limit = performance.now() + patienceMs;
  for (;;) {
    // A phone that has heard nothing has no whole file.
    const sound = await phone
      .heard()
      .then((path) => readWav(path))
      .catch(() => undefined);
    if (sound !== undefined && reached(sound)) return sound;
    assert.ok(performance.now() < limit, `not heard: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Waits until a phone has heard a tone of other phones for this long, in its last call. */
export function heardTone(
  phone: { heard(): Promise<string> },
  frequencyHz: number,
  lengthS = 1,
  leastDb = audibleDb,
): Promise<Sound> {
  return heardUntil(
    phone,
    `${frequencyHz} Hz for ${lengthS} s`,
    (sound) => loudestToneDb(sound, frequencyHz, lengthS) > leastDb,
  );
}

/** What lies between two moments, in seconds. */
export function partOf({ sampleRate, samples }: Sound, fromS: number, toS: number): Sound {
  return {
    sampleRate,
    samples: samples.subarray(Math.round(fromS * sampleRate), Math.round(toS * sampleRate)),
  };
}

/**
 * The level of a tone in its loudest stretch of this length: a phone on a busy machine begins to speak late, so that no fixed part of a
 * sound has its tone for certain.
 */
export function loudestToneDb(sound: Sound, frequencyHz: number, lengthS: number): number {
  const end = lengthOf(sound);
  let loudest = Number.NEGATIVE_INFINITY;
  for (let at = 0; at + lengthS <= end; at += 0.1) {
    loudest = Math.max(loudest, heardToneDb(sound, frequencyHz, at, at + lengthS));
  }
  return loudest;
}

/** Level of one frequency in dBFS (Goertzel), over the whole sound or a part of it in seconds. */
export function toneLevelDb(
  sound: Sound,
  frequencyHz: number,
  fromS = 0,
  toS = Number.POSITIVE_INFINITY,
): number {
  const start = Math.floor(fromS * sound.sampleRate);
  const end = Math.min(sound.samples.length, Math.floor(toS * sound.sampleRate));
  const coefficient = 2 * Math.cos((2 * Math.PI * frequencyHz) / sound.sampleRate);
  let [last, beforeLast] = [0, 0];
  for (let index = start; index < end; index++) {
    const next = sound.samples[index]! / 32768 + coefficient * last - beforeLast;
    beforeLast = last;
    last = next;
  }
  const power = last * last + beforeLast * beforeLast - coefficient * last * beforeLast;
  const amplitude = (2 * Math.sqrt(Math.max(power, 0))) / Math.max(end - start, 1);
  return 20 * Math.log10(Math.max(amplitude, 1e-6));
}
