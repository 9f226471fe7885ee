import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createAccountApi, LostAnswer } from './account-api.ts';
import { CommandFailure } from './command.ts';
import { commands } from './commands.ts';

/** The API of a server that gives these answers, one after another. */
async function apiOf(t: TestContext, ...answers: readonly ((response: ServerResponse) => void)[]) {
  const left = [...answers];
  const server = createServer((_, response) => left.shift()?.(response)).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return createAccountApi({ url, authId: 'MA0123456789ABCDEFGH', authToken: 'token', from: 'the test' });
}

/** Announces more than it sends. */
const cutOff = (status: number) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-length': '1000' });
  response.write('half', () => response.destroy());
};

test('events are followed until the server no longer accepts the account', async (t) => {
  const api = await apiOf(
    t,
    (response) => response.end('data: {"id":"7"}\n\n'),
    (response) => response.writeHead(401).end(),
  );
  const seen: string[] = [];
  await assert.rejects(
    async () => {
      for await (const { id } of api.follow({}, AbortSignal.timeout(20_000))) seen.push(id);
    },
    { name: 'CommandFailure', message: / refuses the account and token of the test\.$/ },
  );
  assert.deepEqual(seen, ['7']);
});

test('a file and a refusal that are cut off are failures with a sentence', async (t) => {
  const api = await apiOf(t, cutOff(200), cutOff(404));
  for (let n = 0; n < 2; n++)
    await assert.rejects(
      api.download('Trace/1/Message/'),
      (error) => error instanceof LostAnswer && / of the test ended its answer early: /.test(error.message),
    );
});

test('a redirect is not followed: it names the URL of the profile and its target', async (t) => {
  const to = 'https://calls.example.com/v1/Account/MA0123456789ABCDEFGH/Call/';
  const redirect = (response: ServerResponse) => response.writeHead(308, { location: to }).end();
  const api = await apiOf(t, redirect, redirect, redirect);
  const refused = {
    name: 'CommandFailure',
    message: `${api.profile.url} of the test redirects to ${to}: name the server by a URL that answers without a redirect.`,
  };
  await assert.rejects(api.request('POST', 'Call/', { to: '+12025550100' }), refused);
  await assert.rejects(api.download('Trace/1/Message/'), refused);
  await assert.rejects(api.follow({}, AbortSignal.timeout(20_000)).next(), refused);
});

test('an answer that no Jackfield server gives is a failure with a sentence', async (t) => {
  for (const [status, body] of [
    [200, '{}'],
    [200, '[]'],
    [200, 'null'],
    [200, ''],
    [200, '{"objects":[]}'],
    [404, 'null'],
    [404, '[]'],
    [500, ''],
  ] as const) {
    const api = await apiOf(t, (response) => response.writeHead(status).end(body));
    await assert.rejects(
      api.request('GET', 'Call/'),
      {
        name: 'CommandFailure',
        message: `${api.profile.url} does not answer like a Jackfield server: ${body || 'its answer is empty'}`,
      },
      `${status} ${body}`,
    );
  }
});

test('a sentence has no control characters of the network', async (t) => {
  const page = '<html>\x1b[31m\x1b]0;title\x07 </html>';
  const refusal = JSON.stringify({ api_id: '1', error: '\x1b[31mred\x9b0m', error_code: '\x1b[m' });
  const api = await apiOf(
    t,
    (response) => response.end(page),
    (response) => response.writeHead(404).end(refusal),
    (response) => response.writeHead(301, { location: '/\x9b31m' }).end(),
  );
  for (let n = 0; n < 3; n++)
    await assert.rejects(
      api.request('GET', 'Call/'),
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal obeys
      (error) => error instanceof CommandFailure && !/[\x00-\x1f\x7f-\x9f]/.test(error.message),
    );
});

test('no command sends a request for "." or "..", which name another resource within a URL', async (t) => {
  const requests: string[] = [];
  const server = createServer(({ method, url }, response) => {
    requests.push(`${method} ${url}`);
    response.end('{"api_id":"1"}');
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const account = 'MA0123456789ABCDEFGH';
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const before = process.env;
  t.after(() => {
    process.env = before;
  });
  process.env = { ...before, JACKFIELD: `${url}/v1/Account/${account}`, AUTH: `${account}:token` };
  const oneResource = ['calls show', 'calls hangup', 'listen', 'endpoints delete', 'trace end'];
  for (const name of [...oneResource, 'nodes drain', 'nodes undrain'])
    for (const id of ['.', '..']) {
      const { run } = commands.find((command) => command.name === name)!;
      await assert.rejects(async () => run([id], {} as never), {
        name: 'CommandFailure',
        message: / "\.\.?" identifies no object: /,
      });
    }
  assert.deepEqual(requests, []);
});
