import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { createDiskRecordings } from './disk-recordings.ts';
import { createRecorder } from './recorder.ts';
import { createToneSource } from './testing/tone-source.ts';
import { decodeMp3, decodeWav, levelOf } from './testing/tones.ts';

const directory = mkdtempSync(join(tmpdir(), 'jackfield-disk-recordings-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const files = createDiskRecordings({ directory, portionBytes: 100 });

async function recorded(format: 'mp3' | 'wav', ms: number): Promise<string> {
  const source = createToneSource();
  const recorder = await createRecorder({ directory, media: source });
  const recording = randomUUID();
  await recorder.start({ recording, format, tracks: [{ said: ['a'], heard: [] }] });
  source.say(recording, [500], ms);
  await recorder.stop(recording);
  await recorder.close();
  source.close();
  return `${recording}.${format}`;
}

async function bytesOf(name: string, from: number, to: number): Promise<Buffer> {
  return collected(await files.read(name, from, to));
}

async function collected(portions: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const portion of portions) all.push(portion);
  return Buffer.concat(all);
}

test('any part of a file can be read, and no bytes beyond its end', async () => {
  const name = await recorded('wav', 100);
  const whole = readFileSync(join(directory, name));
  assert.equal(await files.size(name), whole.length);
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(whole.length - 1), async (one, other) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      assert.deepEqual(await bytesOf(name, from, to), whole.subarray(from, to + 1));
    }),
    { numRuns: 30 },
  );
  for (const [from, to] of [
    [0, whole.length],
    [-1, 3],
    [5, 4],
  ] as const) {
    await assert.rejects(files.read(name, from, to), RangeError);
  }
  await files.remove(name);
  await files.remove(name);
  assert.equal(await files.size(name), undefined);
  await assert.rejects(files.read(name, 0, 1), RangeError);
});

test('a name of another form than a recording reads no file', async () => {
  for (const name of [
    '../secret.wav',
    '/etc/passwd',
    `${randomUUID()}.txt`,
    `${randomUUID()}.wav/..`,
    '',
    '.',
  ]) {
    await assert.rejects(files.size(name), RangeError);
    await assert.rejects(files.read(name, 0, 0), RangeError);
    await assert.rejects(files.remove(name), RangeError);
    await assert.rejects(files.repair(name, 'wav'), RangeError);
  }
});

test('repair: a WAV header gets the length of the content, and half a sample is cut', async () => {
  const name = await recorded('wav', 1000);
  const path = join(directory, name);
  appendFileSync(path, Buffer.alloc(1601));
  assert.deepEqual(await files.repair(name, 'wav'), { durationMs: 1100, bytes: 44 + 17_600 });
  assert.equal(decodeWav(path).durationMs, 1100);
  truncateSync(path, 44 + 801);
  assert.deepEqual(await files.repair(name, 'wav'), { durationMs: 50, bytes: 844 });
  assert.equal(decodeWav(path).durationMs, 50);
  for (const length of [20, 0]) {
    truncateSync(path, length);
    assert.deepEqual(await files.repair(name, 'wav'), { durationMs: 0, bytes: 44 });
    assert.equal(decodeWav(path).durationMs, 0);
  }
});

test('repair: an MP3 file keeps its whole frames', async () => {
  const name = await recorded('mp3', 2000);
  const path = join(directory, name);
  const whole = statSync(path).size;
  const kept = await files.repair(name, 'mp3');
  assert.ok(kept?.bytes === whole && kept.durationMs >= 2000 && kept.durationMs < 2300);
  truncateSync(path, whole - 10);
  const cut = await files.repair(name, 'mp3');
  // A frame of 576 samples at 8 kHz and 32 kbit/s.
  assert.deepEqual([cut?.bytes, cut?.durationMs], [whole - 288, kept.durationMs - 72]);
  assert.equal((await decodeMp3(path)).durationMs, cut?.durationMs);
});

test('repair: an MP3 file without a whole frame becomes playable silence, also after a second repair', async () => {
  const name = await recorded('mp3', 300);
  const path = join(directory, name);
  for (const length of [100, 0]) {
    truncateSync(path, length);
    for (let times = 0; times < 2; times++) {
      assert.deepEqual(await files.repair(name, 'mp3'), { durationMs: 0, bytes: statSync(path).size });
    }
    const { durationMs, tracks } = await decodeMp3(path);
    assert.ok(durationMs > 0 && tracks[0]?.every((sample) => sample === 0));
  }
});

test('repair: random bytes end the repair, and no file with sound grows', async () => {
  const [wav, mp3] = [await recorded('wav', 60), await recorded('mp3', 300)];
  const starts = [readFileSync(join(directory, wav)), readFileSync(join(directory, mp3)), Buffer.alloc(0)];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...starts),
      fc.uint8Array({ maxLength: 200 }),
      fc.nat(400),
      async (start, bytes, at) => {
        const content = Buffer.concat([start.subarray(0, at), bytes]);
        for (const format of ['wav', 'mp3'] as const) {
          const name = `${randomUUID()}.${format}`;
          writeFileSync(join(directory, name), content);
          const repaired = await files.repair(name, format);
          const least = repaired?.durationMs === 0 ? (format === 'wav' ? 44 : 216) : 0;
          assert.ok(repaired !== undefined && repaired.bytes <= Math.max(content.length, least));
          assert.equal(await files.size(name), repaired.bytes);
          assert.deepEqual(await files.repair(name, format), repaired);
          await files.remove(name);
        }
      },
    ),
    { numRuns: 50 },
  );
  assert.equal(await files.repair(`${randomUUID()}.wav`, 'wav'), undefined);
});

for (const format of ['wav', 'mp3'] as const) {
  test(`kill -9 in the middle of a recording leaves a ${format} file that plays, and repair returns its length`, async () => {
    const recording = randomUUID();
    const name = `${recording}.${format}`;
    const at = (file: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, file)).href);
    const program = `
      const { createRecorder } = await import(${at('recorder.ts')});
      const { createToneSource } = await import(${at('testing/tone-source.ts')});
      const source = createToneSource();
      const recorder = await createRecorder({ directory: ${JSON.stringify(directory)}, media: source });
      await recorder.start({ recording: '${recording}', format: '${format}', tracks: [{ said: ['a'], heard: [] }] });
      for (;;) {
        source.say('${recording}', [500], 500);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    `;
    const child = spawn(process.execPath, ['-e', program], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    let isAlive = true;
    child.once('exit', () => {
      isAlive = false;
    });
    const ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
    const path = join(directory, name);
    /** A WAV file has samples that its header does not count yet; a slow machine may write many of them at once. */
    const hasEnough = async (): Promise<boolean> => {
      const size = (await files.size(name)) ?? 0;
      return format === 'wav' ? size > 44 && decodeWav(path).durationMs > 2500 : size >= 20_000;
    };
    while (isAlive && !(await hasEnough())) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGKILL');
    assert.equal(await ended, 'SIGKILL');

    const asLeft = join(directory, `left.${format}`);
    copyFileSync(path, asLeft);
    const left = format === 'wav' ? decodeWav(asLeft) : await decodeMp3(asLeft);
    assert.ok(left.durationMs > 2500 && levelOf(500, left, 0) > -12, 'as it was left');

    const repaired = await files.repair(name, format);
    const whole = format === 'wav' ? decodeWav(path) : await decodeMp3(path);
    assert.equal(repaired?.durationMs, Math.round(whole.durationMs));
    assert.ok(whole.durationMs >= left.durationMs - 72 && levelOf(500, whole, 0) > -12, 'as it was repaired');
  });
}
