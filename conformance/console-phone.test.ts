import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missingBrowser } from './support/browser/browser.ts';
import { webRtc } from './support/browser/browser-suite.ts';
import type { ConsolePage } from './support/browser/console-page.ts';
import { consoleSuite } from './support/browser/console-suite.ts';
import { joinedRoom } from './support/multiparty-rooms.ts';
import { startVerification } from './support/verification.ts';

/** Keeps the microphones that the page opens in `globalThis.microphones`. */
const keepMicrophones = `{
  const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  globalThis.microphones = [];
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    const stream = await open(constraints);
    microphones.push(...stream.getTracks());
    return stream;
  };
}`;

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

  /** Makes the page a phone, and resolves with the username of its endpoint. */
  async function phoneOn(console: ConsolePage): Promise<string> {
    await console.button('Make this page a phone').click();
    await console.page.getByText('Others call this page as').waitFor();
    return console.page.locator('p .code').innerText();
  }

  /** Resolves when the server has no binding of the endpoint. */
  async function untilUnregistered(user: string, list = 'Endpoint/'): Promise<void> {
    await suite.platform.until('the end of the registration', list, ({ objects }) =>
      objects.some(
        ({ username, sip_registered: is }: Record<string, string>) => username === user && is === 'false',
      ),
    );
  }

  /** Ends all sessions of the account, and has the page send a request. */
  async function endSessions(console: ConsolePage): Promise<void> {
    const { body } = await suite.platform.api('GET', 'ConsoleSession/');
    for (const { session_id: id } of body.objects)
      await suite.platform.api('DELETE', `ConsoleSession/${id}/`);
    await console.show('/calls');
  }

  for (const [how, leave] of [
    ['a logout', (console: ConsolePage) => console.button('Log out').click()],
    ['the end of the session by another client', endSessions],
  ] as const) {
    it(`${how} ends the call of the page, closes its microphone and unregisters its phone`, async (t) => {
      const console = await suite.open(t, '/phone');
      await console.page.addInitScript(keepMicrophones);
      await console.page.reload();
      const user = await phoneOn(console);
      await console.button('Call').click();
      await console.page.getByText('in the call', { exact: true }).waitFor();
      await leave(console);
      await console.page.getByLabel('auth_token').waitFor();
      await suite.platform.until(
        'the end of the call',
        'Call/?status=live',
        ({ calls }) => calls.length === 0,
      );
      await untilUnregistered(user);
      const states = await console.page.evaluate('microphones.map(({ readyState }) => readyState)');
      assert.deepEqual(states, ['ended']);
      await console.logIn(suite.platform.authId, suite.platform.authToken);
      await console.show('/phone');
      await console.button('Make this page a phone').waitFor();
      await console.assertSound();
    });
  }

  it('a logout while the phone starts leaves no phone to the next login', async (t) => {
    const console = await suite.open(t, '/phone');
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await console.page.route(/\/(Endpoint|Search)\//, async (route) => {
      const response = await route.fetch();
      asked.resolve();
      await held.promise;
      await route.fulfill({ response });
    });
    let sockets = 0;
    console.page.on('websocket', () => {
      sockets += 1;
    });
    await console.button('Make this page a phone').click();
    await asked.promise;
    await console.button('Log out').click();
    await console.logIn(suite.platform.authId, suite.platform.authToken);
    const isBusy = await console.button('Make this page a phone').getAttribute('aria-disabled');
    assert.equal(isBusy, 'false', 'the start of the session before is over');
    held.resolve();
    await phoneOn(console);
    assert.equal(sockets, 1);
    await console.button('Turn off').click();
    await console.assertSound();
  });

  it('a page whose account has more than twenty endpoints is the same one after each load', async (t) => {
    const { body } = await suite.platform.api('GET', 'Endpoint/');
    for (const { endpoint_id: id } of body.objects) await suite.platform.api('DELETE', `Endpoint/${id}/`);
    const others = await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        suite.platform.createEndpoint(`other${String.fromCharCode(97 + index)}`, 'a-good-password'),
      ),
    );
    const console = await suite.open(t, '/phone');
    const user = await phoneOn(console);
    await console.page.reload();
    assert.equal(await phoneOn(console), user);
    await console.button('Turn off').click();
    await untilUnregistered(user, 'Endpoint/?offset=20');
    // Another tab has another phone, unless one is free.
    const another = await suite.open(t, '/phone');
    assert.equal(await phoneOn(another), user);
    await another.button('Turn off').click();
    for (const { endpointId } of others) await suite.platform.api('DELETE', `Endpoint/${endpointId}/`);
    await another.assertSound();
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
