import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { PageReader } from './support/page-reader.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { type Snippet, snippetsOf } from './support/snippets.ts';

const root = join(import.meta.dirname, '..');
const pages = [
  'README.md',
  ...globSync(['docs/**/*.md', 'packages/*/README.md'], {
    cwd: root,
    exclude: (name) => name === '.vitepress',
  }),
]
  .filter((page) => snippetsOf(readFileSync(join(root, page), 'utf8')).length > 0)
  .sort();
/** Languages of data and of output, which nothing runs. */
const shown = new Set(['text', 'json', 'jsonl', 'xml', 'http', 'ini', 'nginx', 'yaml']);
/** `page-programs.test.ts` compiles each block of these, or checks its syntax. */
const compiled = new Set(['js', 'ts', 'python', 'go', 'ruby', 'php', 'java', 'csharp']);

describe('the commands and programs of a page', { timeout: 400_000 }, () => {
  let platform: PlatformProcess;
  /** Of an endpoint, for pages that do not create one. */
  let username = '';

  before(async () => {
    platform = await PlatformProcess.start();
    ({ username } = await platform.createEndpoint('reader', 'a-good-password'));
  });
  after(async () => {
    await platform.api('DELETE', 'Call/');
    await platform.untilQuiet();
    await platform.stop();
  });

  for (const page of pages) {
    const snippets = snippetsOf(readFileSync(join(root, page), 'utf8'));

    it(`${page}: each block is run here, by the test that it names, or is data`, () => {
      for (const snippet of snippets) assertKnown(page, snippet);
    });

    const followed = snippets.filter(({ attributes }) => attributes['run-by'] === undefined);
    if (followed.every(({ language }) => language !== 'sh')) continue;

    it(`${page}: a reader who follows it succeeds`, async (t: TestContext) => {
      const reader = await PageReader.open(platform, { username });
      t.after(() => reader.close());
      for (const snippet of followed) {
        const { needs } = snippet.attributes;
        if (needs !== undefined && isMissing(needs)) {
          t.diagnostic(`${page}:${snippet.line} ${needs} is not installed`);
          continue;
        }
        await reader.follow(snippet).catch((error: Error) => {
          error.message = `${page}:${snippet.line} ${error.message}`;
          throw error;
        });
      }
      await reader.end();
    });
  }
});

/** A test that runs a block reads it from the page, whose path is in the source of the test. */
function assertKnown(page: string, { line, language, attributes }: Snippet): void {
  const test = attributes['run-by'];
  if (test !== undefined) {
    assert.ok(existsSync(join(root, test)), `${page}:${line} there is no ${test}`);
    const reads = readFileSync(join(root, test), 'utf8').includes(page);
    assert.ok(reads, `${page}:${line} ${test} does not read this page`);
  }
  const isKnown =
    test !== undefined ||
    language === 'sh' ||
    shown.has(language) ||
    compiled.has(language) ||
    attributes.file !== undefined;
  assert.ok(isKnown, `${page}:${line} nothing runs this ${language || 'block'}`);
}

function isMissing(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0;
}
