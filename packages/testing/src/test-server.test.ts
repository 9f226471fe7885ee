import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { startTestServer, type TestServer } from './test-server.ts';

describe('worlds over HTTP', () => {
  let program: Server;
  let server: TestServer;
  let world: string;

  before(async () => {
    program = createServer((request, response) =>
      response.end(
        request.url === '/answer'
          ? '<Response><GetDigits action="http://127.0.0.1/no" numDigits="1" timeout="300"><Speak>Press one.</Speak></GetDigits></Response>'
          : '',
      ),
    );
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
    server = await startTestServer();
    const url = `http://127.0.0.1:${(program.address() as AddressInfo).port}`;
    const { status, body } = await send('POST', '/worlds', { program: url });
    assert.equal(status, 200, JSON.stringify(body));
    world = `/worlds/${body.world}`;
    const { authId, authToken, api } = body;
    const authorization = `Basic ${btoa(`${authId}:${authToken}`)}`;
    const account = await fetch(`${api}/v1/Account/${authId}/`, { headers: { authorization } });
    assert.equal(account.status, 200);
  });

  after(async () => {
    await server.close();
    program.close().closeAllConnections();
  });

  // biome-ignore lint/suspicious/noExplicitAny: any JSON, on which a test asserts
  async function send(method: string, path: string, fields?: object): Promise<{ status: number; body: any }> {
    const options = fields === undefined ? { method } : { method, body: JSON.stringify(fields) };
    const answer = await fetch(`${server.url}${path}`, options);
    return { status: answer.status, body: await answer.json() };
  }

  it('a phone dials, hears and hangs up', async () => {
    const phone = `${world}/phones/+14155550100`;
    assert.deepEqual(await send('POST', `${phone}/dial`, { to: '/answer' }), { status: 200, body: {} });
    assert.deepEqual((await send('POST', `${phone}/hears`, { pattern: 'press (\\w+)' })).body.match, [
      'Press one',
      'one',
    ]);
    assert.equal((await send('POST', `${world}/wait`, { duration: '2 min' })).status, 200);
    assert.equal((await send('GET', phone)).body.isInCall, true);
    const missed = await send('POST', `${phone}/hears`, { text: 'Good bye', within: '1 s' });
    assert.deepEqual([missed.status, missed.body.code], [422, 'not-within']);
    assert.equal((await send('POST', `${phone}/hang-up`)).status, 200);
    assert.equal((await send('POST', `${phone}/ended`)).body.by, 'local');
    const { body } = await send('GET', `${world}/requests`);
    assert.equal(body.requests[0].path, '/answer');
  });

  it('a fault has a name, and ends', async () => {
    const phone = `${world}/phones/+14155550100`;
    assert.equal((await send('POST', `${world}/faults`, { name: 'codec-loss' })).status, 200);
    assert.equal((await send('POST', `${phone}/dial`, { to: '/answer' })).body.code, 'call-failed');
    assert.equal((await send('DELETE', `${world}/faults/codec-loss`)).status, 200);
    assert.equal((await send('POST', `${phone}/dial`, { to: '/answer' })).status, 200);
  });

  it('a request that cannot be understood says why', async () => {
    const url = 'http://127.0.0.1:1';
    for (const [method, path, fields, status, sentence] of [
      ['POST', '/worlds', { program: 'here' }, 400, /program is "here": use the URL/],
      ['POST', '/worlds', { program: 'ftp://x' }, 400, /program is "ftp:\/\/x": use the URL/],
      ['POST', '/worlds', { program: url, seed: 'abc' }, 400, /seed is "abc": use a whole number/],
      ['GET', '//', undefined, 400, /^\/\/ is not known: use \/worlds/],
      ['GET', '/worlds/%zz', undefined, 400, /%zz is not known: use \/worlds/],
      ['POST', `${world}/phones/+14155550100/toString`, {}, 400, /is no command of a phone: POST ready/],
      ['POST', `${world}/faults`, { name: 'sms-late', bye: '1 s' }, 400, /no option "bye" of sms-late/],
      ['GET', '/worlds/77/requests', undefined, 404, /no world "77"/],
      ['POST', `${world}/faults`, { name: 'rain' }, 400, /no fault "rain": use carrier-busy/],
      ['POST', `${world}/phones/911/dial`, { to: '/a' }, 400, /use E.164/],
      ['POST', `${world}/phones/+14155550100/sings`, {}, 400, /is no command of a phone: POST ready/],
      ['POST', `${world}/phones/+14155550100/dial`, {}, 400, /to is missing/],
      ['GET', '/elsewhere', undefined, 400, /is not known: use \/worlds/],
    ] as const) {
      const { status: got, body } = await send(method, path, fields);
      assert.equal(got, status, JSON.stringify(body));
      assert.match(body.error, sentence);
    }
  });

  it('a world ends by DELETE', async () => {
    assert.equal((await send('DELETE', world)).status, 200);
    assert.equal((await send('GET', `${world}/requests`)).status, 404);
  });
});
