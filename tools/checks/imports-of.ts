import { posix } from 'node:path';
import { lineAt, type SourceFile } from './check-result.ts';
import { maskOf } from './masked-text.ts';

/** Where an import leads, whatever its syntax. */
export type ImportTarget =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'workspace'; readonly package: string; readonly subpath: string }
  | { readonly kind: 'node'; readonly module: string }
  | { readonly kind: 'npm'; readonly package: string }
  /** An `import()` whose argument is not a plain string: nobody can check it. */
  | { readonly kind: 'computed' };

export interface FoundImport {
  readonly specifier: string;
  readonly target: ImportTarget;
  readonly typeOnly: boolean;
  readonly line: number;
}

const scope = '@jackfield/';
const start = String.raw`(?<![.\w$])`;
const syntaxes = [
  new RegExp(
    String.raw`${start}(?:import\s+(?<imported>type\s+)?[\w$*\s{},]+?|export\s+(?<exported>type\s+)?(?:\*(?:\s*as\s+[\w$]+)?|\{[^}]*\}))\s*from\s*['"]`,
    'g',
  ),
  new RegExp(String.raw`${start}import\s*['"]`, 'g'),
  new RegExp(String.raw`${start}(?:import|require)\s*\(\s*['"]`, 'g'),
  // A worker or a child process is started from a file as an import would load it.
  new RegExp(String.raw`${start}new\s+URL\(\s*['"](?=\s*['"]\s*,\s*import\.meta\.url)`, 'g'),
];
const computed = new RegExp(String.raw`${start}import\s*\(\s*(?!\s|['"])`, 'g');

/** Every module that a file names: static, re-exported, dynamic, `import()` types, and `new URL('./x.ts', import.meta.url)`. */
export function importsOf(file: SourceFile): readonly FoundImport[] {
  let known = imports.get(file);
  if (known === undefined) {
    known = scan(file);
    imports.set(file, known);
  }
  return known;
}

// Three checks ask for the same files.
const imports = new WeakMap<SourceFile, readonly FoundImport[]>();

function scan(file: SourceFile): readonly FoundImport[] {
  const { code } = maskOf(file);
  const found: FoundImport[] = [];
  for (const syntax of syntaxes) {
    for (const match of code.matchAll(syntax)) {
      const quoteAt = match.index + match[0].length - 1;
      const specifier = file.text.slice(quoteAt + 1, code.indexOf(code[quoteAt] as string, quoteAt + 1));
      // A URL that names no program names data.
      if (match[0].startsWith('new') && !/\.[cm]?[jt]s$/.test(specifier)) continue;
      found.push({
        specifier,
        target: targetOf(file.path, specifier),
        typeOnly: match.groups?.imported !== undefined || match.groups?.exported !== undefined,
        line: lineAt(file.text, match.index),
      });
    }
  }
  for (const match of code.matchAll(computed)) {
    const line = lineAt(file.text, match.index);
    found.push({ specifier: 'import(…)', target: { kind: 'computed' }, typeOnly: false, line });
  }
  return found.sort((left, right) => left.line - right.line);
}

function targetOf(from: string, specifier: string): ImportTarget {
  if (specifier.startsWith('.')) {
    return { kind: 'file', path: posix.join(posix.dirname(from), specifier) };
  }
  if (specifier.startsWith('node:')) return { kind: 'node', module: specifier };
  if (specifier.startsWith(scope)) {
    const [name = '', ...rest] = specifier.slice(scope.length).split('/');
    return { kind: 'workspace', package: name, subpath: rest.join('/') };
  }
  const parts = specifier.split('/');
  return { kind: 'npm', package: specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '') };
}
