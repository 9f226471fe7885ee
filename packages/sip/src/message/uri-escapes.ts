import type { ByteString } from './message.ts';

// Characters to escape in each part of a URI (RFC 3261 §25.1: user-unreserved, password, param-unreserved, hnv-unreserved).
const ESCAPED = {
  user: /[^A-Za-z0-9\-_.!~*'()&=+$,;?/]/g,
  password: /[^A-Za-z0-9\-_.!~*'()&=+$,]/g,
  param: /[^A-Za-z0-9\-_.!~*'()[\]/:&+$]/g,
  header: /[^A-Za-z0-9\-_.!~*'()[\]/?:+$]/g,
};

/** Escapes the bytes that a part of a URI must escape, as `%HH`. */
export function escapeUri(text: ByteString, part: keyof typeof ESCAPED): string {
  return text.replace(ESCAPED[part], percent);
}

/** Resolves every `%HH`, including `%00`, into the byte it means; a stray `%` stays. */
export function unescapeUri(text: string): ByteString {
  if (!text.includes('%')) return text;
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

// RFC 2396 §2.2
const RESERVED = ';/?:@&=+$,';

/**
 * Resolves the needless escapes (RFC 3261 §19.1.4: a character outside the reserved set equals its escape) and writes the
 * others in upper case, so that equal URIs get equal texts.
 */
export function normaliseEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%([0-9A-Fa-f]{2})/g, (escaped, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return RESERVED.includes(character) || character === '%' ? escaped.toUpperCase() : character;
  });
}

function percent(character: string): string {
  return `%${(character.charCodeAt(0) & 0xff).toString(16).toUpperCase().padStart(2, '0')}`;
}
