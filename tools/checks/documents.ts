import { posix } from 'node:path';
import { lineAt, type SourceCheck, type SourceFile, type Violation } from './check-result.ts';
import { importTable } from './import-rules.ts';

const dependenciesPage = 'docs/decisions/0002-dependencies.md';
const ofOurs = /^(packages|apps|tools|conformance|benchmarks|examples|docs)\//;

/** What the documents name exists, and the tables that repeat a rule say the same as the rule. */
export const documents: SourceCheck = {
  name: 'documents',
  find(files) {
    const known = knownPaths(files);
    return files
      .filter(isDocument)
      .flatMap((file) => [
        ...namedPaths(file, known),
        ...links(file, known),
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
  const known = new Set<string>(['LICENSE', 'benchmarks/results']);
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

function links(file: SourceFile, known: ReadonlySet<string>): readonly Violation[] {
  return [...file.text.matchAll(/\]\(([^)#\s]+)(#[^)\s]*)?\)/g)].flatMap((match) => {
    const target = match[1]!;
    if (/^[a-z]+:/.test(target)) return [];
    const path = posix.join(posix.dirname(file.path), target).replace(/\/$/, '');
    if (known.has(path) || /\.(png|jpe?g|svg)$/.test(path)) return [];
    return [
      { path: file.path, line: lineAt(file.text, match.index), sentence: `the link leads to no ${path}` },
    ];
  });
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
