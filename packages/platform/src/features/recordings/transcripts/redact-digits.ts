/** Names of digits in languages whose engines write words; one alone is often no digit ("one of us"). */
const names = (
  'zero oh one two three four five six seven eight nine double triple ' +
  'null eins zwei zwo drei vier fünf sechs sieben acht neun ' +
  'zéro un deux trois quatre cinq sept huit neuf ' +
  'cero uno dos tres cuatro cinco seis siete ocho nueve ' +
  'due tre quattro cinque sei sette otto nove ' +
  'um dois três quatro sete oito nul een twee drie vijf zes zeven negen'
).split(' ');
const run = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${names.join('|')})(?:[\\s,.-]+(?:${names.join('|')}))+(?![\\p{L}\\p{N}])`,
  'giu',
);

/** Masks digits of any script, and two or more names of digits in a row, each as `#`. */
export function redactDigits(text: string): string {
  return text.replace(run, (found) => found.replace(/[^\s,.-]+/gu, '#')).replace(/\p{Nd}/gu, '#');
}
