import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createHttpEgress } from '@jackfield/adapters/egress-http';
import { createSecrets } from '@jackfield/adapters/secrets';
import { stringToSignV2, stringToSignV3 } from '@jackfield/contract';
import { createSigner } from './signed-request.ts';

const secrets = createSecrets(new Uint8Array(32).fill(7));
const sign = createSigner({ secrets, authTokenOf: async () => 'token' });
const fields = { Name: 'é &', Count: '3' };
const timeouts = { connectMs: 2_000, readMs: 2_000, totalMs: 3_000 };

/** Ends of URLs, most of which have another form in a request. */
const forms = ['', '/ä', '/a/../b', '/a"b', '/a\\b', '?x=1', '/a?q=é', '/a'];

test('a receiver finds the signature V3 over the URL that was set, and over the URL that it sees', async (t) => {
  const seen: { url: string; headers: IncomingHttpHeaders }[] = [];
  const receiver = createServer((request, response) => {
    seen.push({ url: `http://${request.headers.host}${request.url}`, headers: request.headers });
    request.resume().on('end', () => response.end());
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const egress = createHttpEgress({ allow: [], privateToo: true, resolve });
  t.after(() => {
    egress.close();
    receiver.close().closeAllConnections();
  });
  const { port } = receiver.address() as AddressInfo;
  const urls = forms.map((form) => `http://h:${port}${form}`);
  for (const set of [...urls, `HTTP://h:${port}/a`, `http://bücher:${port}/a`]) {
    for (const method of ['POST', 'GET'] as const) {
      const request = await sign({ url: set, method, fields, account: 'MA', mainAccount: 'MA' });
      const { url, headers, body } = request!;
      await egress.send({ url, method, headers, body, timeouts, maxBodyBytes: 1_000 });
      const { url: received, headers: sent } = seen.pop()!;
      const v3 = String(sent['x-service-signature-v3']).split(',');
      const nonce = String(sent['x-service-signature-v3-nonce']);
      const form = method === 'POST' ? fields : {};
      for (const each of [received, url])
        assert.ok(v3.includes(secrets.sign('token', stringToSignV3(method, each, nonce, form))), each);
      assert.ok(v3.length <= 2);
      const v2 = sent['x-service-signature-v2'];
      const v2Nonce = String(sent['x-service-signature-v2-nonce']);
      const isAscii = !/\P{ASCII}/u.test(set.split('?', 1)[0]!);
      assert.equal(v2, secrets.sign('token', stringToSignV2(isAscii ? url : received, v2Nonce)), url);
    }
  }
});

test('a URL that is sent as it was set has one signature V3', async () => {
  const request = await sign({
    url: 'https://h:443/a?x=1#rc=2',
    method: 'POST',
    fields,
    account: 'MA',
    mainAccount: 'MA',
  });
  assert.doesNotMatch(request!.headers['X-Service-Signature-V3']!, /,/);
});
