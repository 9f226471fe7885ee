import { readFileSync } from 'node:fs';
import { type Carrier, type CarrierAccount, readCarriers } from '@jackfield/platform';
import { StartFailure } from './start-failure.ts';

/** The operator's carriers, and apart from them what answers their challenges. */
export interface CarriersFile {
  readonly carriers: readonly Carrier[];
  readonly accounts: readonly CarrierAccount[];
}

/**
 * Reads JACKFIELD_CARRIERS; throws a StartFailure with a sentence for each mistake. Without a rate table no spend cap can hold,
 * so a file that has one is refused then.
 */
export function readCarriersFile(path: string, hasRates: boolean): CarriersFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    throw new StartFailure(`JACKFIELD_CARRIERS: the file ${path} ${reason}`, error);
  }
  const read = readCarriers(text);
  const problems = read.ok ? withoutPrices(read.carriers, hasRates) : read.problems;
  if (!read.ok || problems.length > 0) {
    const sentences = problems.map((problem) => `JACKFIELD_CARRIERS: ${path}: ${problem}`);
    throw new StartFailure(sentences.join('\n'), undefined);
  }
  return read;
}

function withoutPrices(carriers: readonly Carrier[], hasRates: boolean): readonly string[] {
  if (hasRates) return [];
  return carriers.flatMap(({ caps }, index) =>
    caps.spendPerHour === undefined
      ? []
      : [`carriers[${index}].caps.spend_per_hour needs prices: set JACKFIELD_RATES as well`],
  );
}
