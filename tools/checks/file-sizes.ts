import { isTest, isTypeScript, type SourceCheck, type SourceFile } from './check-result.ts';

export const sourceLimit = 400;
export const tableLimit = 600;

/** Split before 400 lines; tests and files that are one table (`*-table.ts`, `*-vectors.ts`) may have 600. */
export const fileSizes: SourceCheck = {
  name: 'file sizes',
  find(files) {
    return files.filter(isTypeScript).flatMap((file) => {
      const lines = linesOf(file);
      const table = isTest(file.path) || /-(table|vectors)\.ts$/.test(file.path);
      const limit = table ? tableLimit : sourceLimit;
      if (lines <= limit) return [];
      const sentence = `${lines} lines; ${table ? 'a test or a table' : 'a source file'} has at most ${limit}: split it where it has a second reason to be opened`;
      return [{ path: file.path, line: limit + 1, sentence }];
    });
  },
};

/** The median length of the source files that are no tests. */
export function medianLines(files: readonly SourceFile[]): number {
  const lengths = files
    .filter((file) => isTypeScript(file) && !isTest(file.path))
    .map(linesOf)
    .sort((left, right) => left - right);
  return lengths[Math.floor(lengths.length / 2)] ?? 0;
}

function linesOf(file: SourceFile): number {
  return file.text.trimEnd().split('\n').length;
}
