import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { microphoneHz, missingBrowser } from './support/browser/browser.ts';
import type { BrowserPage } from './support/browser/browser-page.ts';
import { CuttablePort, webSocketUrl } from './support/browser/browser-phones.ts';
import { browserSuite, webRtc } from './support/browser/browser-suite.ts';
import { logIn, password, reported } from './support/browser/hosted-pages.ts';
import { minted } from './support/minted-token.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';

const [echo, tone] = ['+12025550100', '+12025550109'];
const sandboxHz = 1000;

/** The program of these pages is the one of browser-sdk.test.ts, with `@jackfield/voice-sdk/plivo` in place of the hosted SDK. */
describe('a program for plivo-browser-sdk, over the adapter', {
  skip: missingBrowser(),
  timeout: 300_000,
}, () => {
  const suite = browserSuite({ settings: webRtc });

  async function open(t: TestContext, url = webSocketUrl(suite.platform)): Promise<BrowserPage> {
    const page = await suite.browser.open({ program: 'adapter-phone' });
    t.after(() => page.close());
    await page.run('open', url);
    return page;
  }

  async function loggedIn(t: TestContext, name: string, url?: string) {
    const page = await open(t, url);
    return logIn(page, suite.platform, name);
  }

  async function talk(page: BrowserPage, to: string): Promise<void> {
    await page.run('call', to);
    await reported(page, 'onCallAnswered');
    await reported(page, 'onMediaConnected');
    await page.twoSecondsMore();
  }

  function token(sub: string, validSeconds: number): string {
    const now = Math.floor(Date.now() / 1000);
    const per = { voice: { incoming_allow: true, outgoing_allow: true } };
    const claims = { app: '', iss: suite.platform.authId, sub, nbf: now, exp: now + validSeconds, per };
    return minted(claims, suite.platform.authToken);
  }

  describe('side by side', { concurrency: 4 }, () => {
    it('logs in with a password, hears its own tone, mutes, unmutes and hangs up; nothing goes to the vendor', async (t) => {
      const { page } = await loggedIn(t, 'ann');
      await talk(page, echo);
      await page.untilHeard(microphoneHz);
      await page.run('mute');
      await page.untilSilent(microphoneHz);
      await page.run('unmute');
      await page.untilHeard(microphoneHz);
      await page.run('hangUp');
      const { args } = await reported(page, 'onCallTerminated');
      const [how, info] = args as readonly [object, { state: string; direction: string }];
      assert.deepEqual(how, { originator: 'local', reason: 'Terminated' });
      assert.deepEqual([info.direction, info.state], ['outgoing', 'ended']);
      assert.deepEqual(page.outside, []);
    });

    it('a call after mute() begins silent', async (t) => {
      const { page } = await loggedIn(t, 'ada');
      await page.run('mute');
      await talk(page, echo);
      await page.twoSecondsMore();
      await page.untilSilent(microphoneHz);
      await page.run('unmute');
      await page.untilHeard(microphoneHz);
      await page.run('hangUp');
      await reported(page, 'onCallTerminated');
    });

    it('a wrong password is refused in the hosted words', async (t) => {
      const page = await open(t);
      const { username } = await suite.platform.createEndpoint('wrong', password);
      await page.run('login', username, 'a-wrong-password');
      assert.deepEqual((await reported(page, 'onLoginFailed')).args, ['Authentication Error']);
    });

    it('headers of its call reach the document, and its digits as well', async (t) => {
      const { page, endpointId } = await loggedIn(t, 'bea');
      suite.server.serve('/adapter-pressed', '<Response><Hangup/></Response>');
      const answer_url = suite.server.serve(
        '/adapter-ask',
        `<Response><GetDigits action="http://127.0.0.1:${suite.server.port}/adapter-pressed" numDigits="4" timeout="15"></GetDigits></Response>`,
      );
      const app = await suite.platform.api('POST', 'Application/', { app_name: 'adapter', answer_url });
      await suite.platform.api('POST', `Endpoint/${endpointId}/`, { app_id: app.body.app_id });
      await page.run('call', 'menu', { 'X-PH-Order': '4711', 'X-Other': 'no' });
      const { fields } = await suite.server.asked('/adapter-ask');
      assert.equal(fields.get('X-PH-Order'), '4711');
      await reported(page, 'onMediaConnected');
      await page.run('digits', '1597');
      assert.equal((await suite.server.asked('/adapter-pressed')).fields.get('Digits'), '1597');
      await reported(page, 'onCallTerminated');
    });

    it('logs in with an access token and is called as a participant, with the headers of the call', async (t) => {
      const page = await open(t);
      const { username } = await suite.platform.createEndpoint('cora', password);
      await page.run('loginWithToken', token(username, 300));
      await reported(page, 'onLogin');
      await addToRoom(suite.platform, 'adapter', tone, { role: 'customer' });
      const [leg] = await addToRoom(suite.platform, 'adapter', username, { sip_headers: 'order=4711' });
      const { args } = await reported(page, 'onIncomingCall');
      const [, headers, info] = args as readonly [string, Record<string, string>, { callUUID: string }];
      assert.equal(info.callUUID, leg);
      assert.equal(headers['X-PH-order'], '4711');
      await page.run('answer', info.callUUID);
      await joinedRoom(suite.platform, 'adapter', 2);
      await page.untilHeard(sandboxHz);
      assert.equal((await suite.platform.api('DELETE', 'MultiPartyCall/name_adapter/')).status, 204);
      await reported(page, 'onCallTerminated');
    });

    it('a generator is asked for the next token before the first ends', async (t) => {
      const page = await open(t);
      const { username } = await suite.platform.createEndpoint('emma', password);
      // Of a life in which a page of a busy machine registers, four beside one another.
      await page.run('loginWithTokens', token(username, 15), token(username, 600));
      await reported(page, 'onLogin');
      const asked = () => page.reports.all.filter(({ type }) => type === 'token-asked').length;
      await page.reports.until('the second token', () => asked() >= 2);
      await talk(page, tone);
      await page.run('hangUp');
      await reported(page, 'onCallTerminated');
    });

    it('an incoming call that it rejects ends as busy', async (t) => {
      const { page, username } = await loggedIn(t, 'fay');
      const [leg] = await addToRoom(suite.platform, 'adapter-rejected', username);
      const { args } = await reported(page, 'onIncomingCall');
      await page.run('reject', (args as readonly { callUUID: string }[])[2]!.callUUID);
      const ended = await suite.platform.until('its end', `Call/${leg}/`, ({ end_time }) =>
        Boolean(end_time),
      );
      assert.equal(ended.hangup_cause_name, 'Busy Line');
    });

    it('after a cut WebSocket in a call it connects again, and we can end the call', async (t) => {
      const port = await CuttablePort.openFor(t, suite.platform);
      const { page } = await loggedIn(t, 'hedda', port.url);
      await talk(page, tone);
      const from = page.reports.all.length;
      port.cut();
      await reported(page, 'onMediaConnected', from);
      await page.twoSecondsMore();
      await page.untilHeard(sandboxHz);
      const call = await page.run<string>('callUuid');
      assert.equal((await suite.platform.api('DELETE', `Call/${call}/`)).status, 204);
      const { args } = await reported(page, 'onCallTerminated');
      assert.deepEqual((args as readonly object[])[0], { originator: 'remote', reason: 'Terminated' });
    });
  });
});
