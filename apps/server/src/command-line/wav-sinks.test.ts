import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
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

/** A process that writes portions of 20 ms to its standard output, and says on standard error that it has. */
function writer(t: TestContext, portions: number) {
  const program = `
    import { fileSink } from ${JSON.stringify(join(import.meta.dirname, 'wav-sinks.ts'))};
    const sink = fileSink('-');
    for (let number = 0; number < ${portions}; number++) {
      sink.write(Buffer.alloc(1280, number));
      if (number % 100 === 0) await new Promise(setImmediate);
    }
    process.stderr.write('all\\n');
    await sink.finish(Buffer.alloc(44));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill());
  return child;
}

/** What a process has said on standard error, once it has written all. */
async function saidBy({ stderr }: ReturnType<typeof writer>): Promise<string> {
  let said = '';
  while (!said.endsWith('all\n')) said += (await once(stderr, 'data'))[0];
  return said;
}

test('standard output whose reader pauses gets all audio when the reader goes on', async (t) => {
  const child = writer(t, 500);
  assert.equal(await saidBy(child), 'all\n');
  const audio = await buffer(child.stdout);
  assert.equal(audio.length, 500 * 1280);
  assert.ok(audio.every((byte, at) => byte === Math.floor(at / 1280) % 256));
});

test('standard output that is not read for minutes loses whole portions, and says so once', async (t) => {
  const child = writer(t, 14_000);
  assert.equal(await saidBy(child), 'standard output is not read: audio is left out\nall\n');
  const audio = await buffer(child.stdout);
  assert.equal(audio.length % 1280, 0);
  assert.ok(audio.length > 16_000_000 && audio.length < 14_000 * 1280, `${audio.length}`);
});

test('standard output without a reader ends the recording', async (t) => {
  const child = writer(t, 500);
  child.stdout.destroy();
  assert.match((await buffer(child.stderr)).toString(), /EPIPE/);
});
