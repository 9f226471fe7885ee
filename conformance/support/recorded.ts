import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { heardToneDb, lengthOf, readWav, type Sound, toneLevelDb } from './heard.ts';

/** What sox reports of a sound file. */
export interface SoxFile {
  readonly channels: number;
  readonly sampleRate: number;
  readonly seconds: number;
}

export function inspect(path: string): SoxFile {
  const ask = (flag: string) => sox('soxi', [flag, path]);
  return { channels: Number(ask('-c')), sampleRate: Number(ask('-r')), seconds: Number(ask('-D')) };
}

/** One channel, counted from 1, as sox decodes it. */
export async function channelOf(path: string, channel: number): Promise<Sound> {
  const decoded = `${path}.${channel}.wav`;
  sox('sox', [path, '-b', '16', '-e', 'signed-integer', decoded, 'remix', String(channel)]);
  const sound = await readWav(decoded);
  await rm(decoded);
  return sound;
}

/** Which of these tones are on a channel, between two moments in seconds; a tone that comes and goes is an error. */
export function tonesOn(
  sound: Sound,
  tones: readonly number[],
  fromS: number,
  toS: number,
): readonly number[] {
  return tones.filter((tone) => {
    const level = heardToneDb(sound, tone, fromS, toS);
    if (level > audible) return true;
    const loudest = loudestDb(sound, tone, fromS, toS);
    if (loudest > inaudible) throw new Error(`${tone} Hz is at ${loudest.toFixed(0)} dB for a moment`);
    return false;
  });
}

/** Phones of these tests speak at -12 dB and below; a silent channel has only the noise of a codec. */
const audible = -35;
const inaudible = -45;

/** The level of the loudest 50 ms. */
export function loudestDb(sound: Sound, tone: number, fromS: number, toS: number): number {
  let loudest = Number.NEGATIVE_INFINITY;
  const end = Math.min(toS, lengthOf(sound));
  for (let at = fromS; at + 0.05 <= end; at += 0.05) {
    loudest = Math.max(loudest, toneLevelDb(sound, tone, at, at + 0.05));
  }
  return loudest;
}

function sox(program: 'sox' | 'soxi', options: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, options, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${options.join(' ')}: ${stderr}`);
  return stdout.trim();
}
