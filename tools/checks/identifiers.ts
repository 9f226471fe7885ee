import { posix } from 'node:path';
import { isTypeScript, lineAt, type SourceCheck, type SourceFile, type Violation } from './check-result.ts';
import { maskOf } from './masked-text.ts';

const identifier = /[A-Za-z_$][\w$]*/g;
/** Names on the wire, in the database and in C: `stir_verification`. They are not ours to change. */
const snakeCase = /[a-z0-9]_[a-z0-9]/;

/** Words that `prose.ts` refuses in sentences, as parts of names, and what stands in their place. */
const refusedWords: readonly (readonly [RegExp, string])[] = [
  [/^(?:whoever|whomever|nobody|somebody|someone)$/, 'name the subject: a noun of the domain'],
  [/^(?:told|tells?|telling)$/, 'notify, report, emit; callback, event'],
  [/^(?:wish|wishes|wished|wanted)$/, 'request, requested, spec'],
  [/^remarks?$/, 'warning'],
  [/^ears?$/, 'listener, audience'],
  [/^(?:relents?|relented|spares?|spared)$/, 'downgrade, skip, defer; next'],
  [/^doors?$/, 'public API (`index.ts`)'],
  [/^heirs?$/, 'successor'],
  [/^life$/, 'incarnation'],
  [/^(?:feeds?|fed)$/, 'source (of audio), event stream (of events)'],
  [/^places?$/, 'slot, target, limit, position'],
];

/** The words of `refusedWords` in names of code and of its files. */
export const identifiers: SourceCheck = {
  name: 'identifiers',
  find: (files) => files.filter(isTypeScript).flatMap(namesIn),
};

function namesIn(file: SourceFile): readonly Violation[] {
  const { code } = maskOf(file);
  const base = posix.basename(file.path);
  // Databases hold the names of migrations.
  const isMigration = posix.dirname(file.path).endsWith('/migrations');
  const inBase = isMigration ? undefined : insteadOf(base.split(/[-.]/));
  const ofPath = inBase === undefined ? [] : [violationAt(file, 1, base, inBase)];
  const ofCode = [...code.matchAll(identifier)].flatMap(({ 0: name, index }) => {
    if (snakeCase.test(name)) return [];
    const instead = insteadOf(wordsOf(name));
    return instead === undefined ? [] : [violationAt(file, lineAt(file.text, index), name, instead)];
  });
  return [...ofPath, ...ofCode];
}

function violationAt({ path }: SourceFile, line: number, name: string, instead: string): Violation {
  return { path, line, sentence: `'${name}': ${instead}` };
}

/** What to write in the place of a refused word; undefined when all words pass. */
function insteadOf(words: readonly string[]): string | undefined {
  for (const [index, word] of words.entries()) {
    // Verbs of the field: `feed(input)` of a machine, `placeRoom`. A line feed is a character.
    if (word === 'feed' && words.length === 1) continue;
    if (word === 'place' && index === 0 && words.length > 1) continue;
    if (word.startsWith('feed') && words[index - 1] === 'line') continue;
    const instead = refusedWords.find(([pattern]) => pattern.test(word))?.[1];
    if (instead !== undefined) return instead;
  }
  return undefined;
}

/** `openedStreamSource` → opened, stream, source. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_$]+/)
    .filter((word) => word !== '');
}
