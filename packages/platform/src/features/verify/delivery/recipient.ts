import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

export interface Recipient {
  /** E.164 with its +. */
  readonly number: string;
  /** Two letters; null for numbers without a country, such as satellite numbers. */
  readonly country: string | null;
}

/** A number that exists by the numbering plan of its country; the leading + may be left out. */
export function readRecipient(text: string): Recipient | undefined {
  const parsed = parsePhoneNumberFromString(text.startsWith('+') ? text : `+${text}`);
  if (parsed === undefined || !parsed.isValid()) return undefined;
  return { number: parsed.number, country: parsed.country ?? null };
}

/** All digits but the last four: a block of numbers, as carriers get them and as pumped numbers are rented. */
export function prefixOf(number: string): string {
  return number.slice(1, -4);
}

export function digitsOf(number: string): string {
  return number.replace(/^\+/, '');
}
