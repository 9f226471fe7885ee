import { isTypeScript, lineAt, type SourceCheck, type SourceFile } from './check-result.ts';
import { maskOf } from './masked-text.ts';

const refused: readonly (readonly [RegExp, string])[] = [
  [/(?<![.\w$])export\s+(?:type\s+)?\*/g, 'export *: a public API names its exports'],
  [/(?<![.\w$])export\s+default\b/g, 'export default: exports have names'],
  [/(?<![.\w$])export\s*\{[^}]*\bas\s+default\b/g, 'as default: exports have names'],
  [/(?<![.\w$])export\s*=/g, 'export =: exports have names'],
];

// Node's test runner calls the default export of a reporter.
const reporter = 'tools/tests/slow-files.ts';

/** Named exports only. */
export const namedExports: SourceCheck = {
  name: 'exports',
  find(files) {
    return files
      .filter((each) => isTypeScript(each) && !isDeclaration(each) && each.path !== reporter)
      .flatMap((file) => {
        const { code } = maskOf(file);
        return refused.flatMap(([pattern, sentence]) =>
          [...code.matchAll(pattern)].map((match) => ({
            path: file.path,
            line: lineAt(file.text, match.index),
            sentence,
          })),
        );
      });
  },
};

/** Declarations describe the modules of other projects as they are. */
function isDeclaration(file: SourceFile): boolean {
  return file.path.endsWith('.d.ts');
}
