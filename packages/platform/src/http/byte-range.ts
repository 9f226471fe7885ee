/** Bytes from `from` to `to`, both included. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The part of `size` bytes that a Range header requests (RFC 9110 §14.1.2): undefined for a header to ignore (absent, another
 * unit, malformed, several ranges), `unsatisfiable` where no byte of it exists.
 */
export function readByteRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const found = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '');
  if (found === null) return undefined;
  const [first, last] = [found[1]!, found[2]!];
  if (first === '') {
    if (last === '') return undefined;
    // The last `length` bytes, or all of them.
    const length = Number(last);
    if (length === 0 || size === 0) return 'unsatisfiable';
    return { from: Math.max(0, size - length), to: size - 1 };
  }
  const from = Number(first);
  if (last !== '' && Number(last) < from) return undefined;
  if (from >= size) return 'unsatisfiable';
  return { from, to: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
