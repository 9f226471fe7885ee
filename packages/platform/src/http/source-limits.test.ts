import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic, onEmbeddedDatabase, openSimulatedWorld, type PlatformSettings } from '@jackfield/testkit';
import { problem } from '../kernel/problem.ts';
import { accepted, refused } from '../kernel/result.ts';
import type { OpenRoute } from './open-route.ts';
import { main, openShell, type ShellOptions } from './testing/shell.ts';

onEmbeddedDatabase('Requests without an account', (open) => {
  const receipts: OpenRoute = {
    methods: ['POST'],
    path: '/receipts',
    knowsSenders: true,
    run: ({ query }) =>
      query.key === 'right' ? accepted(undefined) : refused(problem('malformed-body', 'no receipt')),
  };

  async function world(options: ShellOptions = {}) {
    const api = await openShell(open, {
      ...options,
      limits: { strangerRequests: 3 },
      features: [{ name: 'Receipts', routes: [], open: [receipts] }],
    });
    const ask = async (
      url: string,
      remoteAddress = '198.51.100.1',
      headers: Readonly<Record<string, string>> = {},
      method: 'GET' | 'POST' | 'PUT' = 'GET',
    ) => (await api.app.inject({ method, url, remoteAddress, headers })).statusCode;
    return { api, ask };
  }

  test('share one rate for each source, whatever they request and however they are refused', async () => {
    for (const [url, status, method = 'GET', headers = {}] of [
      ['/openapi.json', 200],
      ['/docs/', 200],
      ['/docs/js/scalar.js', 200],
      ['/', 302],
      ['/metrics', 200],
      ['/healthz', 200],
      ['/readyz', 200],
      ['/nothing', 404],
      ['/metrics', 405, 'PUT'],
      ['/v1/Account/MA/', 401],
      ['/v1/Account/MA/', 405, 'PUT'],
      ['/v1/Account/%00/', 400],
      ['/%zz', 400],
      [`/v1/Account/${'x'.repeat(3000)}/`, 400],
      ['/receipts', 400, 'POST'],
      ['/v1/Account/MA/', 401, 'GET', { authorization: basic({ authId: 'MA', authToken: 'wrong' }) }],
    ] as const) {
      const { ask, api } = await world();
      const once = () => ask(url, '198.51.100.1', headers, method);
      assert.deepEqual([await once(), await once(), await once()], [status, status, status], url);
      assert.equal(await once(), 429, `${method} ${url}`);
      // The rate is the source's: other paths are refused to it, and other sources are served.
      assert.equal(await ask('/nothing'), 429);
      assert.equal(await ask('/nothing', '198.51.100.2'), 404);
      const { headers: answered } = await api.app.inject({ url: '/none', remoteAddress: '198.51.100.1' });
      assert.equal(answered['retry-after'], '5');
      await api.clock.advance(5_000);
      assert.equal(await once(), status);
      await api.app.close();
    }
  });

  test('do not count for accounts that share their source', async () => {
    const { ask, api } = await world();
    for (let time = 0; time < 5; time += 1) await ask('/nothing');
    const headers = { authorization: basic(main) };
    assert.equal(await ask(`/v1/Account/${main.authId}/`, '198.51.100.1', headers), 200);
    const text = (await api.app.inject({ url: '/metrics', remoteAddress: '198.51.100.2' })).body;
    assert.match(text, /^jackfield_http_rate_limited_total\{by="source"\} 2$/m);
  });

  test('do not lock out health checks from this machine, nor machines with a right secret', async () => {
    const { ask } = await world();
    for (let time = 0; time < 9; time += 1) {
      assert.equal(await ask('/healthz', '127.0.0.1'), 200);
      assert.equal(await ask('/readyz', '::1'), 200);
      assert.equal(await ask('/receipts?key=right', '198.51.100.1', {}, 'POST'), 204);
    }
    for (let time = 0; time < 3; time += 1) assert.equal(await ask('/nothing', '127.0.0.1'), 404);
    assert.equal(await ask('/nothing', '127.0.0.1'), 429);
  });

  test('of trusted sources have no rate', async () => {
    const { ask } = await world({ trustedSources: ['198.51.100.0/24'] });
    for (let time = 0; time < 9; time += 1) assert.equal(await ask('/nothing'), 404);
  });
});

onEmbeddedDatabase('What is served without an account', (open) => {
  async function serving(settings: PlatformSettings = {}) {
    const world = await openSimulatedWorld({ database: open, settings });
    return { app: world.node.platform.http };
  }

  test('metrics require the token of the operator, and guesses at it are counted', async () => {
    const { app } = await serving({
      metricsAccess: { token: 'a-token-of-the-operator' },
      httpLimits: { failedAuthentications: 2 },
    });
    const ask = (authorization?: string) =>
      app.inject({ url: '/metrics', headers: authorization === undefined ? {} : { authorization } });
    const refused = await ask();
    assert.deepEqual(
      [refused.statusCode, refused.headers['www-authenticate']],
      [401, 'Bearer realm="jackfield"'],
    );
    const found = await ask('Bearer a-token-of-the-operator');
    assert.deepEqual([found.statusCode, found.body.startsWith('# HELP')], [200, true]);
    for (let time = 0; time < 2; time += 1) assert.equal((await ask('Bearer wrong')).statusCode, 401);
    assert.equal((await ask('Bearer a-token-of-the-operator')).statusCode, 429);
  });

  test('metrics and documents that are off are at no path, and the front page says so', async () => {
    const { app } = await serving({ metricsAccess: 'off', docs: false });
    for (const url of ['/metrics', '/docs', '/docs/', '/docs/js/scalar.js', '/openapi.json']) {
      assert.equal((await app.inject(url)).statusCode, 404, url);
    }
    const front = await app.inject('/');
    assert.deepEqual([front.statusCode, /JACKFIELD_DOCS/.test(front.body)], [200, true]);
  });

  test('operations and documents with a listener apart are there alone, and the API is not', async () => {
    const { node } = await openSimulatedWorld({ database: open, settings: { hasOperatorListener: true } });
    const { http, operatorHttp } = node.platform;
    assert.ok(operatorHttp);
    for (const url of ['/healthz', '/readyz', '/metrics', '/docs/', '/docs/js/scalar.js', '/openapi.json']) {
      assert.equal((await http.inject(url)).statusCode, 404, url);
      assert.equal((await operatorHttp.inject(url)).statusCode, 200, url);
    }
    const { paths } = (await operatorHttp.inject('/openapi.json')).json();
    assert.ok('/v1/Account/{auth_id}/Call/' in paths);
    const account = `/v1/Account/${node.platform.account.authId}/`;
    assert.deepEqual(
      [(await http.inject(account)).statusCode, (await operatorHttp.inject(account)).statusCode],
      [401, 404],
    );
    assert.match((await http.inject('/')).body, /JACKFIELD_OPERATOR_PORT/);
    assert.equal((await operatorHttp.inject('/')).headers.location, '/docs/');
    assert.equal((await operatorHttp.inject({ method: 'POST', url: '/healthz' })).statusCode, 405);
  });

  test('the front page leads to the documents where they are served', async () => {
    const { app } = await serving();
    const { statusCode, headers } = await app.inject('/');
    assert.deepEqual([statusCode, headers.location], [302, '/docs/']);
    assert.equal((await app.inject('/docs/')).statusCode, 200);
  });

  test('documents are the same bytes at each request, and a client that has them gets 304', async () => {
    const { app } = await serving();
    for (const url of ['/openapi.json', '/docs/', '/docs/js/scalar.js']) {
      const first = await app.inject(url);
      const { etag, 'content-type': type } = first.headers;
      assert.match(String(etag), /^"[\w-]{43}"$/);
      assert.equal(Number(first.headers['content-length']), first.rawPayload.length);
      const again = await app.inject(url);
      assert.deepEqual(
        [again.headers.etag, again.headers['content-type'], again.body],
        [etag, type, first.body],
      );
      const known = await app.inject({ url, headers: { 'if-none-match': `"other", W/${etag}` } });
      assert.deepEqual([known.statusCode, known.body, known.headers.etag], [304, '', etag]);
      assert.equal((await app.inject({ url, headers: { 'if-none-match': '"other"' } })).statusCode, 200);
      const head = await app.inject({ method: 'HEAD', url });
      assert.deepEqual([head.headers['content-length'], head.body], [first.headers['content-length'], '']);
    }
  });
});
