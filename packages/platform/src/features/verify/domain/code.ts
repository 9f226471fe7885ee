/** Equally likely digits, the first included, from random bytes; undefined when there are too few bytes. */
export function codeFrom(bytes: Uint8Array, length: number): string | undefined {
  let code = '';
  for (const byte of bytes) {
    // 250 is the largest multiple of 10 in a byte.
    if (byte < 250) code += byte % 10;
    if (code.length === length) return code;
  }
  return undefined;
}
