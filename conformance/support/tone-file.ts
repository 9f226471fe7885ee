import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** A tone of −6 dB as sox writes it: one channel at 8 kHz, MP3 or WAV by the ending of the path. */
export async function toneFile(path: string, hz: number, seconds: number): Promise<Uint8Array> {
  const format = ['-n', '-r', '8000', '-c', '1', '-b', '16', path];
  spawnSync('sox', [...format, 'synth', String(seconds), 'sine', String(hz), 'gain', '-6']);
  return readFile(path);
}
