/** Characters: enough to recognise a value, and a bound on the sentence whatever a client or a document sends. */
const shownLength = 60;

/** A value for a sentence: in quotes, shortened, on one line. JSON escapes C0 controls only; this escapes DEL and C1 controls as well. */
export function quoted(value: string): string {
  const text = JSON.stringify(value.length > shownLength ? `${value.slice(0, shownLength)}…` : value);
  return text.replace(/\p{Cc}/gu, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
