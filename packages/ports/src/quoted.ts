/** Long enough to recognise a value, short enough that a sentence never grows with what a client or a document sends. */
const shownLength = 60;

/** A value as a sentence shows it: in quotes, shortened, on one line. JSON escapes C0 controls only; DEL and C1 controls are escaped like them. */
export function quoted(value: string): string {
  const text = JSON.stringify(value.length > shownLength ? `${value.slice(0, shownLength)}…` : value);
  return text.replace(/\p{Cc}/gu, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
