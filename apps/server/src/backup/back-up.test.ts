import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { CommandFailure } from '../command-line/command.ts';
import { backUp } from './back-up.ts';

test('a backup that is interrupted leaves nothing, neither under its name nor above it', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'backup-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const dataDir = join(directory, 'data');
  mkdirSync(join(dataDir, 'recordings'), { recursive: true });
  writeFileSync(join(dataDir, 'recordings/kept.wav'), 'RIFF');
  new DatabaseSync(join(dataDir, 'jackfield.sqlite')).close();
  const stored = { dataDir, secretKey: new Uint8Array(32) };
  const to = join(directory, 'new/backup');
  await assert.rejects(
    backUp(stored, to, AbortSignal.abort()),
    (error) => error instanceof CommandFailure && /^The backup was interrupted/.test(error.message),
  );
  assert.deepEqual(readdirSync(directory), ['data']);
  const { files } = await backUp(stored, to, new AbortController().signal);
  assert.deepEqual(Object.keys(files), ['jackfield.sqlite', 'recordings/kept.wav', 'secret.key']);
});
