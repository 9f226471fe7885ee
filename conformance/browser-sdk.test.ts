import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { microphoneHz, missingBrowser } from './support/browser/browser.ts';
import type { BrowserPage, PageOptions } from './support/browser/browser-page.ts';
import { CuttablePort, webSocketUrl } from './support/browser/browser-phones.ts';
import { browserSuite, webRtc } from './support/browser/browser-suite.ts';
import type { ConnectionReport } from './support/browser/connection-report.ts';
import { logIn, password, reported } from './support/browser/hosted-pages.ts';
import { minted } from './support/minted-token.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';

const [echo, tone] = ['+12025550100', '+12025550109'];
const sandboxHz = 1000;

const twoSeconds = ({ received }: ConnectionReport) => received.packets > 110;

describe('plivo-browser-sdk 2.2.21, unmodified', { skip: missingBrowser(), timeout: 300_000 }, () => {
  const suite = browserSuite({
    settings: async () => ({ ...(await webRtc()), JACKFIELD_SIP_DOMAINS: 'sip.localhost,phone.plivo.com' }),
  });

  /** A page with a client that has not logged in. */
  async function open(t: TestContext, options: Partial<PageOptions> & { readonly url?: string } = {}) {
    const page = await suite.browser.open({ program: 'hosted-sdk-phone', ...options });
    t.after(() => page.close());
    await page.run('open', options.url ?? webSocketUrl(suite.platform));
    return page;
  }

  async function loggedIn(t: TestContext, name: string, options: Parameters<typeof open>[1] = {}) {
    const page = await open(t, options);
    return logIn(page, suite.platform, name);
  }

  const now = () => Math.floor(Date.now() / 1000);

  function token(sub: string, validSeconds: number): string {
    const per = { voice: { incoming_allow: true, outgoing_allow: true } };
    const claims = { app: '', iss: suite.platform.authId, sub, nbf: now(), exp: now() + validSeconds, per };
    return minted(claims, suite.platform.authToken);
  }

  /** The page answers its next call. */
  async function answer(page: BrowserPage): Promise<string> {
    const { args } = await reported(page, 'onIncomingCall');
    const { callUUID } = (args as readonly { callUUID: string }[])[2]!;
    await page.run('answer', callUUID);
    return callUUID;
  }

  const end = (call: string) => suite.platform.api('DELETE', `Call/${call}/`);

  describe('side by side', { concurrency: 4 }, () => {
    it('calls after a login with a password, hears its own tone and hangs up; the vendor gets the password', async (t) => {
      const { page, username } = await loggedIn(t, 'ann');
      await page.run('call', echo);
      await reported(page, 'onCallAnswered');
      await page.until('two seconds of audio', twoSeconds);
      await page.untilHeard(microphoneHz);
      await page.run('hangUp');
      await reported(page, 'onCallTerminated');
      // docs/guides/browsers.md#what-the-sdk-sends-to-its-vendor
      const hosts = new Set(page.outside.map(({ url }) => new URL(url).hostname));
      assert.deepEqual([...hosts].sort(), ['cdn.plivo.com', 'nimbus.plivo.com', 'stats.plivo.com']);
      const statistics = page.outside.find(({ url }) => url.startsWith('https://stats.plivo.com/'));
      assert.deepEqual(JSON.parse(statistics!.body), { username, password, domain: 'phone.plivo.com' });
    });

    it('the policy of docs/guides/browsers.md keeps everything from the vendor, and the page still calls', async (t) => {
      const text = await readFile(new URL('../docs/guides/browsers.md', import.meta.url), 'utf8');
      const documented = /Content-Security-Policy: (.+)/.exec(text)![1]!;
      const policy = documented.replace('wss://sip.example.com', webSocketUrl(suite.platform));
      const { page } = await loggedIn(t, 'ida', { policy });
      await page.run('call', tone);
      await reported(page, 'onCallAnswered');
      await page.until('two seconds of audio', twoSeconds);
      await page.untilHeard(sandboxHz);
      await page.run('hangUp');
      await reported(page, 'onCallTerminated');
      assert.deepEqual(page.outside, []);
    });

    it('a wrong password is refused', async (t) => {
      const page = await open(t);
      const { username } = await suite.platform.createEndpoint('wrong', password);
      await page.run('login', username, 'a-wrong-password');
      const { args } = await reported(page, 'onLoginFailed');
      assert.deepEqual(args, ['Authentication Error']);
    });

    it('headers of its call reach the document, and its digits as well', async (t) => {
      const { page, endpointId } = await loggedIn(t, 'bea');
      suite.server.serve('/sdk-pressed', '<Response><Hangup/></Response>');
      const answer_url = suite.server.serve(
        '/sdk-ask',
        `<Response><GetDigits action="http://127.0.0.1:${suite.server.port}/sdk-pressed" numDigits="4" timeout="15" digitTimeout="10"></GetDigits></Response>`,
      );
      const app = await suite.platform.api('POST', 'Application/', { app_name: 'sdk', answer_url });
      await suite.platform.api('POST', `Endpoint/${endpointId}/`, { app_id: app.body.app_id });
      await page.run('call', 'menu', { 'X-PH-Order': '4711' });
      const { fields } = await suite.server.asked('/sdk-ask');
      assert.equal(fields.get('X-PH-Order'), '4711');
      await reported(page, 'onCallAnswered');
      await page.run('digits', '1597');
      assert.equal((await suite.server.asked('/sdk-pressed')).fields.get('Digits'), '1597');
      await reported(page, 'onCallTerminated');
    });

    it('logs in with an access token, and is called as a participant; on hold it hears music instead of the others', async (t) => {
      const page = await open(t, { toneHz: 700 });
      const { username } = await suite.platform.createEndpoint('cora', password);
      const call = 'MultiPartyCall/name_sdk/';
      await page.run('loginWithToken', token(username, 300));
      await reported(page, 'onLogin');
      await addToRoom(suite.platform, 'sdk', tone, { role: 'customer' });
      const [leg] = await addToRoom(suite.platform, 'sdk', username);
      assert.equal(await answer(page), leg);
      await joinedRoom(suite.platform, 'sdk', 2);
      await page.until('two seconds of audio', twoSeconds);
      await page.untilHeard(sandboxHz);
      const { body } = await suite.platform.api('GET', `${call}Participant/`);
      const [member] = body.objects.filter((each: { call_uuid: string }) => each.call_uuid === leg);
      const participant = `${call}Participant/${member.member_id}/`;
      assert.equal((await suite.platform.api('POST', participant, { hold: true })).status, 202);
      // Music instead of the other participant.
      await page.untilSilent(sandboxHz);
      assert.equal((await suite.platform.api('POST', participant, { hold: false })).status, 202);
      await page.untilHeard(sandboxHz);
      assert.equal((await suite.platform.api('DELETE', call)).status, 204);
      await reported(page, 'onCallTerminated');
    });

    it('mute silences what it says until it unmutes', async (t) => {
      const { page } = await loggedIn(t, 'dora');
      await page.run('call', echo);
      await reported(page, 'onCallAnswered');
      await page.until('two seconds of audio', twoSeconds);
      await page.run('mute');
      await page.untilSilent(microphoneHz);
      await page.run('unmute');
      await page.untilHeard(microphoneHz);
      await page.run('hangUp');
      await reported(page, 'onCallTerminated');
    });

    it('a generator is asked for the next token 60 s before the first expires, and calls go on with it', async (t) => {
      const page = await open(t);
      const { username } = await suite.platform.createEndpoint('emma', password);
      await page.run('loginWithTokens', token(username, 64), token(username, 600));
      await reported(page, 'onLogin');
      // The login may take longer than the four seconds until the generator is asked again.
      const { all } = page.reports;
      const first = all.findIndex(({ type }) => type === 'token-asked');
      await reported(page, 'token-asked', first + 1);
      await page.run('call', tone);
      await reported(page, 'onCallAnswered');
      await page.run('hangUp');
      await reported(page, 'onCallTerminated');
    });

    it('a call goes on when its token expires', async (t) => {
      const page = await open(t);
      const { username } = await suite.platform.createEndpoint('gina', password);
      // Time enough for the login and the call on a machine with much else to do.
      const expires = Date.now() + 16_000;
      await page.run('loginWithToken', token(username, 16));
      await reported(page, 'onLogin');
      await page.run('call', tone);
      await reported(page, 'onCallAnswered');
      await page.until('its connection', ({ state }) => state === 'connected');
      while (Date.now() < expires) await page.twoSecondsMore();
      await page.untilHeard(sandboxHz);
      await page.run('hangUp');
      await reported(page, 'onCallTerminated');
    });

    it('an incoming call that it rejects ends', async (t) => {
      const { page, username } = await loggedIn(t, 'fay');
      const [leg] = await addToRoom(suite.platform, 'rejected', username);
      const { args } = await reported(page, 'onIncomingCall');
      await page.run('reject', (args as readonly { callUUID: string }[])[2]!.callUUID);
      const ended = await suite.platform.until('its end', `Call/${leg}/`, ({ end_time }) =>
        Boolean(end_time),
      );
      assert.equal(ended.hangup_cause_name, 'Busy Line');
    });

    for (const address of ['127.0.0.1', '127.0.0.2']) {
      const what = address === '127.0.0.1' ? 'a cut WebSocket' : 'a change of its network';
      it(`after ${what} in a call it connects again, restarts ICE, and we can end the call`, async (t) => {
        const port = await CuttablePort.openFor(t, suite.platform);
        const { page } = await loggedIn(t, 'hedda', { url: port.url });
        await page.run('call', tone);
        await reported(page, 'onCallAnswered');
        const before = await page.until('two seconds of audio', twoSeconds);
        port.from = address;
        port.cut();
        // The SDK reports `onMediaConnected` again only where the browser's state of the connection changes for a moment.
        const restarted = ({ remoteUfrag, path }: ConnectionReport) =>
          remoteUfrag !== before.remoteUfrag && path.localPort !== before.path.localPort;
        await page.until('another path', restarted);
        await page.twoSecondsMore();
        await page.untilHeard(sandboxHz);
        await end((await page.run<string>('callUuid'))!);
        await reported(page, 'onCallTerminated');
      });
    }
  });
});
