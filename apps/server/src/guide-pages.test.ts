import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createGuidePages } from './guide-pages.ts';

let directory: string;

before(() => {
  directory = mkdtempSync(join(tmpdir(), 'guide-'));
  mkdirSync(join(directory, 'site/assets'), { recursive: true });
  mkdirSync(join(directory, 'site/decisions'));
  for (const name of [
    'index.html',
    'install.html',
    'decisions/index.html',
    'assets/app.1a2b.js',
    'assets/@search.1a2b.js',
    'secret.key',
  ]) {
    writeFileSync(join(directory, 'site', name), name);
  }
  writeFileSync(join(directory, 'outside.html'), 'outside');
});
after(() => rmSync(directory, { recursive: true }));

const read = async (path: string) => {
  const file = await createGuidePages(join(directory, 'site')).file(path);
  return file && [Buffer.from(file.bytes).toString(), file.contentType, file.isImmutable];
};

test('a page is found without its ending', async () => {
  assert.deepEqual(await read(''), ['index.html', 'text/html; charset=utf-8', false]);
  assert.deepEqual(await read('install'), ['install.html', 'text/html; charset=utf-8', false]);
});

test('a folder is its first page, with and without a slash', async () => {
  for (const path of ['decisions', 'decisions/']) {
    assert.equal((await read(path))?.[0], 'decisions/index.html', path);
  }
});

test('a file whose name changes with its content may be kept', async () => {
  assert.ok(await read('assets/@search.1a2b.js'));
  assert.deepEqual(await read('assets/app.1a2b.js'), [
    'assets/app.1a2b.js',
    'text/javascript; charset=utf-8',
    true,
  ]);
});

test('no path leads out of the site, and only files of a site are served', async () => {
  for (const path of [
    '../outside',
    'assets/../../outside.html',
    '/outside.html',
    'secret.key',
    'assets',
    'a\0',
  ]) {
    assert.equal(await read(path), undefined, path);
  }
});
