import type { IncomingMessage } from 'node:http';
import { createS3Client, type S3BucketOptions, type S3Request } from './s3-client.ts';

/** Objects of one bucket. Every failure is an Error with a message for operators. */
export interface S3Bucket {
  /** Undefined when the object does not exist. */
  size(name: string): Promise<number | undefined>;
  /** Bytes `from` to `to` inclusive; throws a RangeError when they do not exist. */
  read(name: string, from: number, to: number): Promise<AsyncIterable<Uint8Array>>;
  write(name: string, object: S3Object, signal: AbortSignal): Promise<void>;
  /** No effect when the object is already gone. */
  remove(name: string): Promise<void>;
  /** Why the bucket cannot be used with these credentials; undefined when it can. */
  fault(): Promise<string | undefined>;
  close(): void;
}

export interface S3Object {
  readonly bytes: number;
  /** Hexadecimal SHA-256 of the content; the store checks it. */
  readonly sha256: string;
  readonly contentType: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** The bytes of an error's text that are read. */
const shownBytes = 4096;

export function createS3Bucket(options: S3BucketOptions): S3Bucket {
  const { bucket } = options;
  const client = createS3Client(options);
  const { ask } = client;

  async function done(request: S3Request, ...expected: readonly number[]): Promise<number> {
    const response = await ask(request);
    const text = await textOf(response);
    const status = response.statusCode ?? 0;
    if (!expected.includes(status)) throw refusal(status, text);
    return status;
  }

  return {
    async size(name) {
      const response = await ask({ method: 'HEAD', name });
      response.resume();
      const { statusCode: status = 0 } = response;
      if (status === 404) return undefined;
      if (status !== 200) throw refusal(status, '');
      return Number(response.headers['content-length']);
    },
    async read(name, from, to) {
      const response = await ask({ method: 'GET', name, headers: { range: `bytes=${from}-${to}` } });
      const { statusCode: status = 0 } = response;
      const length = to - from + 1;
      const begins = status === 206 ? firstByteOf(response) : status === 200 ? 0 : undefined;
      // A store may send more than the requested range, for example the whole object.
      if (length > 0 && begins === from && Number(response.headers['content-length']) >= length) {
        return beginningOf(response, length);
      }
      if (status === 404 || status === 416 || status === 206 || status === 200) {
        response.destroy();
        throw new RangeError(`${name} has no bytes ${from} to ${to}`);
      }
      throw refusal(status, await textOf(response));
    },
    async write(name, { bytes, sha256, contentType, content }, signal) {
      const headers = {
        'content-length': String(bytes),
        'content-type': contentType,
        'x-amz-content-sha256': sha256,
      };
      await done({ method: 'PUT', name, headers, content, signal }, 200);
    },
    async remove(name) {
      await done({ method: 'DELETE', name }, 200, 204, 404);
    },
    async fault() {
      try {
        const response = await ask({ method: 'HEAD', name: '' });
        response.resume();
        const { statusCode: status = 0 } = response;
        if (status === 200) return undefined;
        if (status === 404) return `there is no bucket ${bucket}`;
        if (status === 403) return `bucket ${bucket} is closed to these credentials`;
        return refusal(status, '').message;
      } catch (error) {
        return (error as Error).message;
      }
    },
    close: client.close,
  };
}

/** `Content-Range: bytes 7-99/1000` begins at 7. */
function firstByteOf({ headers }: IncomingMessage): number | undefined {
  const found = /^bytes (\d+)-/.exec(headers['content-range'] ?? '');
  return found === null ? undefined : Number(found[1]);
}

async function* beginningOf(response: IncomingMessage, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const part of response as AsyncIterable<Uint8Array>) {
    yield part.length > left ? part.subarray(0, left) : part;
    left -= part.length;
    if (left <= 0) return;
  }
  throw new Error('the store of recordings ended its answer early');
}

/** The store's own error code, where it sends one: `<Code>AccessDenied</Code>`. */
function refusal(status: number, text: string): Error {
  const code = /<Code>([A-Za-z0-9.]{1,60})<\/Code>/.exec(text)?.[1];
  return new Error(`the store of recordings refused: ${status}${code === undefined ? '' : ` ${code}`}`);
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    if (length < shownBytes) parts.push(part);
    length += part.length;
  }
  return Buffer.concat(parts).subarray(0, shownBytes).toString('utf8');
}
