import type { SourceFile } from '../checks/check-result.ts';
import { maskOf } from '../checks/masked-text.ts';

/** A run of text in a file, and the code in front of it on its line and the one above. */
export interface TextRun {
  readonly text: string;
  readonly before: string;
}

/** The comments of a file; lines with nothing but space between them are one. */
export function commentsOf(file: SourceFile): readonly TextRun[] {
  return runsOf(file.text, file.text, maskOf(file).withoutComments);
}

/** What stands between quotes in a file, and between slashes; a template gives its pieces. */
export function literalsOf(file: SourceFile): readonly TextRun[] {
  const { code, withoutComments } = maskOf(file);
  return runsOf(file.text, withoutComments, code);
}

/** The runs in which `masked` hides what `shown` shows. */
function runsOf(text: string, shown: string, masked: string): readonly TextRun[] {
  const runs: TextRun[] = [];
  let start = -1;
  let end = -1;
  const close = (): void => {
    if (start >= 0)
      runs.push({ text: text.slice(start, end), before: text.slice(Math.max(0, start - 40), start) });
    start = -1;
  };
  for (let index = 0; index < text.length; index += 1) {
    if (shown[index] !== masked[index]) {
      if (start < 0) start = index;
      end = index + 1;
    } else if (start >= 0 && !/\s/.test(text[index]!)) close();
  }
  close();
  return runs;
}
