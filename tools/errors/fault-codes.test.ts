import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultKinds } from '@jackfield/contract';

const features = 'packages/platform/src/features';
const adapters = 'packages/adapters/src';

/** Tests that bring about the codes of each table. The types and schemas of the contract keep other codes from being sent. */
const shownIn: Readonly<Record<string, readonly string[]>> = {
  // This test goes through the whole table.
  Callbacks: [`${features}/callbacks/domain/delivery-outcome.test.ts`],
  Sounds: [`${features}/sounds/create-sounds.test.ts`, `${features}/sounds/sources/sound-files.test.ts`],
  Recordings: [
    `${features}/recordings/create-recordings.test.ts`,
    `${adapters}/recorder/recorder.test.ts`,
    `${adapters}/recorder/recording-file.test.ts`,
  ],
  Transcripts: [`${features}/recordings/transcripts/transcripts.test.ts`],
  Streams: [
    `${features}/streams/create-streams.test.ts`,
    `${features}/streams/domain/stream-machine.test.ts`,
    `${features}/streams/live/target-input.test.ts`,
  ],
  'Ends of streams': [`${features}/streams/events.test.ts`],
  'Frames of streams': [
    `${adapters}/media-worker/streams/streams.test.ts`,
    `${adapters}/media-worker/streams/stream-connection.test.ts`,
  ],
};

for (const { title, codes } of faultKinds) {
  test(`${title}: every code of docs/reference/errors.md is brought about by a test`, () => {
    const text = (shownIn[title] ?? [])
      .map((path) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8'))
      .join('');
    const goesThrough = /codesOf\(/.test(text);
    const missing = Object.keys(codes).filter(
      (code) => !goesThrough && !new RegExp(`'${code}[':]`).test(text),
    );
    assert.deepEqual(missing, []);
  });
}
