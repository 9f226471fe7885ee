import { isTest, isTypeScript, type SourceCheck, type SourceFile } from './check-result.ts';

/**
 * Least lines of tests for each line of source, by library. A floor only rises: lower it and a fault gets in that a test would have
 * found.
 */
export const testLineFloors: Readonly<Record<string, number>> = {
  media: 1,
  sdp: 1,
  signalling: 1,
  sip: 1,
};

/** Holds the share of test lines in the libraries, whose tests are cheap and need no world around them. */
export const testLines: SourceCheck = {
  name: 'test lines',
  find(files) {
    return Object.entries(testLineFloors).flatMap(([library, floor]) => {
      const ratio = testLineRatio(files, library);
      if (ratio === undefined || ratio >= floor) return [];
      const path = `packages/${library}/src`;
      const sentence = `${ratio.toFixed(3)} lines of tests for each line of source: at least ${floor} are required, so write the tests of what you added`;
      return [{ path, line: 1, sentence }];
    });
  },
};

/** Lines of tests and of what only tests read, over the lines of the other sources; undefined for a library without sources. */
export function testLineRatio(files: readonly SourceFile[], library: string): number | undefined {
  let tests = 0;
  let sources = 0;
  for (const file of files) {
    if (!file.path.startsWith(`packages/${library}/src/`) || !isTypeScript(file)) continue;
    // Declarations of a foreign library are neither.
    if (file.path.endsWith('.d.ts')) continue;
    const lines = file.text.trimEnd().split('\n').length;
    if (isTest(file.path)) tests += lines;
    else sources += lines;
  }
  return sources === 0 ? undefined : tests / sources;
}
