import { posix } from 'node:path';
import {
  isTest,
  isTypeScript,
  lineAt,
  type SourceCheck,
  type SourceFile,
  type Violation,
} from './check-result.ts';
import { maskOf } from './masked-text.ts';
import { adapterOf } from './workspace-path.ts';

const computed = /(?<![.\w$])import\s*\(\s*(?!\s|['"])/g;
// A worker or a child process is started from a file as an import would load it.
const started = /(?<![.\w$])new\s+URL\(\s*'(?=\s*'\s*,\s*import\.meta\.url)/g;

/** What `import-rules.ts` cannot see: modules whose name is computed, and programs that are started by their URL. */
export const loadedModules: SourceCheck = {
  name: 'loaded modules',
  find: (files) =>
    files
      .filter((file) => isTypeScript(file) && !isTest(file.path))
      .flatMap((file) => [...computedImports(file), ...foreignPrograms(file)]),
};

function computedImports(file: SourceFile): readonly Violation[] {
  return [...maskOf(file).code.matchAll(computed)].map((match) => ({
    path: file.path,
    line: lineAt(file.text, match.index),
    sentence: 'import() takes a plain string, so that the rules of imports apply to it',
  }));
}

function foreignPrograms(file: SourceFile): readonly Violation[] {
  const adapter = adapterOf(file.path);
  if (adapter === undefined) return [];
  return [...maskOf(file).code.matchAll(started)].flatMap((match) => {
    const at = match.index + match[0].length;
    const specifier = file.text.slice(at, file.text.indexOf("'", at));
    const target = posix.join(posix.dirname(file.path), specifier);
    if (!/\.[cm]?[jt]s$/.test(specifier) || adapterOf(target) === adapter) return [];
    const sentence = `'${specifier}': an adapter starts programs of its own folder only`;
    return [{ path: file.path, line: lineAt(file.text, match.index), sentence }];
  });
}
