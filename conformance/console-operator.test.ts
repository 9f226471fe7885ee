import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { Browser, missingBrowser } from './support/browser/browser.ts';
import { ConsolePage } from './support/browser/console-page.ts';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { PlatformProcess } from './support/platform-process.ts';

const phone = '+12025550100';

const rateTable = {
  currency: 'EUR',
  rates: [
    { prefix: '', direction: 'both', per_minute: '0.5' },
    { prefix: '44', direction: 'outbound', per_minute: '0.04' },
    { prefix: '1202', direction: 'outbound', per_minute: '0.01234' },
  ],
};

describe('screens of the operator in the console', { skip: missingBrowser(), timeout: 120_000 }, () => {
  let browser: Browser;
  let directory: string;
  let platform: PlatformProcess;
  let server: CallbackReceiver;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rates-'));
    const file = join(directory, 'rates.json');
    await writeFile(file, JSON.stringify(rateTable));
    platform = await PlatformProcess.start({ JACKFIELD_RATES: file });
    server = await CallbackReceiver.start();
    browser = await Browser.start();
    const login = await ConsolePage.loggedIn(browser, platform);
    await login.close();
  });

  after(() =>
    cleanUp(
      () => browser?.stop(),
      () => platform?.untilQuiet(),
      () => server?.stop(),
      () => platform?.stop(),
      () => rm(directory, { recursive: true, force: true }),
    ),
  );

  async function open(t: TestContext, path: string): Promise<ConsolePage> {
    const opened = await ConsolePage.open(browser, platform, path);
    t.after(() => opened.close());
    return opened;
  }

  it('the rates screen names the rate that the next call to a number is billed with', async (t) => {
    const console = await open(t, '/rates');
    await console.page.getByRole('row', { name: /^44 outbound EUR 0\.04000/ }).waitFor();
    await console.page.getByLabel('Number', { exact: true }).fill(phone);
    await console.page.keyboard.press('Enter');
    await console.page.getByRole('row', { name: /^44 / }).waitFor({ state: 'detached' });
    const first = await console.page.getByRole('row').nth(1).innerText();
    assert.match(first, /^1202\s+outbound\s+EUR 0\.01234/);
    await console.page.reload();
    await console.page.getByRole('row', { name: /^1202 / }).waitFor();
    await console.assertSound();

    const { status, body } = await platform.api('POST', 'Call/', {
      from: '+12025550000',
      to: phone,
      answer_url: server.serve('/billed', '<Response><Wait length="1"/><Hangup/></Response>'),
      hangup_url: server.serve('/ended', ''),
    });
    assert.equal(status, 201, JSON.stringify(body));
    await server.asked('/ended');
    const call = await platform.api('GET', `Call/${body.request_uuid}/`);
    assert.deepEqual([call.body.total_rate, call.body.total_amount], ['0.01234', '0.01234']);
  });
});
