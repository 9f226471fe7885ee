import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** A block of code of a page, ` ```sh run-by=… `. */
export interface Snippet {
  readonly line: number;
  readonly language: string;
  /**
   * What stands behind the language. `file=NAME`: the page's reader saves it under this name. `background=PORT`: the command stays, and listens
   * there. `printed-by=PORT`: that program has printed these lines by then. `server`: the command starts a server, which gets ready and is ended.
   * `until-stopped`: the command stays, and has printed something by the end of the page. `run-by=TEST`: a test file reads it from the page and
   * runs it. `needs=PROGRAM`: it runs where that is installed.
   */
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

export function snippetsOf(page: string): readonly Snippet[] {
  return [...page.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [language = '', ...words] = match[1]!.trim().split(/\s+/);
    const attributes = Object.fromEntries(
      words.map((word) => {
        const [name = '', value = ''] = word.split(/=(.*)/, 2);
        return [name, value];
      }),
    );
    return { line: page.slice(0, match.index).split('\n').length, language, attributes, text: match[2]! };
  });
}

/** What a reader pastes into `<name>`: the value that an earlier answer of the page had under that name. */
export class PastedValues {
  readonly #values = new Map<string, string>();

  constructor(values: Readonly<Record<string, string>>) {
    for (const [name, value] of Object.entries(values)) this.#values.set(name, value);
  }

  /** Remembers the members of the JSON in the output of a command; the code of a message stands in its text. */
  learn(output: string): void {
    for (const [, name = '', text, digits] of output.matchAll(/"(\w+)":\s*(?:"([^"]*)"|(\d+))/g)) {
      const value = text ?? digits ?? '';
      this.#values.set(name, value);
      const code = name === 'text' ? /\b\d{4,8}\b/.exec(value)?.[0] : undefined;
      if (code !== undefined) this.#values.set('code', code);
    }
  }

  pastedInto(text: string): string {
    return text.replace(/<([a-z]+(?:_[a-z]+)*)>/g, (whole, name: string) => this.#values.get(name) ?? whole);
  }
}

/** The blocks of a page that name this test, which runs them: at least one. */
export function blocksRunBy(page: string, test: string): readonly Snippet[] {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks = snippetsOf(text).filter(({ attributes }) => attributes['run-by'] === relative(root, test));
  assert.ok(blocks.length > 0, `${page} has no block that names ${relative(root, test)}`);
  return blocks;
}
