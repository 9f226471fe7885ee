/** One file of the workspace; `path` is relative to the root, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** What a check found and what is allowed instead, in one sentence. */
export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly sentence: string;
}

/** A rule over the whole workspace: pure, so that a test can plant a violation. */
export interface SourceCheck {
  readonly name: string;
  find(files: readonly SourceFile[]): readonly Violation[];
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** A file beside the product: `x.test.ts`, and what only tests read. */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || /\/(fixtures|testing)\//.test(path);
}

export function isTypeScript(file: SourceFile): boolean {
  return file.path.endsWith('.ts');
}
