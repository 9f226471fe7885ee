import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { schemaPath, schemaText } from './schema.ts';

test('the schema in docs is that of the contract (node tools/stream-frames/write-schema.ts)', () => {
  const written = readFileSync(join(import.meta.dirname, '../..', schemaPath), 'utf8');
  assert.equal(written, schemaText());
});
