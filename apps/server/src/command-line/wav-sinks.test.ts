import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileSink } from './wav-sinks.ts';

function directory(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'sinks-'));
  t.after(() => rmSync(made, { recursive: true }));
  return made;
}

test('an older file stays as it was when no audio came, and a new one goes away', (t) => {
  const [older, created] = ['older.wav', 'created.wav'].map((name) => join(directory(t), name));
  writeFileSync(older!, 'an older recording');
  for (const path of [older!, created!]) fileSink(path).discard();
  assert.equal(readFileSync(older!, 'utf8'), 'an older recording');
  assert.ok(!existsSync(created!));
});

test('audio replaces all of an older file', async (t) => {
  const path = join(directory(t), 'older.wav');
  writeFileSync(path, 'an older recording, longer than the new one');
  const sink = fileSink(path);
  sink.write(Buffer.from('1234'));
  sink.write(Buffer.from('5678'));
  // The length of the audio behind the header is at byte 40.
  const header = Buffer.alloc(44);
  sink.write(Buffer.alloc(40));
  header.writeUInt32LE(4, 40);
  await sink.finish(header);
  assert.equal(readFileSync(path).length, 48);
});
