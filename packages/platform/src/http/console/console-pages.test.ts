import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fastify from 'fastify';
import { type ConsolePages, registerConsole } from './console-pages.ts';

const file = {
  contentType: 'text/javascript; charset=utf-8',
  identity: Buffer.from('plain'),
  gzip: Buffer.from('gzip'),
  brotli: Buffer.from('brotli'),
};

function serverOf(state: ReturnType<ConsolePages['state']>) {
  const app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  let nonces = 0;
  registerConsole(app, {
    pages: {
      state: () => state,
      file: (path) => (path === 'assets/a.js' ? file : undefined),
      page: (nonce) => `page ${nonce}`,
    },
    newNonce: () => `n${nonces++}`,
  });
  return app;
}

describe('Pages of the console', () => {
  it('every path below gives the page, with a nonce of its own that the policy allows', async () => {
    const app = serverOf('ready');
    for (const [index, url] of ['/console', '/console/', '/console/calls/1'].entries()) {
      const { statusCode, body, headers } = await app.inject(url);
      assert.deepEqual([statusCode, body], [200, `page n${index}`]);
      assert.ok(String(headers['content-security-policy']).includes(`style-src 'self' 'nonce-n${index}'`));
    }
  });

  it('a file is sent in the best form that its client accepts, for ever; an unknown file is 404', async () => {
    const app = serverOf('ready');
    for (const [accepted, body] of [
      ['gzip, br', 'brotli'],
      ['gzip', 'gzip'],
      ['', 'plain'],
    ]) {
      const answer = await app.inject({
        url: '/console/assets/a.js',
        headers: { 'accept-encoding': accepted },
      });
      assert.equal(answer.body, body);
      assert.match(String(answer.headers['cache-control']), /immutable/);
    }
    assert.equal((await app.inject('/console/assets/b.js')).statusCode, 404);
  });

  it('while it is built the page says so and loads again by itself', async () => {
    const { statusCode, headers, body } = await serverOf('building').inject('/console/');
    assert.equal(statusCode, 200);
    assert.match(body, /is building its console/);
    const [, nonce] = /<script nonce="([^"]+)">setTimeout\(\(\) => location\.reload\(\)/.exec(body) ?? [];
    assert.ok(String(headers['content-security-policy']).includes(`script-src 'nonce-${nonce}';`));
    assert.equal((await serverOf('building').inject('/console/assets/a.js')).statusCode, 404);
  });

  it('a build that failed is shown as text, whatever its sentence holds', async () => {
    const { statusCode, body } = await serverOf({ problem: 'no <script>' }).inject('/console/');
    assert.equal(statusCode, 503);
    assert.ok(body.includes('no &#60;script&#62;') && !body.includes('<script'));
  });
});
