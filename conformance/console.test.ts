import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missingBrowser } from './support/browser/browser.ts';
import { consoleSuite } from './support/browser/console-suite.ts';

const busy = '+12025550102';

describe('the console in Chromium', { skip: missingBrowser(), timeout: 300_000 }, () => {
  const suite = consoleSuite({ isLoggedOut: true });

  async function endedCall(to: string): Promise<string> {
    const { status, body } = await suite.platform.api('POST', 'Call/', {
      from: '+12025550000',
      to,
      answer_url: 'http://127.0.0.1:9/answer',
    });
    assert.equal(status, 201, JSON.stringify(body));
    const uuid = body.request_uuid as string;
    await suite.platform.until(
      'the end of the call',
      `Call/?to_number=${encodeURIComponent(to)}`,
      ({ objects }) => objects.some(({ end_time }: { end_time: string | null }) => end_time !== null),
    );
    return uuid;
  }

  it('the login refuses a wrong token with the sentence of the server, and keeps none of the right one', async (t) => {
    const console = await suite.open(t, '/calls');
    await console.page.getByLabel('auth_id').fill(suite.platform.authId);
    await console.page.getByLabel('auth_token').fill('wrong');
    await console.button('Log in').click();
    await console.page.getByRole('alert').getByText('login failed').waitFor();
    await console.assertAccessible();
    await console.logIn(suite.platform.authId, suite.platform.authToken);
    const kept = await console.page.evaluate(
      'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML])',
    );
    assert.ok(!String(kept).includes(suite.platform.authToken), 'the page holds the token');
    assert.equal(
      new URL(console.page.url()).pathname,
      '/console/calls',
      'the address still names the screen',
    );
    await console.assertSound();
  });

  it('the list of calls shows a call and its end, follows its address, and works by keyboard', async (t) => {
    await endedCall(busy);
    const console = await suite.open(t, '/calls');
    const row = console.page.getByRole('row', { name: busy });
    await row.first().getByText('BUSY', { exact: true }).waitFor();
    await console.page.getByLabel('To', { exact: true }).fill('+19999999999');
    await console.page.keyboard.press('Enter');
    await console.page.getByText('No call fits.').waitFor();
    assert.match(console.page.url(), /to_number=%2B19999999999/);
    await console.page.reload();
    await console.page.getByText('No call fits.').waitFor();
    await console.assertSound();
  });

  it('every request of the screen can be copied as curl, without credentials', async (t) => {
    const console = await suite.open(t, '/calls');
    await console.page.getByRole('table').or(console.page.getByText('No call fits.')).first().waitFor();
    await console.button('As curl').click();
    const line = console.page.locator('#curl-lines pre').first();
    assert.equal(await line.textContent(), 'curl -u $AUTH "$JACKFIELD/Call/?limit=20&offset=0"');
    await console.assertSound();
  });

  it('the explorer sends an operation with the values of its form, and shows its answer and its line of curl', async (t) => {
    const console = await suite.open(t, '/explorer?operation=createEndpoint');
    const { page } = console;
    for (const [name, value] of Object.entries({
      username: 'desk',
      password: 'a-good-password',
      alias: 'desk',
    })) {
      await page.getByLabel(`${name} (required)`, { exact: true }).fill(value);
    }
    await console.button('Send').click();
    await page.locator('main pre', { hasText: '"endpoint_id"' }).waitFor();
    const line = page.locator('main pre', { hasText: 'curl -u $AUTH "$JACKFIELD/Endpoint/"' });
    assert.match(await line.innerText(), /-d '\{.*"alias":"desk"/);
    const { body } = await suite.platform.api('GET', 'Endpoint/');
    const [{ alias, endpoint_id: id }] = body.objects;
    assert.equal(alias, 'desk');
    await page.locator('main select').first().selectOption('deleteEndpoint');
    await page.getByLabel('endpoint_id (required)', { exact: true }).fill(id);
    await console.button('Send').click();
    await page.getByText('204: done, without a body.').waitFor();
    assert.deepEqual((await suite.platform.api('GET', 'Endpoint/')).body.objects, []);
    assert.match(page.url(), /operation=deleteEndpoint/);
    await console.assertSound();
  });

  it('the page and its files come with their headers, compressed, and within their budgets', async () => {
    const page = await fetch(`${suite.platform.httpUrl}/console/any/path`);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/);
    assert.ok(!policy.includes('unsafe'));
    assert.equal(page.headers.get('permissions-policy'), 'microphone=(self)');
    const html = await page.text();
    const [, nonce] = /'nonce-([^']+)'/.exec(policy) ?? [];
    assert.ok(nonce !== undefined && html.includes(nonce));
    const again = await fetch(`${suite.platform.httpUrl}/console/`);
    assert.ok(!again.headers.get('content-security-policy')?.includes(nonce), 'each page has its own nonce');
    await again.text();
    const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? '';
    const file = await fetch(`${suite.platform.httpUrl}${script}`, { headers: { 'accept-encoding': 'br' } });
    assert.equal(file.headers.get('content-encoding'), 'br');
    assert.match(file.headers.get('cache-control') ?? '', /immutable/);
    await file.arrayBuffer();
    const missing = await fetch(`${suite.platform.httpUrl}/console/assets/no.js`);
    assert.equal(missing.status, 404);
    await missing.text();
    const posted = await fetch(`${suite.platform.httpUrl}/console/`, { method: 'POST' });
    assert.equal(posted.status, 405);
    await posted.text();
  });

  it('the first screen takes at most 40 KB of gzip', async (t) => {
    const console = await suite.open(t, '/calls');
    await console.go('/');
    await console.heading('Live').waitFor();
    // Of this document: files of the one before may still arrive.
    const resources = await console.page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => name),
    );
    const files = [console.page.url(), ...resources].filter((url) => url.includes('/console/'));
    const sizes = await Promise.all(files.map(gzipSizeOf));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    t.diagnostic(`${total} bytes in ${sizes.length} files`);
    assert.ok(total <= 40 * 1024, `${total} bytes`);
  });

  /** As it is sent; a file that is too small is sent as it is. */
  async function gzipSizeOf(url: string): Promise<number> {
    const { request } = await import('node:http');
    return new Promise((resolve, reject) => {
      request(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
        let size = 0;
        response.on('data', (piece: Buffer) => {
          size += piece.length;
        });
        response.on('end', () => resolve(size));
      })
        .on('error', reject)
        .end();
    });
  }
});
