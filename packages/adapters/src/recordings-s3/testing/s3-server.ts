import { createRequire } from 'node:module';
import type { S3BucketOptions } from '../s3-bucket.ts';

/** An S3-compatible server that we did not write, on loopback. */
export interface S3Server {
  readonly access: S3BucketOptions;
  close(): Promise<void>;
}

interface S3rver {
  run(): Promise<{ readonly address: string; readonly port: number }>;
  close(): Promise<void>;
}

/** `s3rver` knows one pair of credentials. */
const credentials = { key: 'S3RVER', secret: 'S3RVER' };

/** Starts it with one bucket, empty, whose objects are in `directory`. */
export async function startS3Server(directory: string, port = 0): Promise<S3Server> {
  const S3rver = createRequire(import.meta.url)('s3rver') as new (options: object) => S3rver;
  const server = new S3rver({
    address: '127.0.0.1',
    port,
    silent: true,
    directory,
    configureBuckets: [{ name: 'recordings' }],
  });
  const bound = await server.run();
  return {
    access: {
      url: `http://127.0.0.1:${bound.port}`,
      bucket: 'recordings',
      region: 'us-east-1',
      ...credentials,
    },
    close: () => server.close(),
  };
}
