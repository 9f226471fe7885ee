import { readFileSync } from 'node:fs';
import { type RateTable, readRateTable } from '@jackfield/platform';
import { StartFailure } from './start-failure.ts';

/** Reads JACKFIELD_RATES; throws a StartFailure with a sentence for each mistake. */
export function readRates(path: string): RateTable {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    throw new StartFailure(`JACKFIELD_RATES: the file ${path} ${reason}`, error);
  }
  const read = readRateTable(text);
  if (read.ok) return read.table;
  const sentences = read.problems.map((problem) => `JACKFIELD_RATES: ${path}: ${problem}`);
  throw new StartFailure(sentences.join('\n'), undefined);
}
