import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { RecordingFiles } from '@jackfield/ports';

/** One adapter of the port, and a way to put a complete file as a recorder does. */
export interface OpenRecordingFiles {
  readonly files: RecordingFiles;
  write(name: string, bytes: Uint8Array): Promise<void>;
}

const signal = new AbortController().signal;

const content = randomBytes(300_000);

/** The common behaviour of all adapters of the recording files port, before and after `keep`. */
export function recordingFilesContract(open: () => Promise<OpenRecordingFiles>): void {
  for (const isKept of [false, true]) fileContract(open, isKept);

  test('keeping is done once, however often it is asked for, and for a file that is not there', async () => {
    const { files, write } = await open();
    const name = `${randomUUID()}.wav`;
    await write(name, content);
    await Promise.all([files.keep?.(name, signal), files.keep?.(name, signal)]);
    await files.keep?.(name, signal);
    assert.deepEqual(await read(files, name, 0, content.length - 1), content);
    await files.keep?.(`${randomUUID()}.wav`, signal);
  });

  test('a file that is removed while it is being kept is gone', async () => {
    const { files, write } = await open();
    const name = `${randomUUID()}.mp3`;
    await write(name, content);
    const kept = files.keep?.(name, signal);
    await files.remove(name);
    await kept;
    assert.equal(await files.size(name), undefined);
  });

  test('there is nothing behind a name that was never given, and no name leads elsewhere', async () => {
    const { files } = await open();
    const name = `${randomUUID()}.wav`;
    assert.equal(await files.size(name), undefined);
    assert.equal(await files.repair(name, 'wav'), undefined);
    for (const wrong of ['', '../secret', '/etc/passwd', `../${name}`, `${name}/..`, `${randomUUID()}.txt`]) {
      await assert.rejects(files.size(wrong), RangeError, wrong);
      await assert.rejects(files.read(wrong, 0, 0), RangeError, wrong);
      await assert.rejects(files.remove(wrong), RangeError, wrong);
    }
  });

  test('repair makes a WAV file whole that was left in the middle', async () => {
    const { files, write } = await open();
    const name = `${randomUUID()}.wav`;
    const header = Buffer.from(
      '524946460000000057415645666d74201000000001000100401f0000803e00000200100064617461ffffffff',
      'hex',
    );
    await write(name, Buffer.concat([header, Buffer.alloc(16_001)]));
    assert.deepEqual(await files.repair(name, 'wav'), { durationMs: 1000, bytes: 16_044 });
    assert.equal(await files.size(name), 16_044);
  });
}

/** The rules of one file, before or after `keep`. */
function fileContract(open: () => Promise<OpenRecordingFiles>, isKept: boolean): void {
  const when = isKept ? 'that was kept' : 'that was written';

  const written = async () => {
    const { files, write } = await open();
    const name = `${randomUUID()}.mp3`;
    await write(name, content);
    if (isKept) await files.keep?.(name, signal);
    return { files, name };
  };

  test(`a file ${when} is read whole and in parts, both ends inclusive`, async () => {
    const { files, name } = await written();
    assert.equal(await files.size(name), content.length);
    const last = content.length - 1;
    for (const [from, to] of [
      [0, last],
      [0, 0],
      [last, last],
      [7, 200_000],
    ] as const) {
      assert.deepEqual(await read(files, name, from, to), content.subarray(from, to + 1));
    }
  });

  test(`of a file ${when}, bytes that do not exist are refused`, async () => {
    const { files, name } = await written();
    const bytes = content.length;
    for (const [from, to] of [
      [bytes, bytes],
      [0, bytes],
      [-1, 5],
      [6, 5],
    ] as const) {
      await assert.rejects(read(files, name, from, to), `${from} to ${to}`);
    }
  });

  test(`a file ${when} is gone once it is removed, and may be removed again`, async () => {
    const { files, name } = await written();
    await files.remove(name);
    assert.equal(await files.size(name), undefined);
    await assert.rejects(read(files, name, 0, 0));
    await files.remove(name);
  });

  test(`a reader that stops ${when} leaves nothing behind, and the next reader reads the file`, async () => {
    const { files, name } = await written();
    for await (const part of await files.read(name, 0, content.length - 1)) {
      assert.ok(part.length > 0);
      break;
    }
    assert.deepEqual(await read(files, name, 0, 9), content.subarray(0, 10));
  });
}

async function read(files: RecordingFiles, name: string, from: number, to: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of await files.read(name, from, to)) parts.push(part);
  return Buffer.concat(parts);
}
