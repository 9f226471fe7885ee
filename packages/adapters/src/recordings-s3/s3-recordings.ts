import { createHash } from 'node:crypto';
import type { RecordingFiles } from '@jackfield/ports';
import type { S3Bucket } from './s3-bucket.ts';

const contentTypes: Readonly<Record<string, string>> = { mp3: 'audio/mpeg', wav: 'audio/wav' };

/** Recordings that are written on the disk of `local`, and moved to a bucket once they are complete. */
export function createS3Recordings(local: RecordingFiles, bucket: S3Bucket): RecordingFiles {
  /** Work in progress by name: a file is removed only after its upload, and never uploaded twice at once. */
  const underWay = new Map<string, Promise<unknown>>();

  function inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (underWay.get(name) ?? Promise.resolve()).then(work, work);
    underWay.set(name, turn);
    const leave = () => {
      if (underWay.get(name) === turn) underWay.delete(name);
    };
    turn.then(leave, leave);
    return turn;
  }

  async function whole(name: string, bytes: number): Promise<AsyncIterable<Uint8Array>> {
    return local.read(name, 0, bytes - 1);
  }

  async function take(name: string, signal: AbortSignal): Promise<void> {
    const bytes = await local.size(name);
    if (bytes === undefined) return;
    const hash = createHash('sha256');
    for await (const part of await whole(name, bytes)) {
      signal.throwIfAborted();
      hash.update(part);
    }
    const object = {
      bytes,
      sha256: hash.digest('hex'),
      contentType: contentTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
      content: await whole(name, bytes),
    };
    await bucket.write(name, object, signal);
    const there = await bucket.size(name);
    if (there !== bytes) throw new Error(`the store of recordings has ${there ?? 'none'} of ${bytes} bytes`);
    await local.remove(name);
  }

  return {
    size: async (name) => (await local.size(name)) ?? bucket.size(name),
    async read(name, from, to) {
      if ((await local.size(name)) === undefined) return bucket.read(name, from, to);
      return whileItMoves(await local.read(name, from, to), () => bucket.read(name, from, to));
    },
    remove: (name) =>
      inTurn(name, async () => {
        // First, because the local files refuse an invalid name.
        await local.remove(name);
        await bucket.remove(name);
      }),
    repair: (name, format) => local.repair(name, format),
    keep: (name, signal) => inTurn(name, () => take(name, signal)),
  };
}

/** The file may have been moved between the lookup and the first byte. */
async function* whileItMoves(
  parts: AsyncIterable<Uint8Array>,
  elsewhere: () => Promise<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  let isBegun = false;
  try {
    for await (const part of parts) {
      isBegun = true;
      yield part;
    }
    return;
  } catch (error) {
    if (isBegun || (error as { code?: unknown }).code !== 'ENOENT') throw error;
  }
  yield* await elsewhere();
}
