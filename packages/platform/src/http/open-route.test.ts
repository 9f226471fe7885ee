import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic, onEmbeddedDatabase } from '@jackfield/testkit';
import { problem } from '../kernel/problem.ts';
import { accepted, refused } from '../kernel/result.ts';
import type { OpenRequest, OpenRoute } from './open-route.ts';
import { main, openShell } from './testing/shell.ts';

onEmbeddedDatabase('Routes that need no account', (open) => {
  async function world() {
    const seen: OpenRequest[] = [];
    const route: OpenRoute = {
      methods: ['GET', 'POST'],
      path: '/gateways/:name/receipts',
      run(request) {
        seen.push(request);
        return request.query.key === 'right'
          ? accepted(undefined)
          : refused(problem('forbidden', 'wrong key'));
      },
    };
    const api = await openShell(open, {
      features: [{ name: 'Gateways', routes: [], open: [route] }],
      limits: { failedAuthentications: 3 },
    });
    const ask = async (key: string, remoteAddress = '198.51.100.1') =>
      (await api.app.inject({ url: `/gateways/a/receipts?key=${key}`, remoteAddress })).statusCode;
    return { api, ask, seen };
  }

  test('a source that guesses too often is refused for a while, right or wrong; other sources and the API are not', async () => {
    const { api, ask, seen } = await world();
    assert.equal(await ask('right'), 204);
    for (let time = 0; time < 3; time += 1) assert.equal(await ask('wrong'), 403);
    assert.deepEqual([await ask('wrong'), await ask('right')], [429, 429]);
    assert.equal(seen.length, 4);
    assert.equal(await ask('right', '198.51.100.2'), 204);
    const { statusCode } = await api.app.inject({
      url: `/v1/Account/${main.authId}/`,
      remoteAddress: '198.51.100.1',
      headers: { authorization: basic(main) },
    });
    assert.equal(statusCode, 200);
    await api.clock.advance(60_000);
    assert.equal(await ask('right'), 204);
  });

  test('an open route gets the body unparsed, up to 64 KiB, and the last value of a repeated name', async () => {
    const { api, seen } = await world();
    const post = (payload: string | Buffer, type: string) =>
      api.app.inject({
        method: 'POST',
        url: '/gateways/a/receipts?key=wrong&key=right',
        headers: type === '' ? {} : { 'content-type': type },
        payload,
      });
    for (const [payload, type] of [
      ['{"a":', 'application/json'],
      ['a=%ff', 'application/x-www-form-urlencoded'],
      ['', ''],
      [Buffer.from([0xff, 0]), 'nonsense/;;'],
    ] as const) {
      const { statusCode } = await post(payload, type);
      assert.ok([204, 415].includes(statusCode), `${type}: ${statusCode}`);
    }
    assert.deepEqual(
      seen.slice(0, 2).map(({ body }) => body),
      ['{"a":', 'a=%ff'],
    );
    assert.equal((await post('x'.repeat(64 * 1024 + 1), 'text/plain')).statusCode, 413);
    const { statusCode, headers } = await api.app.inject({ method: 'DELETE', url: '/gateways/a/receipts' });
    assert.deepEqual([statusCode, headers.allow], [405, 'GET, HEAD, POST']);
  });
});
