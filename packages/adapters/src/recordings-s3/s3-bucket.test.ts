import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createS3Bucket } from './s3-bucket.ts';

const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: Uint8Array | string, text: string) => createHmac('sha256', key).update(text).digest();

/** An independent Signature Version 4, in the steps of Amazon's documents ("Authenticating Requests: Using the Authorization Header"). */
function isSigned({ method, url = '', headers }: IncomingMessage): boolean {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (given === null) return false;
  const [, , day, region, names, signature] = given as unknown as readonly string[];
  const signed = names!.split(';').map((name) => `${name}:${headers[name]}\n`);
  const canonical = [method, url, '', signed.join(''), names, headers['x-amz-content-sha256']].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day!), region!), 's3'), 'aws4_request');
  return hmac(key, text).toString('hex') === signature;
}

test('requests carry the signature and the digest that a store computes again', async () => {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const body = Buffer.concat(parts);
    const digest = request.headers['x-amz-content-sha256'];
    const isWhole = digest === 'UNSIGNED-PAYLOAD' || digest === sha256(body);
    asked.push(`${request.method} ${request.url} ${isSigned(request)} ${isWhole} ${body.length}`);
    if (request.headers['transfer-encoding'] !== undefined) response.statusCode = 411;
    if (request.method === 'GET') {
      response.writeHead(206, { 'content-range': 'bytes 2-4/9', 'content-length': 3 });
      response.end('abc');
      return;
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const bucket = createS3Bucket({
    url: `http://127.0.0.1:${port}/`,
    bucket: 'recordings',
    key: 'AKIAIOSFODNN7EXAMPLE',
    secret,
    region: 'eu-central-1',
  });
  const content = Buffer.from('sound');
  await bucket.write(
    'one.mp3',
    {
      bytes: content.length,
      sha256: sha256(content),
      contentType: 'audio/mpeg',
      content: (async function* () {
        yield content.subarray(0, 2);
        yield content.subarray(2);
      })(),
    },
    new AbortController().signal,
  );
  const read: Uint8Array[] = [];
  for await (const part of await bucket.read('one.mp3', 2, 4)) read.push(part);
  assert.equal(Buffer.concat(read).toString(), 'abc');
  await bucket.remove('one.mp3');
  assert.deepEqual(asked, [
    'PUT /recordings/one.mp3 true true 5',
    'GET /recordings/one.mp3 true true 0',
    'DELETE /recordings/one.mp3 true true 0',
  ]);
  bucket.close();
  server.close();
});

test('a request to a store that falls silent is aborted', async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const access = { bucket: 'recordings', key: 'key', secret, region: 'us-east-1' };
  const bucket = createS3Bucket({ url: `http://127.0.0.1:${port}`, ...access, silenceMs: 50 });
  await assert.rejects(bucket.size('one.mp3'), /cannot be reached: it was silent for 50 ms/);
  bucket.close();
  server.closeAllConnections();
  server.close();
});
