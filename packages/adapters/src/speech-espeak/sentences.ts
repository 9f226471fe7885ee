/** Characters. A shorter text is spoken whole, because it is ready about as soon as its first sentence would be. */
const longText = 200;
/** A part is at least this long, so that the next one is ready before it ends. */
const leastPart = 40;

/** A long text in parts that end with a sentence; any other text whole. */
export function sentencesOf(text: string): readonly string[] {
  if (text.length < longText) return [text];
  const parts: string[] = [];
  let part = '';
  for (const sentence of text.match(/[^.!?…。？！]*[.!?…。？！]+["'»”)\]]*\s*|[^.!?…。？！]+$/gu) ?? [text]) {
    part += sentence;
    // "3.5" and "www.example.com" have no blank after their dots.
    if (part.trim().length < leastPart || !/[\s。？！]$/u.test(part)) continue;
    parts.push(part.trim());
    part = '';
  }
  if (part.trim() !== '') parts.push(part.trim());
  return parts;
}
