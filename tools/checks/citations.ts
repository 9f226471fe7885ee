import { posix } from 'node:path';
import { lineAt, type SourceCheck, type SourceFile, type Violation } from './check-result.ts';
import { headingsOf } from './headings.ts';

const cited = /(?<![\w@./*:-])(?<name>[\w@.][\w@./-]*\.md)(?!\w)(?:#(?<heading>[\w-]+))?/g;
// They plant names of documents that do not exist.
const planted = /^tools\/.*\.test\.ts$/;

/** A document that is named anywhere is in the repository, and so is the heading that is named with it. */
export const citations: SourceCheck = {
  name: 'citations',
  find(files) {
    const documents = new Map(
      files.filter(({ path }) => path.endsWith('.md')).map((file) => [file.path, file]),
    );
    const byName = Map.groupBy(documents.values(), ({ path }) => posix.basename(path));
    const headings = new Map<SourceFile, ReadonlySet<string>>();
    const has = (document: SourceFile, heading: string) => {
      const known = headings.get(document) ?? headingsOf(document.text);
      headings.set(document, known);
      return known.has(heading);
    };

    function meant(file: SourceFile, name: string): readonly SourceFile[] {
      const exact = documents.get(name) ?? documents.get(posix.join(posix.dirname(file.path), name));
      if (exact !== undefined) return [exact];
      return name.includes('/') ? [] : (byName.get(name) ?? []);
    }

    return files
      .filter(({ path }) => !planted.test(path))
      .flatMap((file) =>
        [...file.text.matchAll(cited)].flatMap((match): readonly Violation[] => {
          const { name, heading } = match.groups as { name: string; heading?: string };
          if (isOutside(file.text, match.index)) return [];
          const at = { path: file.path, line: lineAt(file.text, match.index) };
          const found = meant(file, name);
          if (found.length === 0)
            return [{ ...at, sentence: `there is no document ${name}: cite a page of docs/ or an RFC` }];
          if (heading === undefined || found.some((document) => has(document, heading))) return [];
          return [{ ...at, sentence: `${name} has no heading #${heading}` }];
        }),
      );
  },
};

/** Part of a URL of another site. */
function isOutside(text: string, at: number): boolean {
  return /[a-z]+:\/\/\S*$/.test(text.slice(Math.max(0, at - 200), at));
}
