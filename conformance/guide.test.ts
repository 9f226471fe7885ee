import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { Browser, missingBrowser } from './support/browser/browser.ts';
import { cleanUp } from './support/clean-up.ts';
import { PlatformProcess } from './support/platform-process.ts';

const builder = join(import.meta.dirname, '../tools/docs-site/build.ts');

describe('the guide in Chromium', { skip: missingBrowser(), timeout: 170_000 }, () => {
  let browser: Browser;
  let platform: PlatformProcess;
  let page: Page;
  /** Faults that a page did not catch, and refusals by its Content-Security-Policy. */
  const faults: string[] = [];
  const outside: string[] = [];

  before(async () => {
    execFileSync(process.execPath, [builder], { stdio: ['ignore', 'ignore', 'inherit'] });
    browser = await Browser.start();
    platform = await PlatformProcess.start();
    page = await browser.newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(`${message.text()} ${message.location().url}`);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(platform.httpUrl)) outside.push(request.url());
    });
  });

  after(() =>
    cleanUp(
      () => browser?.stop(),
      () => platform?.stop(),
    ),
  );

  const guide = (path: string) => `${platform.httpUrl}/docs/guide/${path}`;

  it('opens, leads from page to page, and finds words, without a request to another host', async () => {
    await page.goto(guide(''));
    await page.locator('.VPSidebar').getByRole('link', { name: 'Glossary' }).click();
    await page.getByRole('heading', { name: 'Glossary', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('barge-in');
    await page.locator('#localsearch-list .result').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/#/);
    assert.deepEqual([faults, outside], [[], []]);
  });

  it('opens at an anchor of a page, in the dark as well', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(guide('interface/calls#hangup-causes'));
    await page.getByRole('heading', { name: 'Hangup causes' }).waitFor();
    assert.equal(await page.locator('html.dark').count(), 1);
    assert.deepEqual([faults, outside], [[], []]);
  });

  it('calculates the size of a machine', async () => {
    await page.goto(guide('operate/sizing'));
    const answer = page.locator('.sizing output');
    await page.getByLabel('phones in calls at once').fill('525');
    await answer.getByText('1050 UDP ports').waitFor();
    await page.getByLabel('phones in calls at once').fill('5250');
    await answer.getByText('10500 UDP ports').waitFor();
    assert.deepEqual([faults, outside], [[], []]);
  });
});
