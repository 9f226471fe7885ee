/** GSM 03.40 §9.2.3.24.1: characters of a message, and of each part of a longer one, in the GSM alphabet and in UCS-2. */
const room = { plain: { single: 160, part: 153 }, other: { single: 70, part: 67 } };
/** Characters of one septet in every variant of the GSM alphabet; a text with any other character counts as UCS-2. */
const plain = /^[A-Za-z0-9 \r\n!"#%&'()*+,\-./:;<=>?@_$]*$/;

/** The largest number of parts of a text, which limits its cost before the send. */
export function mostParts(text: string): number {
  const { single, part } = plain.test(text) ? room.plain : room.other;
  if (text.length <= single) return 1;
  let parts = 1;
  let used = 0;
  // A character of two UTF-16 units stays in one part.
  for (const { length } of text) {
    if (used + length > part) {
      parts++;
      used = 0;
    }
    used += length;
  }
  return parts;
}
