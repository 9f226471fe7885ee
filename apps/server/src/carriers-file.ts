import { type Carrier, type CarrierAccount, readCarriers } from '@jackfield/platform';
import { readOperatorFile, refuseFile } from './operator-file.ts';

/** The operator's carriers, and separately the credentials for their challenges. */
export interface CarriersFile {
  readonly carriers: readonly Carrier[];
  readonly accounts: readonly CarrierAccount[];
}

const variable = 'JACKFIELD_CARRIERS';

/**
 * Reads JACKFIELD_CARRIERS; throws a StartFailure with a sentence for each mistake. A spend cap needs a rate table, so a file with a cap is
 * refused without one.
 */
export function readCarriersFile(path: string, hasRates: boolean): CarriersFile {
  const text = readOperatorFile(variable, path);
  const read = readCarriers(text);
  if (!read.ok) return refuseFile(variable, path, text, read.problems);
  const problems = withoutPrices(read.carriers, hasRates);
  return problems.length > 0 ? refuseFile(variable, path, text, problems) : read;
}

function withoutPrices(carriers: readonly Carrier[], hasRates: boolean): readonly string[] {
  if (hasRates) return [];
  return carriers.flatMap(({ caps }, index) =>
    caps.spendPerHour === undefined
      ? []
      : [`carriers[${index}].caps.spend_per_hour needs prices: set JACKFIELD_RATES as well`],
  );
}
