import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { recordingFilesContract, type S3Server, startS3Server } from '@jackfield/testkit';
import { createDiskRecordings } from '../recorder/index.ts';
import { createS3Bucket, createS3Recordings, type S3BucketOptions } from './index.ts';

const directory = mkdtempSync(join(tmpdir(), 'jackfield-s3-'));
const local = createDiskRecordings({ directory });
const write = (name: string, bytes: Uint8Array) => writeFile(join(directory, name), bytes);
const { signal } = new AbortController();
let server: S3Server;

before(async () => {
  server = await startS3Server(join(directory, 'server'));
});

after(async () => {
  await server.close();
  rmSync(directory, { recursive: true });
});

function bucketOf(over: Partial<S3BucketOptions> = {}) {
  return createS3Bucket({ ...server.access, ...over });
}

describe('files on a disk', () => {
  recordingFilesContract(async () => ({ files: local, write }));
});

describe('files in an S3-compatible store', () => {
  recordingFilesContract(async () => ({ files: createS3Recordings(local, bucketOf()), write }));
});

test('a kept file has moved from the disk to the bucket', async () => {
  const bucket = bucketOf();
  const files = createS3Recordings(local, bucket);
  const name = `${randomUUID()}.mp3`;
  await write(name, Buffer.from('sound'));
  assert.equal(await bucket.size(name), undefined);
  await files.keep?.(name, signal);
  assert.equal(await local.size(name), undefined);
  assert.equal(existsSync(join(directory, name)), false);
  assert.equal(await bucket.size(name), 5);
});

test('a file stays on the disk while the store refuses it, and is read there', async () => {
  for (const [over, sentence] of [
    [{ key: 'nobody' }, /refused: 403 InvalidAccessKeyId/],
    [{ bucket: 'other' }, /refused: 404 NoSuchBucket/],
    [{ url: 'http://127.0.0.1:9' }, /cannot be reached: ECONNREFUSED/],
  ] as const) {
    const files = createS3Recordings(local, bucketOf(over));
    const name = `${randomUUID()}.wav`;
    await write(name, Buffer.from('sound'));
    await assert.rejects(async () => files.keep?.(name, signal), sentence);
    assert.equal(await files.size(name), 5);
    await local.remove(name);
  }
});

test('a signal aborts a running upload', async () => {
  const end = new AbortController();
  const files = createS3Recordings(local, bucketOf());
  const name = `${randomUUID()}.wav`;
  await write(name, Buffer.alloc(3_000_000));
  const kept = files.keep?.(name, end.signal);
  end.abort();
  await assert.rejects(async () => kept, { name: 'AbortError' });
  assert.equal(await local.size(name), 3_000_000);
});

test('a store that does not answer is distinguished from a missing file', async () => {
  const files = createS3Recordings(local, bucketOf({ url: 'http://127.0.0.1:9' }));
  await assert.rejects(files.size(`${randomUUID()}.wav`), /cannot be reached/);
});

test('the start reports the fault of a bucket', async () => {
  assert.equal(await bucketOf().fault(), undefined);
  assert.match((await bucketOf({ bucket: 'other' }).fault()) ?? '', /there is no bucket other/);
  assert.match((await bucketOf({ key: 'nobody' }).fault()) ?? '', /closed to these credentials/);
  assert.match((await bucketOf({ url: 'http://127.0.0.1:9' }).fault()) ?? '', /cannot be reached/);
});
