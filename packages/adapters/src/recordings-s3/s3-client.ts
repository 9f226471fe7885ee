import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AwsV4Signer } from 'aws4fetch';

export interface S3BucketOptions {
  /** Scheme, host, port and an optional path; the name of the bucket follows. */
  readonly url: string;
  readonly bucket: string;
  readonly key: string;
  readonly secret: string;
  readonly region: string;
  /** The longest silence of the store during a request. */
  readonly silenceMs?: number;
  readonly mostConnections?: number;
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly name: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
}

/** Signed requests to one bucket. */
export interface S3Client {
  /** Resolves with the answer of any status; rejects when the store cannot be reached. */
  ask(request: S3Request): Promise<IncomingMessage>;
  close(): void;
}

export function createS3Client(options: S3BucketOptions): S3Client {
  const { bucket, key, secret, region, silenceMs = 30_000, mostConnections = 64 } = options;
  const prefix = `${options.url.replace(/\/+$/, '')}/${bucket}`;
  const isHttps = prefix.startsWith('https:');
  const agentOptions = { keepAlive: true, maxSockets: mostConnections, maxFreeSockets: 8 };
  const agent = isHttps ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);

  return {
    async ask({ method, name, headers = {}, content, signal }) {
      const signed = await new AwsV4Signer({
        method,
        url: `${prefix}/${name}`,
        headers: { ...headers },
        accessKeyId: key,
        secretAccessKey: secret,
        service: 's3',
        region,
      }).sign();
      const request = (isHttps ? requestHttps : requestHttp)(signed.url, {
        method,
        agent,
        headers: Object.fromEntries(signed.headers),
        timeout: silenceMs,
        ...(signal === undefined ? {} : { signal }),
      });
      request.on('timeout', () => request.destroy(new Error(`it was silent for ${silenceMs} ms`)));
      return exchange(request, content);
    },
    close: () => agent.destroy(),
  };
}

async function exchange(
  request: ClientRequest,
  content: AsyncIterable<Uint8Array> | undefined,
): Promise<IncomingMessage> {
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', (error) => reject(outOfReach(error)));
  });
  if (content === undefined) request.end();
  else {
    // A failure here is also a failure of the request, which reports it once.
    pipeline(Readable.from(content, { objectMode: false }), request).catch((error: Error) =>
      request.destroy(error),
    );
  }
  const response = await answered;
  response.on('error', () => {});
  return response;
}

function outOfReach(error: Error): Error {
  if (error.name === 'AbortError') return error;
  const { code } = error as { code?: unknown };
  const reason = typeof code === 'string' ? code : error.message;
  return new Error(`the store of recordings cannot be reached: ${reason}`, { cause: error });
}
