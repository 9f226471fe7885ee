import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isTypeScript, lineAt, type SourceCheck, type SourceFile, type Violation } from './check-result.ts';
import { maskOf } from './masked-text.ts';
import { readSourceFiles } from './source-files.ts';

const root = join(import.meta.dirname, '../..');
const debtPath = 'tools/checks/identifier-debt.json';
const rewrite = 'npx node tools/checks/identifiers.ts --write';

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

/** The names with such a word that are left in each folder, separated by spaces. */
export type IdentifierDebt = Readonly<Record<string, string>>;

/** The words of `refusedWords` in names of code and of its files. */
export function identifiersChecked(debt: IdentifierDebt): SourceCheck {
  return {
    name: 'identifiers',
    find(files) {
      const found = byFolder(files);
      const refused = [...found].flatMap(([folder, names]) => {
        const allowed = namesLeft(debt, folder);
        return [...names].flatMap(([name, violation]) => (allowed.includes(name) ? [] : [violation]));
      });
      const gone = Object.keys(debt).flatMap((folder) =>
        namesLeft(debt, folder).flatMap((name) => {
          if (found.get(folder)?.has(name) === true) return [];
          const sentence = `${folder} no longer has the name '${name}': ${rewrite}`;
          return [{ path: debtPath, line: 1, sentence }];
        }),
      );
      return [...refused, ...gone];
    },
  };
}

/** As the repository has it. */
export const identifiers = identifiersChecked(readDebt());

function readDebt(): IdentifierDebt {
  const path = join(root, debtPath);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as IdentifierDebt) : {};
}

function namesLeft(debt: IdentifierDebt, folder: string): readonly string[] {
  return debt[folder]?.split(' ') ?? [];
}

/** The refused names of each folder, with their first use. */
function byFolder(files: readonly SourceFile[]): ReadonlyMap<string, ReadonlyMap<string, Violation>> {
  const found = new Map<string, Map<string, Violation>>();
  for (const file of files) {
    if (!isTypeScript(file)) continue;
    const folder = posix.dirname(file.path);
    const names = found.get(folder) ?? new Map<string, Violation>();
    for (const [name, violation] of namesIn(file)) if (!names.has(name)) names.set(name, violation);
    if (names.size > 0) found.set(folder, names);
  }
  return found;
}

function namesIn(file: SourceFile): readonly (readonly [string, Violation])[] {
  const { code } = maskOf(file);
  const base = posix.basename(file.path);
  // Databases hold the names of migrations.
  const isMigration = posix.dirname(file.path).endsWith('/migrations');
  const inBase = isMigration ? undefined : insteadOf(base.split(/[-.]/));
  const ofPath = inBase === undefined ? [] : [[base, violationAt(file, 1, base, inBase)] as const];
  const ofCode = [...code.matchAll(identifier)].flatMap(({ 0: name, index }) => {
    if (snakeCase.test(name)) return [];
    const instead = insteadOf(wordsOf(name));
    return instead === undefined
      ? []
      : [[name, violationAt(file, lineAt(file.text, index), name, instead)] as const];
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

if (import.meta.main) {
  const found = byFolder(await readSourceFiles(root));
  if (process.argv.includes('--write')) {
    const before = readDebt();
    const added = [...found].flatMap(([folder, names]) =>
      [...names.keys()]
        .filter((name) => !namesLeft(before, folder).includes(name))
        .map((name) => `${folder} ${name}`),
    );
    if (existsSync(join(root, debtPath)) && added.length > 0)
      throw new Error(`the list only shrinks; new are ${added.join(', ')}`);
    const debt = [...found]
      .map(([folder, names]) => [folder, [...names.keys()].sort().join(' ')] as const)
      .sort();
    writeFileSync(join(root, debtPath), `${JSON.stringify(Object.fromEntries(debt), null, 2)}\n`);
  }
  for (const names of found.values()) {
    for (const { path, line, sentence } of names.values()) console.log(`${path}:${line} ${sentence}`);
  }
}
