import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase } from '@jackfield/testkit';
import type { GuidePages } from './guide.ts';
import { openShell } from './testing/shell.ts';

const files: Readonly<Record<string, string>> = { '': '<h1>Start</h1>', '404.html': '<h1>No page</h1>' };
const guidePages: GuidePages = {
  file: async (path) => {
    const text = files[path];
    if (text === undefined) return undefined;
    return { contentType: 'text/html; charset=utf-8', bytes: Buffer.from(text), isImmutable: false };
  },
};

onEmbeddedDatabase('The guide', (open) => {
  test('is served beside the reference, under a policy that runs scripts of this server alone', async () => {
    const { app } = await openShell(open, { guidePages });
    const page = await app.inject('/docs/guide/');
    assert.deepEqual([page.statusCode, page.body], [200, files['']]);
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(policy, /https?:|\*|script-src[^;]*unsafe/);
    assert.equal((await app.inject('/docs/guide')).body, files['']);
    assert.equal((await app.inject('/docs/')).statusCode, 200);
    assert.equal((await app.inject({ method: 'POST', url: '/docs/guide/' })).statusCode, 405);
  });

  test('answers a path that does not exist with its page for that, and 404', async () => {
    const { app } = await openShell(open, { guidePages });
    const page = await app.inject('/docs/guide/start/nowhere');
    assert.deepEqual([page.statusCode, page.body], [404, files['404.html']]);
  });

  test('that is not built says how to build it', async () => {
    const { app } = await openShell(open, { guidePages: { file: async () => undefined } });
    const page = await app.inject('/docs/guide/');
    assert.equal(page.statusCode, 404);
    assert.match(page.json().error, /npm run docs/);
  });

  test('is at no path where the reference is off', async () => {
    const { app } = await openShell(open, { guidePages, docs: false });
    for (const url of ['/docs/guide', '/docs/guide/']) {
      assert.equal((await app.inject(url)).statusCode, 404, url);
    }
  });
});
