import { lineAt, type SourceCheck, type SourceFile, type Violation } from './check-result.ts';

const page = 'docs/operate/security.md';
const testFile = /`([\w@./-]+\.test\.ts)`/g;
const title = /"([^"]+)"/g;

/** Every promise of docs/operate/security.md names a test that exists: a file, and titles within it. */
export const shownPromises: SourceCheck = {
  name: 'shown promises',
  find(files) {
    const document = files.find(({ path }) => path === page);
    return document === undefined ? [] : rowsOf(document).flatMap((row) => violationsOf(row, files));
  },
};

interface Row {
  readonly line: number;
  readonly shownBy: string;
}

/** Rows of tables but their heads: a promise, and what shows it. */
function rowsOf({ text }: SourceFile): readonly Row[] {
  return [...text.matchAll(/^\| (?!promise \||limit \|)(.+) \| (.*) \|$/gm)].map((match) => ({
    line: lineAt(text, match.index),
    shownBy: match[2]!,
  }));
}

function violationsOf({ line, shownBy }: Row, files: readonly SourceFile[]): readonly Violation[] {
  const violation = (sentence: string): Violation => ({ path: page, line, sentence });
  const named = [...shownBy.matchAll(testFile)];
  if (named.length === 0) return [violation('the promise names no test')];
  return named.flatMap((match, at) => {
    const path = match[1]!;
    const test = files.find((file) => file.path === path);
    if (test === undefined) return [violation(`there is no ${path}`)];
    const titles = [...shownBy.slice(match.index, named[at + 1]?.index).matchAll(title)].map(
      (each) => each[1]!,
    );
    if (titles.length === 0) return [violation(`no title of ${path} is named`)];
    return titles
      .filter((each) => !hasTest(test.text, each))
      .map((each) => violation(`${path} has no test "${each}"`));
  });
}

/** A title may go on after what stands in the page, or come from a list of cases. */
function hasTest(text: string, sought: string): boolean {
  return text.replaceAll("\\'", "'").includes(sought);
}
