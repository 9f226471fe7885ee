import { isTypeScript, lineAt, type SourceCheck } from './check-result.ts';
import { maskText } from './masked-text.ts';

const refused: readonly (readonly [RegExp, string])[] = [
  [/(?<![.\w$])export\s+(?:type\s+)?\*/g, 'export *: a door names what it lets out'],
  [/(?<![.\w$])export\s+default\b/g, 'export default: exports have names'],
  [/(?<![.\w$])export\s*\{[^}]*\bas\s+default\b/g, 'as default: exports have names'],
  [/(?<![.\w$])export\s*=/g, 'export =: exports have names'],
];

/** Named exports only. */
export const namedExports: SourceCheck = {
  name: 'exports',
  find(files) {
    return files.filter(isTypeScript).flatMap((file) => {
      const { code } = maskText(file.text);
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
