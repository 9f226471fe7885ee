import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { applicationFrame, platformFrame } from '@jackfield/contract';
import { Check } from 'typebox/value';

const page = readFileSync(join(import.meta.dirname, '../../docs/guides/streams.md'), 'utf8');
const blocks = [...page.matchAll(/```jsonl\n([\s\S]*?)```/g)].map(([, lines = '']) =>
  lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line)),
);

const kindsOf = (schema: object) => {
  const { anyOf } = schema as { anyOf: readonly { properties: { event: { const: string } } }[] };
  return anyOf.map(({ properties }) => properties.event.const);
};

for (const [at, schema] of [platformFrame, applicationFrame].entries()) {
  test(`the samples of docs/guides/streams.md are frames, one of each kind: ${at === 0 ? 'platform' : 'server'}`, () => {
    const samples = blocks[at] ?? [];
    for (const sample of samples) assert.ok(Check(schema, sample), JSON.stringify(sample));
    assert.deepEqual(samples.map(({ event }) => event).sort(), [...new Set(kindsOf(schema))].sort());
  });
}
