import { isToken, parseDigits, trimSpace } from './tokens.ts';

/** The CSeq header: a number below 2^31 and the method it counts. */
export interface CSeq {
  readonly seq: number;
  readonly method: string;
}

const MAX_SEQ = 0x7fff_ffff;

/** Parses a CSeq value (RFC 3261 §20.16); undefined when it is malformed or its number is not below 2^31 (§8.1.1.5). */
export function parseCSeq(value: string): CSeq | undefined {
  let end = 0;
  while (end < value.length && value.charCodeAt(end) > 0x20) end += 1;
  const seq = parseDigits(value.slice(0, end), MAX_SEQ);
  const method = trimSpace(value.slice(end));
  if (seq === undefined || !isToken(method)) return undefined;
  return { seq, method };
}

/** Prints a CSeq value. */
export function printCSeq({ seq, method }: CSeq): string {
  return `${seq} ${method}`;
}
