import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isTypeScript, lineAt, type SourceCheck, type SourceFile, type Violation } from './check-result.ts';
import { maskOf } from './masked-text.ts';
import { readSourceFiles } from './source-files.ts';

const root = join(import.meta.dirname, '../..');
const debtPath = 'tools/checks/prose-debt.json';
const exceptionsPath = 'tools/checks/prose-exceptions.json';
const rewrite = `npx node tools/checks/prose.ts --write`;

/** Words that keep a stranger out, and what stands in their place. Case does not matter. */
const refusedWords: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:whoever|whomever|whosoever|nobody|somebody|someone|no one)\b/gi,
    'name the subject: a noun of the domain',
  ],
  [/\bthose who\b/gi, 'name the subject: a noun of the domain'],
  [
    /\b(?:by|for|from|of|to|with) who (?:is|are|may|has|have|can|does|do|was)\b/gi,
    'name the subject: a noun of the domain',
  ],
  [/\bin vain\b/gi, 'without an answer, without effect'],
  [/\bone that\b/gi, 'repeat the noun'],
  [/\bof (?:ours|yours)\b/gi, 'name the owner: of the server, of the phone, your own'],
  [/\bwhat (?:is|was|has|had) no\b/gi, 'name the thing'],
  [/\b(?:told|tells?|telling)\b/gi, 'notify, report, emit, send a callback; event'],
  [/\b(?:wish|wishes|wished|wanted)\b/gi, 'request, requested, spec'],
  [
    /\btak(?:es?|en|ing) (?:an?|the|each|every) (?:message|order|input|request|packet|datagram)s?\b/gi,
    'accept, consume, handle',
  ],
  [/\bremarks?\b/gi, 'warning'],
  [/\bears?\b/gi, 'listener, audience'],
  [/\b(?:hear|hears|heard) of\b/gi, 'is notified of'],
  [/\b(?:relents?|relented|stirs?|stirred|spares?|spared)\b/gi, 'downgrade, skip, wake, defer'],
  [/\b(?:puts? off|putting off)\b/gi, 'defer, postpone'],
  [/\bdoors?\b/gi, 'public API (`index.ts`)'],
  [/\bheirs?\b/gi, 'successor'],
  [/\bfeeds?\b/gi, 'source (of audio), event stream (of events)'],
  [
    /(?<!\b(?:takes?|took|taken|taking|takes? the|took the|in|in its|in the|in their|in this) )\bplaces?\b(?! (?:(?:an?|the|no|outbound) )?calls?\b)/gi,
    'slot, target, limit, position',
  ],
];

/** A title without a noun as its subject is a riddle in a failure report: `what expires is …`. */
const titleWithoutSubject = /\b(?:test|it)\(['"`](?:who|what) /g;

/** Where such a word is right. */
interface Exceptions {
  /** Parts of the sentences. */
  readonly sentences: readonly string[];
  /** Pages that quote the words, because they are about them. */
  readonly files: readonly string[];
}

export interface Debt {
  readonly counts: Readonly<Record<string, number>>;
  readonly exceptions: Exceptions;
}

/** The words of `refusedWords` in comments, strings of several words, and documents. */
export function proseChecked(debt: Debt): SourceCheck {
  return {
    name: 'prose',
    find(files) {
      const found = byFolder(files, debt.exceptions);
      const violations: Violation[] = [];
      for (const [folder, hits] of found) {
        const allowed = debt.counts[folder] ?? 0;
        if (hits.length <= allowed) continue;
        const more = `${folder} had ${allowed} such words, and has ${hits.length}`;
        violations.push(...hits.map((hit) => ({ ...hit, sentence: `${hit.sentence} (${more})` })));
      }
      for (const [folder, allowed] of Object.entries(debt.counts)) {
        const now = found.get(folder)?.length ?? 0;
        if (now >= allowed) continue;
        const sentence = `${folder} has ${now} instead of ${allowed}: ${rewrite}`;
        violations.push({ path: debtPath, line: 1, sentence });
      }
      return violations;
    },
  };
}

/** As the repository has it. */
export const prose = proseChecked(readDebt());

function readDebt(): Debt {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as unknown;
  const counts = existsSync(join(root, debtPath)) ? (read(debtPath) as Debt['counts']) : {};
  return { counts, exceptions: read(exceptionsPath) as Exceptions };
}

function byFolder(
  files: readonly SourceFile[],
  exceptions: Exceptions,
): ReadonlyMap<string, readonly Violation[]> {
  const found = new Map<string, Violation[]>();
  for (const file of files) {
    if (exceptions.files.includes(file.path)) continue;
    const hits = hitsIn(file, exceptions);
    if (hits.length === 0) continue;
    const folder = folderOf(file.path);
    found.set(folder, [...(found.get(folder) ?? []), ...hits]);
  }
  return found;
}

/** `packages/sip/src/dialog`, `packages/platform/src/features/calls`, `docs`: a piece that one person rewrites at a time. */
function folderOf(path: string): string {
  const parts = posix.dirname(path).split('/');
  return parts.slice(0, parts[3] === 'features' ? 5 : 4).join('/');
}

function hitsIn(file: SourceFile, { sentences }: Exceptions): readonly Violation[] {
  const text = file.path.endsWith('.md')
    ? documentProse(file.text)
    : isTypeScript(file)
      ? sourceProse(file)
      : '';
  const titles = file.path.endsWith('.test.ts') ? [...file.text.matchAll(titleWithoutSubject)] : [];
  const riddles = titles.map(({ index }) => ({
    path: file.path,
    line: lineAt(file.text, index),
    sentence: 'a title begins with a noun of the domain: its subject',
  }));
  const words = refusedWords.flatMap(([pattern, instead]) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const around = text.slice(Math.max(0, match.index - 120), match.index + 120).replace(/\s+/g, ' ');
      if (sentences.some((each) => around.includes(each))) return [];
      return [
        { path: file.path, line: lineAt(file.text, match.index), sentence: `'${match[0]}': ${instead}` },
      ];
    }),
  );
  return [...riddles, ...words];
}

/** Code blanked out, offsets kept. */
function documentProse(text: string): string {
  return text.replace(/```[\s\S]*?```|`[^`\n]*`|\]\([^)]*\)/g, (code) => code.replace(/[^\n]/g, ' '));
}

/** Quoted names in comments are blanked out. */
function sourceProse(file: SourceFile): string {
  return maskOf(file).prose.replace(/`[^`\n]*`/g, (quoted) => ' '.repeat(quoted.length));
}

if (import.meta.main) {
  const found = byFolder(await readSourceFiles(root), readDebt().exceptions);
  const counts = Object.fromEntries(
    [...found].map(([folder, hits]) => [folder, hits.length] as const).sort(),
  );
  const total = (each: Readonly<Record<string, number>>) =>
    Object.values(each).reduce((sum, count) => sum + count, 0);
  const before = total(readDebt().counts);
  if (process.argv.includes('--write')) {
    if (before > 0 && total(counts) > before)
      throw new Error(`${total(counts)} words are more than ${before}`);
    writeFileSync(join(root, debtPath), `${JSON.stringify(counts, null, 2)}\n`);
  } else {
    const prefix = process.argv[2] ?? '';
    for (const [folder, hits] of found) {
      if (!folder.startsWith(prefix)) continue;
      for (const { path, line, sentence } of hits) console.log(`${path}:${line} ${sentence}`);
    }
  }
  console.log(`${total(counts)} words in ${found.size} folders`);
}
