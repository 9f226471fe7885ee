import { invalidParameter } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';

/** docs/interface/streams.md#starting: of the whole text, in UTF-8. */
const maxExtraHeadersBytes = 512;

export const allowedExtraHeaders = `pairs such as name=value,other=value (or with ; between them, or a JSON object of texts), at most ${maxExtraHeadersBytes} bytes`;

/** Checks the parameter and keeps it as written. */
export function readExtraHeaders(
  value: string | object | undefined,
  parameter = 'extra_headers',
): Result<string> {
  const written = typeof value === 'object' ? JSON.stringify(value) : (value ?? '');
  if (written.trim() === '') return accepted('');
  return areExtraHeaders(written)
    ? accepted(written)
    : refused(invalidParameter(parameter, written, allowedExtraHeaders));
}

/** An empty text is a list without pairs. */
export function areExtraHeaders(written: string): boolean {
  if (new TextEncoder().encode(written).length > maxExtraHeadersBytes) return false;
  if (/[\p{Cc}\p{Cs}]/u.test(written)) return false;
  return isJsonObject(written) || pairsOf(written).every((pair) => /^[^=]+=/.test(pair));
}

/**
 * The text in the frames. The only known parser of pairs splits at `;` and accepts JSON (docs/interface/streams.md#frames), so
 * pairs are always joined by `;`.
 */
export function extraHeadersOnWire(written: string): string {
  const text = written.trim();
  return isJsonObject(text) ? text : pairsOf(text).join(';');
}

/** A comma separates where another name follows it: values may hold commas. */
function pairsOf(text: string): readonly string[] {
  const pairs = text.includes(';') ? text.split(';') : text.split(/,(?=[^,=]+=)/);
  return pairs.map((pair) => pair.trim()).filter((pair) => pair !== '');
}

function isJsonObject(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false;
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null && !Array.isArray(read);
  } catch {
    return false;
  }
}
