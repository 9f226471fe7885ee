import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { microphoneHz, missingBrowser } from './support/browser/browser.ts';
import type { BrowserPage } from './support/browser/browser-page.ts';
import {
  type BrowserPhone,
  browserPhone,
  CuttablePort,
  phoneDomain,
  webSocketUrl,
} from './support/browser/browser-phones.ts';
import { browserSuite, webRtc } from './support/browser/browser-suite.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';

const [echo, talker, tone] = ['+12025550100', '+12025550101', '+12025550109'];
const sandboxHz = 1000;

describe('the voice SDK in Chromium', { skip: missingBrowser(), timeout: 300_000 }, () => {
  const suite = browserSuite({ settings: webRtc });

  async function phone(t: TestContext, name: string, url?: string): Promise<BrowserPhone> {
    const program = { program: 'voice-phone', ...(url === undefined ? {} : { url }) };
    const started = await browserPhone(suite.browser, suite.platform, name, program);
    t.after(() => started.page.close());
    return started;
  }

  /**
   * A page whose phone fetches these tokens, or has a single one. They are signed when the page is open: that can take longer than a short one
   * lives.
   */
  async function phoneWith(
    t: TestContext,
    sign: () => readonly string[] | string,
    clockIsAheadMs = 0,
  ): Promise<BrowserPage> {
    const page = await suite.browser.open({ program: 'voice-phone' });
    t.after(() => page.close());
    await page.page.evaluate(`{ const { now } = Date; Date.now = () => now() + ${clockIsAheadMs}; }`);
    const signed = sign();
    const login = typeof signed === 'string' ? { token: signed } : { tokens: signed };
    await page.run('start', { url: webSocketUrl(suite.platform), domain: phoneDomain, ...login });
    return page;
  }

  /** A token as a program with the account's auth_token makes it. */
  function token(
    sub: string,
    livesS: number,
    bornS = 0,
    allows = { incoming: true, outgoing: true },
  ): string {
    const now = Math.floor(Date.now() / 1000);
    const per = { voice: { incoming_allow: allows.incoming, outgoing_allow: allows.outgoing } };
    const claims = { app: '', exp: now + livesS, iss: suite.platform.authId, nbf: now + bornS, per, sub };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'HS256', cty: 'plivo;v=1', typ: 'JWT' })}.${part(claims)}`;
    return `${text}.${createHmac('sha256', suite.platform.authToken).update(text).digest('base64url')}`;
  }

  async function talk(page: BrowserPage, to: string): Promise<string> {
    await page.run('dial', to);
    const { callUuid } = await page.reports.until('the answer', ({ type }) => type === 'accepted');
    await page.until('two seconds of audio', ({ received }) => received.packets > 110);
    return callUuid as string;
  }

  async function hangUp(page: BrowserPage): Promise<void> {
    await page.run('hangUp');
    await page.reports.until('the end', ({ type }) => type === 'ended');
  }

  /** Ends the live call to a number, once its answer is recorded: a phone may know of it before. */
  function endCallTo(number: string): Promise<unknown> {
    return suite.platform.until(`an answered call to ${number}`, 'Call/?status=live', async ({ calls }) => {
      for (const uuid of calls as readonly string[]) {
        const { body: leg } = await suite.platform.api('GET', `Call/${uuid}/?status=live`);
        if (leg.to?.includes(number.slice(1)) && leg.call_status === 'in-progress')
          return (await suite.platform.api('DELETE', `Call/${uuid}/`)).status === 204;
      }
      return false;
    });
  }

  describe('side by side', { concurrency: 4 }, () => {
    it('registers by password, hears itself from the echo, and measures the call on both sides', async (t) => {
      const { page } = await phone(t, 'sdkann');
      const callUuid = await talk(page, echo);
      assert.equal((await suite.platform.api('GET', `Call/${callUuid}/?status=live`)).status, 200);
      await page.twoSecondsMore();
      await page.untilHeard(microphoneHz);
      const sample = await page.reports.until('a sample of quality', ({ type }) => type === 'quality');
      const { mos, lossPercent, codec, transport, packetsSent } = sample as unknown as Record<string, number>;
      assert.ok((mos ?? 0) > 3.5 && lossPercent === 0 && (packetsSent ?? 0) > 100, JSON.stringify(sample));
      assert.deepEqual([codec, transport], ['opus', 'udp']);
      await page.run('mute', true);
      await page.twoSecondsMore();
      await page.untilSilent(microphoneHz);
      // The server measures it as well, with what the browser reports by RTCP.
      await suite.platform.until('a report of the browser', `Call/${callUuid}/Quality/`, ({ objects }) =>
        objects.some(({ remote_loss_percent: lost }: Record<string, number | null>) => lost !== null),
      );
      await hangUp(page);
    });

    it('a call that is muted before its microphone is open is silent until it is unmuted', async (t) => {
      const { page } = await phone(t, 'sdkmutes');
      await page.run('dialMuted', echo);
      await page.until('two seconds of audio', ({ received }) => received.packets > 110);
      await page.twoSecondsMore();
      await page.untilSilent(microphoneHz);
      await page.run('mute', false);
      await page.untilHeard(microphoneHz);
      await hangUp(page);
    });

    it('a call that comes in and is muted before its answer is silent until it is unmuted', async (t) => {
      const { page, username } = await phone(t, 'sdkmutesfirst');
      const room = 'sdkmutesfirst';
      await addToRoom(suite.platform, room, echo, { role: 'customer' });
      await addToRoom(suite.platform, room, username);
      await page.reports.until('the call', ({ type }) => type === 'incoming');
      await page.run('mute', true);
      await page.run('answer');
      await joinedRoom(suite.platform, room, 2);
      await page.until('two seconds of audio', ({ received }) => received.packets > 110);
      await page.twoSecondsMore();
      await page.untilSilent(microphoneHz);
      await page.run('mute', false);
      await page.untilHeard(microphoneHz);
      await suite.platform.api('DELETE', `MultiPartyCall/name_${room}/`);
      await page.reports.until('the end', ({ type }) => type === 'ended');
    });

    it('a wrong password fails with the status of the server', async (t) => {
      const { username } = await suite.platform.createEndpoint('sdkmallory', 'right');
      const page = await suite.browser.open({ program: 'voice-phone' });
      t.after(() => page.close());
      await page.run('start', {
        url: webSocketUrl(suite.platform),
        domain: phoneDomain,
        username,
        password: 'wrong',
      });
      const { message } = await page.reports.until('the refusal', ({ type }) => type === 'failed');
      assert.equal(message, 'The server refused to register the phone: 401.');
    });

    it('a call that comes in carries its headers, and talks in a multiparty call', async (t) => {
      const { page, username } = await phone(t, 'sdkbob');
      const room = 'sdkincoming';
      await addToRoom(suite.platform, room, tone, { role: 'customer' });
      const [leg] = await addToRoom(suite.platform, room, username, { sip_headers: 'order=4711' });
      const incoming = await page.reports.until('the call', ({ type }) => type === 'incoming');
      assert.equal(incoming.callUuid, leg);
      assert.equal((incoming.headers as Record<string, string>)['X-PH-order'], '4711');
      await page.run('answer');
      await joinedRoom(suite.platform, room, 2);
      await page.until('two seconds of audio', ({ received }) => received.packets > 110);
      await page.twoSecondsMore();
      await page.untilHeard(sandboxHz);
      await suite.platform.api('DELETE', `MultiPartyCall/name_${room}/`);
      const { by } = await page.reports.until('the end', ({ type }) => type === 'ended');
      assert.equal(by, 'remote');
    });

    it('its digits reach the document of the call, which gets its headers', async (t) => {
      const ann = await phone(t, 'sdkdigits');
      suite.server.serve('/sdk-pressed', '<Response><Hangup/></Response>');
      const answer_url = suite.server.serve(
        '/sdk-ask',
        `<Response><GetDigits action="http://127.0.0.1:${suite.server.port}/sdk-pressed" numDigits="4" timeout="15"></GetDigits></Response>`,
      );
      const { body } = await suite.platform.api('POST', 'Application/', {
        app_name: 'sdkdigits',
        answer_url,
      });
      await suite.platform.api('POST', `Endpoint/${ann.endpointId}/`, { app_id: body.app_id });
      await ann.page.run('dial', 'menu', { 'X-PH-Order': '7' });
      const { fields } = await suite.server.asked('/sdk-ask');
      assert.equal(fields.get('X-PH-Order'), '7');
      await ann.page.reports.until('the answer', ({ type }) => type === 'accepted');
      await ann.page.until('its connection', ({ state }) => state === 'connected');
      await ann.page.run('digits', '15*7');
      assert.equal((await suite.server.asked('/sdk-pressed')).fields.get('Digits'), '15*7');
      await ann.page.reports.until('the last digit', (each) => each.type === 'digit' && each.digit === '7');
      await ann.page.reports.until('the end', ({ type }) => type === 'ended');
    });

    it('hold stops what the page hears until it resumes', async (t) => {
      const { page } = await phone(t, 'sdkholds');
      await talk(page, tone);
      await page.untilHeard(sandboxHz);
      await page.run('hold', true);
      await page.reports.until('hold', (each) => each.type === 'held' && each.isHeld === true);
      const before = (await page.connections()).at(-1)!;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const held = (await page.connections()).at(-1)!;
      assert.ok(held.received.packets - before.received.packets < 10, 'the page receives nothing');
      await page.run('hold', false);
      await page.reports.until('the resumption', (each) => each.type === 'held' && each.isHeld === false);
      await page.twoSecondsMore();
      await page.untilHeard(sandboxHz);
      await hangUp(page);
    });

    it('a call that ends while the page changes its microphone leaves none open', async (t) => {
      const { page } = await phone(t, 'sdkmicrophone');
      await talk(page, echo);
      assert.deepEqual(await page.run('useMicrophoneAsItEnds'), ['ended']);
      await page.reports.until('the end', ({ type }) => type === 'ended');
      assert.deepEqual(
        page.console.filter((line) => line.includes('InvalidStateError')),
        [],
      );
    });

    it('a call that was held and resumed plays once, and follows a change of the speaker', async (t) => {
      const { page } = await phone(t, 'sdkspeaker');
      await talk(page, tone);
      for (const isHeld of [true, false, true, false]) {
        const from = page.reports.all.length;
        await page.run('hold', isHeld);
        await page.reports.until('hold', (each) => each.type === 'held' && each.isHeld === isHeld, { from });
      }
      await page.twoSecondsMore();
      await page.untilHeard(sandboxHz);
      assert.deepEqual(await page.run('speakers'), ['']);
      await page.run('useSpeaker', 'default');
      assert.deepEqual(await page.run('speakers'), ['default']);
      await hangUp(page);
      assert.deepEqual(await page.run('speakers'), []);
    });

    it('a microphone that ends in a call is reported', async (t) => {
      const { page } = await phone(t, 'sdkunplugged');
      await page.run('dialAndUnplug', echo);
      await page.reports.until('the report', ({ type }) => type === 'microphone-ended');
      await hangUp(page);
    });

    it('a page that is reloaded hangs up its call', async (t) => {
      const { page } = await phone(t, 'sdkreloads');
      const callUuid = await talk(page, echo);
      await page.page.reload();
      const { hangup_source, hangup_cause_name } = await suite.platform.until(
        'the end',
        `Call/${callUuid}/`,
        ({ end_time }) => Boolean(end_time),
      );
      assert.deepEqual([hangup_source, hangup_cause_name], ['Caller', 'Normal Hangup']);
    });

    it('transfers the other side, and its own call ends', async (t) => {
      const { page } = await phone(t, 'sdktransfers');
      await talk(page, echo);
      assert.equal(await page.run('transfer', talker), 'transferred');
      const { by } = await page.reports.until('the end', ({ type }) => type === 'ended');
      assert.equal(by, 'remote');
      // The two others talk.
      await endCallTo(talker);
    });

    it('a call outlives its WebSocket: it restarts ICE over the next one and can be hung up there', async (t) => {
      const port = await CuttablePort.openFor(t, suite.platform);
      const { page } = await phone(t, 'sdkcut', port.url);
      const callUuid = await talk(page, tone);
      port.cut();
      await page.reports.until('the loss', ({ type }) => type === 'call-reconnecting');
      await page.reports.until('the next socket', ({ type }) => type === 'call-reconnected');
      await page.twoSecondsMore();
      await page.untilHeard(sandboxHz);
      await hangUp(page);
      await suite.platform.until('the end', `Call/${callUuid}/`, ({ end_time }) => Boolean(end_time));
    });

    it('a token that expires during a call is replaced before, and the call goes on', async (t) => {
      const { username } = await suite.platform.createEndpoint('sdktoken', 'unused');
      let expires = 0;
      const page = await phoneWith(t, () => {
        expires = Date.now() + 12_000;
        return [token(username, 12, -400), token(username, 3_600)];
      });
      await page.reports.until('the registration', ({ type }) => type === 'registered');
      await talk(page, tone);
      const fetched = () => page.reports.all.filter(({ type }) => type === 'token-fetched').length;
      await page.reports.until('the second token', () => fetched() === 2);
      while (Date.now() < expires) await page.twoSecondsMore();
      await page.untilHeard(sandboxHz);
      assert.ok(!page.reports.all.some(({ type }) => ['failed', 'offline', 'reconnecting'].includes(type)));
      await hangUp(page);
    });

    for (const [clock, aheadMs] of [
      ['an hour ahead', 3_600_000],
      ['an hour behind', -3_600_000],
    ] as const)
      it(`a page whose clock is ${clock} registers, and replaces its token before the end`, async (t) => {
        const { username } = await suite.platform.createEndpoint('sdkclock', 'unused');
        const page = await phoneWith(t, () => [token(username, 12), token(username, 3_600)], aheadMs);
        await page.reports.until('the registration', ({ type }) => type === 'registered');
        await page.reports.until('most of its life', ({ type }) => type === 'token-will-expire');
        const fetched = () => page.reports.all.filter(({ type }) => type === 'token-fetched').length;
        await page.reports.until('the second token', () => fetched() === 2);
        await talk(page, tone);
        assert.ok(!page.reports.all.some(({ type }) => ['failed', 'offline', 'reconnecting'].includes(type)));
        await hangUp(page);
      });

    it('a token that the page does not replace ends its registration, and the page learns of it', async (t) => {
      const { username } = await suite.platform.createEndpoint('sdkonce', 'unused');
      const page = await phoneWith(t, () => token(username, 12));
      await page.reports.until('the registration', ({ type }) => type === 'registered');
      const failed = await page.reports.until('the failure', ({ type }) => type === 'failed');
      // docs/interface/client-tokens.md#on-sip
      assert.equal(failed.tokenError, 10_006);
      assert.ok(page.reports.all.some(({ type }) => type === 'offline'));
    });

    it('a token that forbids calls from the page holds over WebRTC, and the page is called all the same', async (t) => {
      const { username } = await suite.platform.createEndpoint('sdkmute', 'unused');
      const page = await phoneWith(t, () => [token(username, 600, 0, { incoming: true, outgoing: false })]);
      await page.reports.until('the registration', ({ type }) => type === 'registered');
      await page.run('dial', echo);
      const { by, status } = await page.reports.until('the refusal', ({ type }) => type === 'ended');
      assert.deepEqual([by, status], ['rejected', 401]);
      const { packets } = (await page.connections()).at(-1)?.received ?? { packets: 0 };
      assert.equal(packets, 0, 'no audio');
      const [leg] = await addToRoom(suite.platform, 'sdkmute', username);
      const { callUuid } = await page.reports.until('the call', ({ type }) => type === 'incoming');
      assert.equal(callUuid, leg);
      await page.run('hangUp');
      await suite.platform.until('its end', `Call/${leg}/`, ({ end_time }) => Boolean(end_time));
    });

    it('a token that forbids calls to the page holds over WebRTC, and the page calls all the same', async (t) => {
      const { username } = await suite.platform.createEndpoint('sdkdeaf', 'unused');
      const page = await phoneWith(t, () => [token(username, 600, 0, { incoming: false, outgoing: true })]);
      await page.reports.until('the registration', ({ type }) => type === 'registered');
      const [leg] = await addToRoom(suite.platform, 'sdkdeaf', username);
      await suite.platform.until('its end', `Call/${leg}/`, ({ end_time }) => Boolean(end_time));
      assert.ok(!page.reports.all.some(({ type }) => type === 'incoming'));
      await talk(page, tone);
      await page.untilHeard(sandboxHz);
      await hangUp(page);
    });

    it('a test call reports how good the connection is', async (t) => {
      const { page, account } = await phone(t, 'sdkpreflight');
      const report = await page.run<Record<string, number>>('preflight', account);
      assert.ok((report.mos ?? 0) > 3.5 && (report.answeredMs ?? 0) > 0, JSON.stringify(report));
      assert.equal(report.lossPercent, 0);
    });
  });
});
