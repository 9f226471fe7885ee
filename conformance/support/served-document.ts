import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Servers of one run are one bundle; a test that runs alone starts the sources, which may have changed since the last time. */
const isRun = process.env.TEST_SERVER !== undefined;

/**
 * The document of the API that a server with these settings serves; undefined where it serves none. The first process of a run requests it,
 * and the others read its copy: a server needs 0.3 s of CPU for its first answer.
 */
export async function servedDocument(httpUrl: string, settings: string): Promise<object | undefined> {
  const name = createHash('sha256').update(settings).digest('hex').slice(0, 16);
  const copy = join(tmpdir(), `openapi-${name}.json`);
  const known = isRun ? await readFile(copy, 'utf8').catch(() => undefined) : undefined;
  const text = known ?? (await request(httpUrl));
  if (isRun && known === undefined) await keep(copy, text);
  return JSON.parse(text) ?? undefined;
}

/** JSON; `null` from a server without the document. */
async function request(httpUrl: string): Promise<string> {
  const response = await fetch(`${httpUrl}/openapi.json`);
  return response.status === 200 ? response.text() : 'null';
}

/** A reader of the copy finds all of it or none. */
async function keep(copy: string, text: string): Promise<void> {
  const own = `${copy}.${process.pid}`;
  await writeFile(own, text);
  await rename(own, copy);
}
