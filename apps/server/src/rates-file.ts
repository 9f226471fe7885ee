import { type RateTable, readRateTable } from '@jackfield/platform';
import { readOperatorFile, refuseFile } from './operator-file.ts';

const variable = 'JACKFIELD_RATES';

/** Reads JACKFIELD_RATES; throws a StartFailure with a sentence for each mistake. */
export function readRates(path: string): RateTable {
  const text = readOperatorFile(variable, path);
  const read = readRateTable(text);
  return read.ok ? read.table : refuseFile(variable, path, text, read.problems);
}
