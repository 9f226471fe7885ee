import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The English model of Debian's pocketsphinx-en-us, trained with audio of 16 kHz. */
const source = '/usr/share/pocketsphinx/model/en-us/en-us';
/** Of `feat.params`: its filters lie evenly on the mel scale between two frequencies, in Hz. */
const filters = { count: 25, lowest: 130, highest: 6800 };
/** The filters that end below 4 kHz: the highest one ends at 3.8 kHz. */
const telephoneFilters = 19;
const cepstra = 13;
const lifter = 22;

type Matrix = readonly (readonly number[])[];

/**
 * Writes the model for audio of telephones into an empty directory. A cepstrum is a cosine transform of the levels behind the filters. So the means
 * and variances of the model are turned back into levels, the levels above 4 kHz are left out, and the rest is transformed
 * again. Nothing is trained, so the judge knows no more of our voice than before.
 */
export function writeTelephoneModel(directory: string): void {
  for (const name of ['mdef', 'sendump', 'transition_matrices', 'noisedict'])
    symlinkSync(join(source, name), join(directory, name));
  const onto = projection();
  const of = (row: readonly number[], values: ArrayLike<number>, weight: (value: number) => number) =>
    row.reduce((sum, each, at) => sum + weight(each) * (values[at] ?? 0), 0);

  rewrite(directory, 'means', (mean) => onto.map((row) => of(row, mean, (each) => each)));
  rewrite(directory, 'variances', (variance) => {
    const all = withFineVariances(variance);
    return onto.map((row) => of(row, all, (each) => each * each));
  });

  const parameters = readFileSync(join(source, 'feat.params'), 'utf8');
  const first = /-cmninit (\S+)/.exec(parameters)![1]!.split(',').map(Number);
  const mean = onto.map((row) => of(row, first, (each) => each).toFixed(2));
  writeFileSync(
    join(directory, 'feat.params'),
    parameters
      .replace(/-upperf \S+/, `-upperf ${highestHz().toFixed(2)}`)
      .replace(/-nfilt \S+/, `-nfilt ${telephoneFilters}`)
      .replace(/-cmninit \S+/, `-cmninit ${mean.join(',')}`),
  );
}

/** From all cepstra of 25 filters to 13 cepstra of 19 filters. The model has the first 13; the others count for variances. */
function projection(): Matrix {
  const [narrow, wide] = [cosines(telephoneFilters), cosines(filters.count)];
  return Array.from({ length: cepstra }, (_, to) =>
    Array.from({ length: filters.count }, (_, from) => {
      let sum = 0;
      for (let at = 0; at < telephoneFilters; at++) sum += narrow[to]![at]! * wide[from]![at]!;
      return (lift(to) * sum) / (from < cepstra ? lift(from) : 1);
    }),
  );
}

/** The orthonormal cosine transform of so many levels. */
function cosines(count: number): Matrix {
  return Array.from({ length: count }, (_, row) =>
    Array.from(
      { length: count },
      (_, at) => Math.sqrt((row === 0 ? 1 : 2) / count) * Math.cos((Math.PI * row * (at + 0.5)) / count),
    ),
  );
}

function lift(cepstrum: number): number {
  return 1 + (lifter / 2) * Math.sin((cepstrum * Math.PI) / lifter);
}

/** The model has no variance of the finest cepstra, and without one they would count far too much: they get the mean of its last three. */
function withFineVariances(variance: ArrayLike<number>): readonly number[] {
  const last = [cepstra - 3, cepstra - 2, cepstra - 1].map((at) => variance[at]! / lift(at) ** 2);
  const fine = last.reduce((sum, each) => sum + each, 0) / last.length;
  return Array.from({ length: filters.count }, (_, at) => (at < cepstra ? variance[at]! : fine));
}

/** The upper end of the last filter that is left. */
function highestHz(): number {
  const mel = (hz: number) => 2595 * Math.log10(1 + hz / 700);
  const step = (mel(filters.highest) - mel(filters.lowest)) / (filters.count + 1);
  return 700 * (10 ** ((mel(filters.lowest) + step * (telephoneFilters + 1)) / 2595) - 1);
}

/**
 * A file of Gaussians: lines of text up to `endhdr`, a mark of the byte order, the numbers of codebooks, streams and densities, the lengths of the three
 * streams, the number of floats, the floats, and a checksum, which is left out together with its line of the header.
 */
function rewrite(directory: string, name: string, change: (vector: Float32Array) => readonly number[]): void {
  const bytes = readFileSync(join(source, name));
  const mark = 'endhdr\n';
  const numbers = bytes.subarray(bytes.indexOf(mark) + mark.length);
  const headBytes = 8 * Uint32Array.BYTES_PER_ELEMENT;
  const count = numbers.readUInt32LE(headBytes - Uint32Array.BYTES_PER_ELEMENT);
  const floats = Float32Array.from({ length: count }, (_, at) => numbers.readFloatLE(headBytes + 4 * at));
  for (let at = 0; at < count; at += cepstra) floats.set(change(floats.subarray(at, at + cepstra)), at);
  writeFileSync(
    join(directory, name),
    Buffer.concat([
      Buffer.from(`s3\nversion 1.0\n${mark}`),
      numbers.subarray(0, headBytes),
      new Uint8Array(floats.buffer),
    ]),
  );
}
