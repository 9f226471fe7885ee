import { once } from 'node:events';
import { createRequire } from 'node:module';

/** An independent S3-compatible server, on loopback. */
export interface S3Server {
  readonly access: {
    readonly url: string;
    readonly bucket: string;
    readonly key: string;
    readonly secret: string;
    readonly region: string;
  };
  close(): Promise<void>;
}

interface S3rver {
  readonly httpServer?: import('node:http').Server;
  run(): Promise<{ readonly address: string; readonly port: number }>;
  close(): Promise<void>;
}

/** Starts `s3rver` with one bucket; its objects are in `directory`, and stay there. */
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
      key: 'S3RVER',
      secret: 'S3RVER',
      region: 'us-east-1',
    },
    async close() {
      const { httpServer } = server;
      // Idle connections would keep it open.
      httpServer?.closeAllConnections();
      await server.close();
      if (httpServer?.listening) await once(httpServer, 'close');
    },
  };
}
