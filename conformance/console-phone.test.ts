import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missingBrowser } from './support/browser/browser.ts';
import { webRtc } from './support/browser/browser-suite.ts';
import { consoleSuite } from './support/browser/console-suite.ts';
import { joinedRoom } from './support/multiparty-rooms.ts';
import { startVerification } from './support/verification.ts';

describe('the console as a phone, and its forms', { skip: missingBrowser(), timeout: 300_000 }, () => {
  const suite = consoleSuite({ settings: webRtc });

  it('the phone of the page calls, sends keys, mutes, holds and hangs up', async (t) => {
    const console = await suite.open(t, '/phone');
    await console.button('Make this page a phone').click();
    await console.page.getByText('Others call this page as').waitFor();
    await console.assertAccessible();
    await console.button('Call').click();
    await console.page.getByText('in the call', { exact: true }).waitFor();
    const link = console.page.getByRole('link', { name: 'What happened in this call' });
    const uuid = (await link.getAttribute('href'))?.split('/').at(-1);
    const { status, body } = await suite.platform.api('GET', `Call/${uuid}/?status=live`);
    assert.deepEqual([status, body.call_status], [200, 'in-progress']);
    await console.button('5').click();
    await console.button('Mute').click();
    await console.page.locator('button[aria-pressed="true"]', { hasText: 'Mute' }).waitFor();
    await console.button('Hold').click();
    await console.page.locator('button[aria-pressed="true"]', { hasText: 'Hold' }).waitFor();
    await console.assertSound();
    await console.button('Hang up').click();
    await console.page.getByText('The call is over').waitFor();
    await console.button('Turn off').click();
  });

  it('a page whose clock is two hours behind is a phone, and shows how long its call lasts', async (t) => {
    const console = await suite.open(t, '/phone');
    await console.page.addInitScript('{ const { now } = Date; Date.now = () => now() - 7_200_000; }');
    await console.page.reload();
    await console.button('Make this page a phone').click();
    await console.button('Call').click();
    await console.page.getByText('in the call', { exact: true }).waitFor();
    await console.show('/');
    await console.page
      .getByRole('cell', { name: /^(?!0:00$)\d+:\d\d$/ })
      .first()
      .waitFor();
    await console.show('/phone');
    await console.button('Hang up').click();
    await console.page.getByText('The call is over').waitFor();
    await console.button('Turn off').click();
  });

  it('the sandbox adds its phones to a call and shows the message of a verification', async (t) => {
    const console = await suite.open(t, '/sandbox');
    await console.page.getByLabel('Multiparty call').fill('boxed');
    await console.button(/Add to the call: \+12025550101/).click();
    await joinedRoom(suite.platform, 'boxed', 1);
    await suite.platform.api('DELETE', 'MultiPartyCall/name_boxed/');
    const verification = await startVerification(suite.platform, { recipient: '+14155552671' });
    await console.button('Look again').click();
    await console.page.getByRole('row', { name: /14155552671/ }).waitFor();
    await console.assertSound();
    await verification.confirm();
  });

  it('forms of the schemas create, change and delete', async (t) => {
    const console = await suite.open(t, '/setup/applications');
    await console.page.getByText('Create', { exact: true }).first().click();
    await console.page.getByLabel('app_name').fill('menu');
    await console.page.getByLabel(/^answer_url/).fill('ftp://example.com');
    await console.button('Create').click();
    await console.page
      .getByRole('alert')
      .getByText(/answer_url/)
      .waitFor();
    await console.page.getByLabel(/^answer_url/).fill('http://127.0.0.1:9/answer');
    await console.button('Create').click();
    await console.page.getByRole('link', { name: 'menu' }).click();
    await console.heading('menu').waitFor();
    await console.assertAccessible();
    await console.page.getByLabel('app_name').fill('menu-two');
    await console.button('Change').click();
    await console.heading('menu-two').waitFor();
    const { body } = await suite.platform.api('GET', 'Application/?app_name=menu');
    assert.deepEqual(
      body.objects.map(({ app_name: name, answer_url: url }: Record<string, string>) => [name, url]),
      [['menu-two', 'http://127.0.0.1:9/answer']],
    );
    await console.button('Delete').click();
    await console.button('Delete').click();
    await console.heading('Setup').waitFor();
    assert.equal((await suite.platform.api('GET', 'Application/?app_name=menu')).body.objects.length, 0);
    await console.assertSound();
  });

  it('every other screen opens by its address, without a fault and accessible', async (t) => {
    const paths = ['endpoints', 'numbers', 'trunks', 'subaccounts'].map((kind) => `/setup/${kind}`);
    const console = await suite.open(t);
    for (const path of [...paths, '/recordings', '/verify', '/usage', '/rates', '/sessions']) {
      await console.go(path);
      await console.page.locator('main h1').waitFor();
      await console.page
        .getByText('Loading …')
        .filter({ visible: true })
        .first()
        .waitFor({ state: 'detached' });
      assert.equal(await console.page.getByRole('alert').count(), 0, path);
      await console.assertSound();
    }
  });
});
