import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createDiskGate } from './disk-gate.ts';
import { beginRecordingFile, type RecordingFileOptions, type WritableFile } from './recording-file.ts';
import { plainSamples } from './sound-encoder.ts';
import { decodeWav, tones } from './testing/tones.ts';

const directory = mkdtempSync(join(tmpdir(), 'jackfield-recording-file-'));
after(() => rmSync(directory, { recursive: true, force: true }));

async function begin(file: WritableFile, options: Partial<RecordingFileOptions> = {}) {
  const failures: string[] = [];
  const recording = await beginRecordingFile({
    file,
    channels: 1,
    hasHeader: true,
    encoder: plainSamples,
    gate: createDiskGate(2),
    maxBytes: 1e9,
    maxWaitingBytes: 64_000,
    onFailure: ({ code, sentence }) => failures.push(`${code}: ${sentence}`),
    ...options,
  });
  return { recording, failures };
}

const second = tones([500], 0, 8000);
const create = (name: string) => open(join(directory, name), 'wx');
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

/** Waits for the header, which is written after the samples that it counts: a shorter file would wait until the time limit of the test. */
async function playable(path: string, durationMs: number): Promise<void> {
  while (decodeWav(path).durationMs < durationMs) await settled();
  assert.equal(decodeWav(path).durationMs, durationMs);
}

/** A real file whose writes wait until the test releases them. */
async function slow(name: string) {
  const handle = await create(name);
  const held: (() => void)[] = [];
  let isHolding = false;
  const file: WritableFile = {
    async write(...parameters) {
      if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
      return handle.write(...parameters);
    },
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
  return {
    file,
    hold() {
      isHolding = true;
    },
    release() {
      isHolding = false;
      for (const resume of held.splice(0)) resume();
    },
  };
}

test('while it is written, the header is true about once a second', async () => {
  const path = join(directory, 'growing.wav');
  const { recording } = await begin(await create('growing.wav'));
  assert.equal(decodeWav(path).durationMs, 0);
  for (let taken = 1; taken <= 3; taken++) {
    for (let at = 0; at < 8000; at += 160) recording.take(second.subarray(at, at + 160), 1, 8000);
    await playable(path, taken * 1000);
  }
  assert.deepEqual(await recording.finish(), { durationMs: 3000, bytes: 48_044 });
});

test('a disk that is slow for a while loses no samples', async () => {
  const disk = await slow('slow.wav');
  const { recording, failures } = await begin(disk.file);
  disk.hold();
  for (let taken = 0; taken < 3; taken++) assert.ok(recording.take(second, 1, 8000));
  assert.equal(recording.waitingBytes, 48_000);
  disk.release();
  assert.deepEqual(await recording.finish(), { durationMs: 3000, bytes: 48_044 });
  assert.deepEqual([failures, decodeWav(join(directory, 'slow.wav')).durationMs], [[], 3000]);
});

test('ten tracks at 48 kHz may wait for the disk as long as one at 8 kHz', async () => {
  const disk = await slow('wide.wav');
  const { recording, failures } = await begin(disk.file, { channels: 10 });
  disk.hold();
  const wide = new Int16Array(48_000 * 10);
  const taken = Array.from({ length: 5 }, () => recording.take(wide, 10, 48_000));
  assert.deepEqual(taken, [true, true, true, true, false]);
  assert.deepEqual(failures, ['disk-slow: the disk does not keep up']);
  disk.release();
});

test('a disk that does not keep up fails the recording before memory grows beyond the limit, once', async () => {
  const disk = await slow('stuck.wav');
  const { recording, failures } = await begin(disk.file);
  disk.hold();
  const taken = Array.from({ length: 100 }, () => recording.take(second, 1, 8000));
  assert.deepEqual(taken, [true, true, true, true, ...Array.from({ length: 96 }, () => false)]);
  assert.deepEqual(failures, ['disk-slow: the disk does not keep up']);
  assert.ok(recording.waitingBytes <= 64_000 + second.byteLength);
  await assert.rejects(recording.finish(), /does not keep up/);
  disk.release();
  await playable(join(directory, 'stuck.wav'), 1000);
});

test('a full disk fails the recording with a sentence without a path', async () => {
  // The kernel refuses every write to /dev/full with ENOSPC.
  const full = await open('/dev/full', 'r+');
  const whole = await create('full.wav');
  let isFull = false;
  const file: WritableFile = {
    write: (...parameters) => (isFull ? full : whole).write(...parameters),
    sync: () => whole.sync(),
    close: async () => {
      await whole.close();
      await full.close();
    },
  };
  const { recording, failures } = await begin(file);
  recording.take(second, 1, 8000);
  await playable(join(directory, 'full.wav'), 1000);
  isFull = true;
  recording.take(second, 1, 8000);
  while (failures.length === 0) await settled();
  assert.deepEqual(failures, ['disk-full: the disk is full']);
  assert.equal(recording.take(second, 1, 8000), false);
  await assert.rejects(recording.finish(), { code: 'disk-full', message: 'the disk is full' });
  assert.equal(decodeWav(join(directory, 'full.wav')).durationMs, 1000);
});

test('a disk that is full when the header is written refuses the recording', async () => {
  const full = await open('/dev/full', 'r+');
  await assert.rejects(begin(full), { code: 'ENOSPC' });
  await full.close();
});

test('a hanging disk occupies at most two of the process’s file threads', async () => {
  const gate = createDiskGate(2);
  let inside = 0;
  let most = 0;
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      gate
        .pass(async () => {
          order.push(index);
          most = Math.max(most, ++inside);
          await settled();
          inside--;
          if (index === 3) throw new Error('this one fails');
        })
        .catch(() => {}),
    ),
  );
  assert.deepEqual([most, order], [2, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]);
});
