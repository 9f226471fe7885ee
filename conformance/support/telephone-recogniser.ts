// A speech engine for tests: pocketsphinx, for audio of telephones, with a grammar of ten numbers of three digits.
// Its model was trained at 16 kHz and misses consonants without a sound above 4 kHz. So the band below is mirrored
// into the band above (spectral folding), 20 dB lower. Its usual beams give up where packets were lost.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const mirrored = 0.1;

const bytes = readFileSync(0);
const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
for (let at = 0; at < samples.length; at++) {
  const sample = samples[at]! * (at % 2 === 0 ? 1 + mirrored : 1 - mirrored);
  samples[at] = Math.max(-32_768, Math.min(32_767, sample));
}

const directory = mkdtempSync(join(tmpdir(), 'telephone-recogniser-'));
const input = openSync(join(directory, 'mirrored'), 'wx+', 0o600);
// Nothing is left if this process is killed from here on.
rmSync(directory, { recursive: true });
// Written by position: the program reads from the begin.
writeSync(input, samples, 0, samples.byteLength, 0);
const beams = ['-beam', '1e-120', '-wbeam', '1e-90', '-pbeam', '1e-120'];
const grammar = join(import.meta.dirname, 'three-digits.gram');
const { status } = spawnSync(
  'pocketsphinx_continuous',
  ['-infile', '/dev/stdin', '-time', 'yes', '-jsgf', grammar, ...beams],
  { stdio: [input, 'inherit', 'ignore'] },
);
closeSync(input);
process.exitCode = status ?? 1;
