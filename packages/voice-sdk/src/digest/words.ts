/** A message padded to whole blocks of 16 words: a bit, zeros, and its length in bits (RFC 1321 §3.1, RFC 6234 §4.1). */
export function paddedWords(bytes: string, isLittleEndian: boolean): Uint32Array {
  const { length } = bytes;
  const view = new DataView(new ArrayBuffer(((length + 72) >> 6) << 6));
  for (let index = 0; index < length; index += 1) view.setUint8(index, bytes.charCodeAt(index));
  view.setUint8(length, 0x80);
  const end = view.byteLength;
  view.setUint32(isLittleEndian ? end - 8 : end - 4, length * 8, isLittleEndian);
  return Uint32Array.from({ length: end / 4 }, (_, index) => view.getUint32(index * 4, isLittleEndian));
}

/** Words as lower-case hex. */
export function hexOf(words: Iterable<number>, isLittleEndian: boolean): string {
  const view = new DataView(new ArrayBuffer(4));
  return [...words]
    .map((word) => {
      view.setUint32(0, word, isLittleEndian);
      return view.getUint32(0).toString(16).padStart(8, '0');
    })
    .join('');
}
