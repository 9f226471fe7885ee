const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const codes = Uint8Array.from(alphabet, (letter) => letter.charCodeAt(0));
const PAD = '='.charCodeAt(0);

/** Writes `count` bytes as base64 (RFC 4648 §4) and returns the end position; allocates nothing. */
export function writeBase64(bytes: Uint8Array, count: number, out: Uint8Array, at: number): number {
  const whole = count - (count % 3);
  for (let i = 0; i < whole; i += 3) {
    const three = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!;
    out[at] = codes[three >> 18]!;
    out[at + 1] = codes[(three >> 12) & 63]!;
    out[at + 2] = codes[(three >> 6) & 63]!;
    out[at + 3] = codes[three & 63]!;
    at += 4;
  }
  if (whole === count) return at;
  const two = count - whole === 2;
  const rest = (bytes[whole]! << 16) | (two ? bytes[whole + 1]! << 8 : 0);
  out[at] = codes[rest >> 18]!;
  out[at + 1] = codes[(rest >> 12) & 63]!;
  out[at + 2] = two ? codes[(rest >> 6) & 63]! : PAD;
  out[at + 3] = PAD;
  return at + 4;
}

/** Decodes base64 or base64url, padded or not, with or without line breaks; undefined for any other text. Linear. */
export function readBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  // Node skips unknown characters: the result is then shorter than the number of letters implies.
  if (bytes.length === lengthOf(text)) return bytes;
  const tight = text.replace(/\s+/g, '');
  return tight.length < text.length && bytes.length === lengthOf(tight) ? bytes : undefined;
}

function lengthOf(text: string): number {
  let letters = text.length;
  if (letters > 0 && text.charCodeAt(letters - 1) === PAD) letters--;
  if (letters > 0 && text.charCodeAt(letters - 1) === PAD) letters--;
  // A group with a single letter encodes no byte.
  return letters % 4 === 1 ? -1 : Math.floor((letters * 3) / 4);
}
