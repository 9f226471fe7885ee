import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { createLogger } from '@jackfield/adapters/logger';
import { describeConfig } from './config.ts';
import type { ConfigLine } from './config-reader.ts';
import { readableLines } from './readable-lines.ts';

async function shown(fields: object, inForce: readonly ConfigLine[] = []): Promise<string> {
  const terminal = new PassThrough();
  const log = createLogger({ destination: await readableLines(inForce, terminal) });
  log.info(fields, 'a record');
  return stripVTControlCharacters(String(terminal.read()));
}

test('a terminal shows the variables that are set, one a line, and counts the others', async () => {
  const inForce: readonly ConfigLine[] = [
    { variable: 'JACKFIELD_HTTP_PORT', value: '8080', from: 'default' },
    { variable: 'JACKFIELD_SIP_PORT', value: '5090', from: 'environment' },
    { variable: 'JACKFIELD_NODE', value: 'one  (default)', from: 'environment' },
  ];
  const configuration = describeConfig(inForce);
  assert.match(
    await shown({ configuration }, inForce),
    /a record\n +configuration:\n +JACKFIELD_SIP_PORT +5090\n +JACKFIELD_NODE +one {2}\(default\)\n +at their defaults: 1 more\n$/,
  );
  const defaults = inForce.slice(0, 1);
  assert.match(await shown({ configuration }, defaults), /configuration:\n +at their defaults: 1 more\n$/);
});

test('a terminal counts the migrations of a new database, and names those of an upgrade', async () => {
  const names = Array.from({ length: 90 }, (_, index) => `calls/${index}`);
  assert.match(await shown({ migrations: names }), /migrations: 90\n$/);
  assert.match(await shown({ migrations: names.slice(0, 2) }), /migrations: calls\/0, calls\/1\n$/);
});
