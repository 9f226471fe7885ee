import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newCallBody, newCallRecording } from '@jackfield/contract';
import { Compile } from 'typebox/schema';

/** Pages that show the body of a request as a block of JSON, and the request. */
const shown = [
  { page: 'docs/guides/machine-detection.md', request: 'POST Call/', schema: newCallBody },
  { page: 'docs/guides/transcripts.md', request: 'POST Call/{call_uuid}/Record/', schema: newCallRecording },
];

for (const { page, request, schema } of shown) {
  test(`${page} shows a body that ${request} accepts`, () => {
    const text = readFileSync(join(import.meta.dirname, '../../..', page), 'utf8');
    const [, block = assert.fail(page)] = /^```json\n(.*?)^```/ms.exec(text) ?? [];
    const body = JSON.parse(block) as Readonly<Record<string, unknown>>;
    const [, errors] = Compile(schema).Errors(body);
    assert.deepEqual(errors, []);
    for (const name of Object.keys(body)) assert.ok(Object.hasOwn(schema.properties, name), name);
  });
}
