import { posix } from 'node:path';
import { lineAt, type SourceCheck, type SourceFile, type Violation } from './check-result.ts';
import { headingsOf } from './headings.ts';
import { importTable } from './import-rules.ts';

const dependenciesPage = 'docs/decisions/0002-dependencies.md';
const ofOurs = /^(packages|apps|tools|conformance|benchmarks|examples|docs)\//;

/** What the documents name exists, and the tables that repeat a rule say the same as the rule. */
export const documents: SourceCheck = {
  name: 'documents',
  find(files) {
    const known = knownPaths(files);
    const documentOf = headingsByPath(files);
    return files
      .filter(isDocument)
      .flatMap((file) => [
        ...namedPaths(file, known),
        ...links(file, known, documentOf),
        ...(file.path === 'ARCHITECTURE.md' ? importRows(file) : []),
        ...(file.path === dependenciesPage ? dependencyRows(file, files) : []),
      ]);
  },
};

function isDocument(file: SourceFile): boolean {
  return file.path.endsWith('.md');
}

/** Every file that was read, and every folder above one. */
function knownPaths(files: readonly SourceFile[]): ReadonlySet<string> {
  const known = new Set<string>([
    'LICENSE',
    'benchmarks/results',
    'benchmarks/latest.json',
    'docs/.vitepress/dist',
  ]);
  for (const { path } of files) {
    for (let at = path; at !== '.'; at = posix.dirname(at)) known.add(at);
  }
  return known;
}

function namedPaths(file: SourceFile, known: ReadonlySet<string>): readonly Violation[] {
  return [...file.text.matchAll(/`([\w@./-]+)`/g)].flatMap((match) => {
    const path = match[1]!.replace(/\/$/, '');
    if (!ofOurs.test(path) || known.has(path)) return [];
    return [{ path: file.path, line: lineAt(file.text, match.index), sentence: `there is no ${path}` }];
  });
}

/** A link leads to a file, and to a heading of it where it names one. */
function links(file: SourceFile, known: ReadonlySet<string>, documentOf: DocumentOf): readonly Violation[] {
  const text = withoutCode(file.text);
  return [...text.matchAll(/\]\(([^)#\s]*)(#[^)\s]*)?\)/g)].flatMap((match) => {
    const [, target = '', anchor = ''] = match;
    const at = { path: file.path, line: lineAt(text, match.index) };
    if (/^[a-z]+:/.test(target)) return isPublic(target) ? [] : [{ ...at, sentence: `${target} ${allowed}` }];
    const path = target === '' ? file.path : posix.join(posix.dirname(file.path), target).replace(/\/$/, '');
    if (!known.has(path) && !/\.(png|jpe?g|svg)$/.test(path)) {
      return [{ ...at, sentence: `the link leads to no ${path}` }];
    }
    const document = documentOf(path);
    if (anchor === '' || document === undefined || document.has(anchor.slice(1))) return [];
    return [{ ...at, sentence: `${path} has no heading ${anchor}` }];
  });
}

const allowed = 'is no link for readers: allowed are mailto: and https: to a public name';

/** No check fetches it. */
function isPublic(target: string): boolean {
  if (target.startsWith('mailto:')) return /^mailto:[^@\s]+@[^@\s]+\.[a-z]+$/.test(target);
  const { protocol, hostname } = URL.parse(target) ?? {};
  return (
    protocol === 'https:' &&
    /\.[a-z]{2,}$/.test(hostname ?? '') &&
    !/\.(localhost|local|test|invalid)$/.test(hostname ?? '')
  );
}

/** The headings of a document; undefined of any other file. */
type DocumentOf = (path: string) => ReadonlySet<string> | undefined;

function headingsByPath(files: readonly SourceFile[]): DocumentOf {
  const texts = new Map(files.filter(isDocument).map(({ path, text }) => [path, text]));
  const read = new Map<string, ReadonlySet<string>>();
  return (path) => {
    const text = texts.get(path);
    if (text === undefined) return undefined;
    const headings = read.get(path) ?? headingsOf(text);
    read.set(path, headings);
    return headings;
  };
}

/** Code blanked out, offsets kept: it links to nothing. */
function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```|`[^`\n]*`/gm, (code) => code.replace(/[^\n]/g, ' '));
}

function importRows(file: SourceFile): readonly Violation[] {
  return Object.entries(importTable).flatMap(([part, imports]) => {
    const row = `| ${part} | ${imports.length === 0 ? 'nothing' : imports.join(', ')} |`;
    if (file.text.includes(row)) return [];
    return [{ path: file.path, line: 1, sentence: `the import table lacks the row ${row}` }];
  });
}

function dependencyRows(page: SourceFile, files: readonly SourceFile[]): readonly Violation[] {
  const manifests = files.filter((file) => posix.basename(file.path) === 'package.json');
  const installed = new Set(
    manifests.flatMap((file) => {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(file.text) as {
        dependencies?: Record<string, string>;
        devDependencies?: Record<string, string>;
      };
      return [...Object.keys(dependencies), ...Object.keys(devDependencies)];
    }),
  );
  return [...installed]
    .filter((name) => !name.startsWith('@jackfield/') && !page.text.includes(`\`${name}\``))
    .map((name) => ({ path: page.path, line: 1, sentence: `${name} is installed and has no row` }));
}
