import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import {
  basic,
  eachDatabase,
  type LogLine,
  type OpenDatabase,
  openSimulatedWorld,
  type SimulatedWorld,
  worldOfSuite,
} from '@jackfield/testkit';
import fc from 'fast-check';
import { route } from './index.ts';
import { main as accountOfShell, openShell } from './testing/shell.ts';

const endpoint = { username: 'alice', password: 'secret', alias: 'a' };

/** The lines of a log without those of answered requests. */
const faultsIn = (lines: readonly LogLine[]) => lines.filter(({ level }) => level !== 'debug');

const limited = { bodyBytes: 1000, requests: 1_000_000, strangerRequests: 1_000_000 };
const openLimited = (database: OpenDatabase) =>
  openSimulatedWorld({ database, phones: 'none', settings: { httpLimits: limited } });

/** A raw request that no client library would send. */
async function raw(
  { main, node }: Pick<SimulatedWorld, 'main' | 'node'>,
  method: string,
  url: string,
  payload?: string | Buffer,
  contentType: string | undefined = 'application/json',
) {
  const answer = await node.platform.http.inject({
    method: method as 'GET',
    url,
    headers: {
      authorization: basic(main),
      ...(contentType === undefined || payload === undefined ? {} : { 'content-type': contentType }),
    },
    ...(payload === undefined ? {} : { payload }),
  });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: answer.body === '' ? undefined : answer.json(),
  };
}

function assertError(answer: { status: number; body: unknown }, status: number, what: string) {
  assert.equal(answer.status, status, what);
  const { api_id, error } = answer.body as { api_id: string; error: string };
  assert.match(api_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/, what);
  assert.ok(typeof error === 'string' && error.length > 10, what);
  assert.deepEqual(Object.keys(answer.body as object), ['api_id', 'error', 'error_code'], what);
}

eachDatabase('HTTP', (open) => {
  const sharedWorld = worldOfSuite({ database: open, phones: 'none' });

  test('a trailing slash may be left out and slashes may be doubled, without a redirect', async () => {
    const world = sharedWorld();
    const account = `/v1/Account/${world.main.authId}`;
    for (const url of [
      account,
      `${account}/`,
      `${account}//`,
      `/v1//Account/${world.main.authId}`,
      `/${account}`,
    ]) {
      assert.equal((await raw(world, 'GET', url)).status, 200, url);
    }
    const body = JSON.stringify(endpoint);
    assert.equal((await raw(world, 'POST', `${account}/Endpoint`, body)).status, 201);
    assert.equal((await raw(world, 'POST', `${account}//Endpoint//`, body)).status, 201);
    assert.equal((await raw(world, 'GET', `${account}/Endpoint?limit=1`)).status, 200);
  });

  test('a body on GET is ignored, whatever it is', async () => {
    const world = sharedWorld();
    const url = `/v1/Account/${world.main.authId}/Endpoint/`;
    for (const body of ['""', '{"limit":99}', '{bad', Buffer.from([0xff, 0])]) {
      assert.equal((await raw(world, 'GET', url, body)).status, 200);
    }
  });

  test('a body on DELETE is read together with the query', async () => {
    const world = sharedWorld();
    const branch = await world.subaccount();
    const url = `/v1/Account/${world.main.authId}/Subaccount/${branch.authId}/`;
    assertError(await raw(world, 'DELETE', url, '{"cascade":"maybe"}'), 400, 'the body is read');
    assertError(await raw(world, 'DELETE', `${url}?cascade=maybe`), 400, 'the query is read');
    assert.equal((await raw(world, 'DELETE', url, '""')).status, 204);
  });

  test('unknown members are ignored, prototype names included', async () => {
    const world = sharedWorld();
    const url = `/v1/Account/${world.main.authId}/Endpoint/`;
    const odd =
      '{"username":"a","password":"12345","alias":"a","__proto__":{"x":1},"constructor":{"prototype":{}},"n":null}';
    assert.equal((await raw(world, 'POST', url, odd)).status, 201);
    assertError(
      await raw(world, 'POST', url, `{"__proto__":${JSON.stringify(endpoint)}}`),
      400,
      'not inherited',
    );
    assert.equal(({} as { x?: number }).x, undefined);
  });

  test('bodies that are no JSON object in UTF-8 are refused', async () => {
    const world = sharedWorld();
    const url = `/v1/Account/${world.main.authId}/Endpoint/`;
    const bodies: readonly (string | Buffer)[] = [
      '{',
      '{"username":}',
      'username=alice',
      '[]',
      '"text"',
      '1',
      'true',
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
      Buffer.from('{"username":"a\0"}'),
      '['.repeat(200_000),
      `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`,
    ];
    for (const body of bodies)
      assertError(await raw(world, 'POST', url, body), 400, String(body).slice(0, 40));
    for (const body of ['', '  ', '""', 'null', '{}']) {
      const answer = await raw(world, 'POST', url, body);
      assert.match(answer.body.error, /^\w+ parameter is missing$/, JSON.stringify(body));
    }
  });

  test('other media types are refused with 415, large bodies with 413', async () => {
    const world = await openLimited(open);
    const url = `/v1/Account/${world.main.authId}/Endpoint/`;
    const body = JSON.stringify(endpoint);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'nonsense',
      '',
    ]) {
      assertError(await raw(world, 'POST', url, body, type), 415, type);
    }
    assert.equal((await raw(world, 'POST', url, body, 'application/json; charset=utf-8')).status, 201);
    assert.equal((await raw(world, 'POST', url, body, 'Application/JSON')).status, 201);
    assertError(await raw(world, 'POST', url, `{"x":"${'x'.repeat(1000)}"}`), 413, 'large');
  });

  test('unknown paths are 404, known paths with another method 405 with Allow', async () => {
    const world = sharedWorld();
    const account = `/v1/Account/${world.main.authId}`;
    for (const url of [
      '/v1/',
      '/v2/Account/x/',
      `${account}/Nothing/`,
      `${account}/Endpoint/1/2/`,
      '/docs/x',
    ]) {
      assertError(await raw(world, 'GET', url), 404, url);
    }
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await raw(world, method, `${account}/Endpoint/`);
      assertError(answer, 405, method);
      assert.equal(answer.headers.allow, 'GET, HEAD, POST');
    }
    assert.equal(
      (await raw(world, 'PUT', `${account}/Endpoint/1/`, '{bad')).headers.allow,
      'DELETE, GET, HEAD, POST',
    );
    assertError(await raw(world, 'POST', '/healthz', '{}'), 405, 'healthz');
  });

  test('a path or query that is no percent-encoded UTF-8, or holds NUL, is 400', async () => {
    const world = sharedWorld();
    const account = `/v1/Account/${world.main.authId}`;
    for (const part of ['%', '%zz', '%ff', '%C3%28', '%00', '%ED%A0%80', 'a'.repeat(5000)]) {
      assertError(await raw(world, 'GET', `${account}/Endpoint/${part}/`), 400, part);
    }
    assertError(await raw(world, 'GET', `${account}/Endpoint/?x=%00`), 400, 'query');
    assertError(await raw(world, 'GET', `/v1/Account/%00/`), 400, 'account');
  });

  test('no request is answered with a fault of the server', async () => {
    const world = sharedWorld();
    const before = world.log.length;
    const account = `/v1/Account/${world.main.authId}`;
    const paths = fc.constantFrom('', 'Endpoint/', 'Endpoint/1/', 'Subaccount/', 'Subaccount/SA/', 'x');
    const query = fc.oneof(
      fc.constant(''),
      fc.string({ unit: 'grapheme' }).map((text) => `?limit=${encodeURIComponent(text)}`),
      fc.stringMatching(/^\?[!-~]{0,40}$/),
    );
    const methods = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS');
    const bodies = fc.oneof(
      fc.constant(undefined),
      fc.json(),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(methods, paths, query, bodies, async (method, path, search, body) => {
        const answer = await raw(world, method, `${account}/${path}${search}`, body);
        assert.ok(answer.status < 500, JSON.stringify(answer));
        if (method === 'HEAD' || answer.status === 204) return;
        if (answer.status >= 400) assertError(answer, answer.status, method);
        else assert.ok(answer.body.api_id);
      }),
      { numRuns: 300 },
    );
    assert.deepEqual(faultsIn(world.log.slice(before)), []);
  });

  test('a fault of the server is logged with its api_id, and the client gets no detail', async () => {
    const broken = route({
      method: 'GET',
      path: 'Broken/',
      operation: 'Break',
      schema: {},
      success: 200,
      run: () => Promise.reject(new Error('secret detail')),
    });
    const shell = await openShell(open, { features: [{ name: 'Broken', routes: [broken] }] });
    const answer = await shell.app.inject({
      url: `/v1/Account/${accountOfShell.authId}/Broken/`,
      headers: { authorization: basic(accountOfShell) },
    });
    const body = answer.json();
    assertError({ status: answer.statusCode, body }, 500, 'broken');
    assert.ok(!answer.body.includes('secret detail'));
    const [line] = faultsIn(shell.log.lines);
    assert.equal(line!.level, 'error');
    assert.equal((line!.fields as { api_id: string }).api_id, body.api_id);
  });

  test('readyz says whether work is accepted; healthz and metrics answer without an account', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const at = (url: string) => world.node.platform.http.inject(url);
    assert.equal((await at('/readyz')).statusCode, 200);
    world.node.platform.drain();
    assert.equal((await at('/readyz')).statusCode, 503);
    assert.equal((await at('/healthz')).statusCode, 200);
    await world.call('GET', `Endpoint/1/`);
    const metrics = await at('/metrics');
    assert.match(String(metrics.headers['content-type']), /^text\/plain/);
    assert.match(
      metrics.body,
      /jackfield_http_requests_total\{method="GET",path="\/v1\/Account\/:auth_id\/Endpoint\/:endpoint_id\/",status="404"\} 1/,
    );
  });

  test('requests that are refused before their account is known make no series for their paths and methods', async () => {
    const world = await openLimited(open);
    const { http } = world.node.platform;
    const account = `/v1/Account/${world.main.authId}`;
    const refused = async (method: string, url: string, status: number) =>
      assert.equal((await http.inject({ method: method as 'GET', url })).statusCode, status, url);
    for (const part of ['Endpoint', 'Call', 'Application', 'Number']) {
      for (const method of ['OPTIONS', 'PATCH', 'PUT']) await refused(method, `${account}/${part}/`, 405);
      for (const method of ['GET', 'POST']) await refused(method, `${account}/${part}/`, 401);
      for (const method of ['GET', 'POST']) await refused(method, `/${part}/`, 404);
    }
    await world.call('GET', 'Endpoint/');
    const text = (await http.inject('/metrics')).body;
    const series = [...text.matchAll(/^jackfield_http_requests_total\{(.*)\} (\d+)$/gm)];
    assert.deepEqual(series.map(([, labels, count]) => `${labels} ${count}`).sort(), [
      'method="GET",path="/v1/Account/:auth_id/Endpoint/",status="200" 1',
      'method="other",path="unknown",status="401" 8',
      'method="other",path="unknown",status="404" 8',
      'method="other",path="unknown",status="405" 12',
    ]);
  });

  test('on a kept connection, an ignored body does not disturb the next request, and a refused one is answered', async () => {
    const world = await openLimited(open);
    const { http } = world.node.platform;
    await http.listen({ port: 0, host: '127.0.0.1' });
    const { port } = http.server.address() as { port: number };
    const head = (method: string, path: string, length: number) =>
      `${method} /v1/Account/${world.main.authId}/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic(world.main)}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
    const statuses = async (bytes: string, answers: number) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(bytes);
      let text = '';
      let found: number[] = [];
      for await (const chunk of socket) {
        text += chunk;
        found = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => Number(match[1]));
        if (found.length === answers) break;
      }
      return found;
    };
    assert.deepEqual(
      await statuses(`${head('GET', '', 2)}""${head('GET', 'Endpoint/', 2)}""`, 2),
      [200, 200],
    );
    assert.deepEqual(await statuses(head('POST', 'Endpoint/', 50_000_000), 1), [413]);
  });

  test('bytes that are not HTTP get a body of the same form, and the socket is closed', async () => {
    const { http } = sharedWorld().node.platform;
    await http.listen({ port: 0, host: '127.0.0.1' });
    const { port } = http.server.address() as { port: number };
    for (const [bytes, status] of [
      ['NONSENSE\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
      ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', 400],
    ] as const) {
      const socket = connect(port, '127.0.0.1');
      socket.end(bytes);
      let text = '';
      for await (const chunk of socket) text += chunk;
      assert.ok(text.startsWith(`HTTP/1.1 ${status} `), text);
      assertError({ status, body: JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) }, status, text);
    }
  });
});
