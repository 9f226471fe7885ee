import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { createLogger } from '@jackfield/adapters/logger';
import { describeConfig } from './config.ts';
import { readableLines } from './readable-lines.ts';

async function shown(fields: object): Promise<string> {
  const terminal = new PassThrough();
  const log = createLogger({ destination: await readableLines(terminal) });
  log.info(fields, 'a record');
  return stripVTControlCharacters(String(terminal.read()));
}

test('a terminal shows the variables that are set, one a line, and counts the others', async () => {
  const configuration = describeConfig([
    { variable: 'JACKFIELD_HTTP_PORT', value: '8080', from: 'default' },
    { variable: 'JACKFIELD_SIP_PORT', value: '5090', from: 'environment' },
    { variable: 'JACKFIELD_NODE', value: 'one', from: 'environment' },
  ]);
  assert.match(
    await shown({ configuration }),
    /a record\n +configuration:\n +JACKFIELD_SIP_PORT +5090\n +JACKFIELD_NODE +one\n +at their defaults: 1 more\n$/,
  );
});

test('a terminal counts the migrations of a new database, and names those of an upgrade', async () => {
  const names = Array.from({ length: 90 }, (_, index) => `calls/${index}`);
  assert.match(await shown({ migrations: names }), /migrations: 90\n$/);
  assert.match(await shown({ migrations: names.slice(0, 2) }), /migrations: calls\/0, calls\/1\n$/);
});
