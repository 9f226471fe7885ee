import pg from 'pg';

/** Object ids of pg_type: bool, int8, numeric. */
const bool = 16;
const int8 = 20;
const numeric = 1700;

/**
 * The types of the embedded database: numbers for BIGINT (instants, counts) and for sums, 0 and 1 for truth values. A number that
 * JavaScript cannot represent is an error on both databases.
 */
export const numberTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary') {
      if (oid === int8) return safeInteger;
      if (oid === numeric) return Number;
      if (oid === bool) return (text: string) => (text === 't' ? 1 : 0);
    }
    return pg.types.getTypeParser(oid, format as 'text');
  },
} as pg.CustomTypesConfig;

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`${text} is not an integer that a number can represent`);
  return value;
}
