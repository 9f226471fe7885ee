import { isTest, isTypeScript, lineAt, type SourceCheck } from './check-result.ts';
import { maskOf } from './masked-text.ts';

const documented = /^packages\/(ports|sip|sdp|media)\/src\//;
const declared =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\s*\*?|const|let|class|interface|type)\s+(?<name>[A-Za-z_$][\w$]*)/gm;

const constantAbove = /(^|\n)export const [^\n]*;[^\n]*\n$/;

/** Each exported name of the libraries and ports has a sentence: its shape, units, errors, source. */
export const docstrings: SourceCheck = {
  name: 'docstrings',
  find(files) {
    return files
      .filter((file) => isTypeScript(file) && documented.test(file.path) && !isTest(file.path))
      .flatMap((file) => {
        const { code } = maskOf(file);
        const seen = new Set<string>();
        return [...code.matchAll(declared)].flatMap((match) => {
          const name = match.groups!.name!;
          // Overloads share the sentence of the first.
          if (seen.has(name)) return [];
          seen.add(name);
          const above = file.text
            .slice(0, match.index)
            .replace(/(\s*\/\/[^\n]*\n)+$/, '')
            .trimEnd();
          if (above.endsWith('*/')) return [];
          // A run of constants without blank lines shares the sentence of the first.
          if (match[0].startsWith('export const') && constantAbove.test(code.slice(0, match.index)))
            return [];
          const sentence = `'${name}' needs a sentence above it: /** what it is, units, errors, RFC section */`;
          return [{ path: file.path, line: lineAt(file.text, match.index), sentence }];
        });
      });
  },
};
