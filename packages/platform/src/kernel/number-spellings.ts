/**
 * The spellings of a number, with and without its +: records hold a number as it was written. Text that is no number has its own
 * spelling alone.
 */
export function spellingsOf(text: string): readonly string[] {
  // An unescaped + of a query arrives as a space.
  const digits = text.replace(/^[+ ]/, '');
  return /^[1-9][0-9]{1,14}$/.test(digits) ? [`+${digits}`, digits] : [text];
}
