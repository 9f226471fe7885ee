import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { microphoneHz, missingBrowser } from './support/browser/browser.ts';
import type { BrowserPage, PageOptions } from './support/browser/browser-page.ts';
import {
  type BrowserPhone,
  browserPhone,
  CuttablePort,
  phoneDomain,
  webSocketUrl,
} from './support/browser/browser-phones.ts';
import { browserSuite, webRtc } from './support/browser/browser-suite.ts';
import type { ConnectionReport } from './support/browser/connection-report.ts';
import { heardToneDb, loudestToneDb, readWav } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';
import { RegisteredPhones } from './support/registered-phones.ts';

const skip = missingBrowser() || missing('baresip');
const audible = -35;
const inaudible = -55;

const names = { jssip: 'JsSIP', sipjs: 'SIP.js' } as const;
type Library = keyof typeof names;
const libraries = Object.keys(names) as readonly Library[];

const [echo, tone] = ['+12025550100', '+12025550109'];
const sandboxHz = 1000;

/** Packets of the two seconds that `BrowserPage.heard` returns. */
const twoSeconds = ({ received }: ConnectionReport) => received.packets > 110;

describe('calls of Chromium', { skip, timeout: 150_000 }, () => {
  const phones = new RegisteredPhones();
  const suite = browserSuite({ settings: webRtc, stop: () => phones.stop() });

  async function open(t: TestContext, options: PageOptions): Promise<BrowserPage> {
    const page = await suite.browser.open(options);
    t.after(() => page.close());
    return page;
  }

  type PhoneOptions = Partial<PageOptions> & { readonly url?: string };

  async function phone(
    t: TestContext,
    library: Library,
    name: string,
    options: PhoneOptions = {},
  ): Promise<BrowserPhone> {
    const started = await browserPhone(suite.browser, suite.platform, name, {
      program: `${library}-phone`,
      ...options,
    });
    t.after(() => started.page.close());
    return started;
  }

  const jssip = (t: TestContext, name: string, options?: PhoneOptions) => phone(t, 'jssip', name, options);

  /** Calls, and resolves when two seconds of audio are here. */
  async function talk({ page }: BrowserPhone, to: string): Promise<ConnectionReport> {
    await page.run('call', `sip:${to}@${phoneDomain}`);
    await page.reports.until('the answer', ({ type }) => type === 'confirmed');
    return page.until('two seconds of audio', twoSeconds);
  }

  /** Waits for two seconds more, so that `heard` has nothing of before. */
  async function twoSecondsMore(page: BrowserPage): Promise<ConnectionReport> {
    const before = (await page.connections()).at(-1)!.received.packets;
    return page.until('two more seconds of audio', ({ received }) => received.packets > before + 110);
  }

  async function hangUp({ page }: BrowserPhone): Promise<void> {
    await page.run('hangUp');
    await page.reports.until('the end', ({ type }) => type === 'ended');
  }

  const level = async (page: BrowserPage, hz: number) => heardToneDb(await page.heard(), hz, 0.2, 2);

  describe('side by side', { concurrency: 4 }, () => {
    it('two pages hear the tone of each other, and report what they sent', async (t) => {
      const [one, other] = [
        await open(t, { program: 'peer' }),
        await open(t, { program: 'peer', toneHz: 1000 }),
      ];
      const offer = await one.run<string>('offer');
      await one.run('accept', await other.run<string>('answer', offer));
      const { path, sent } = await one.until('audio of the other page', twoSeconds);
      assert.deepEqual([path.protocol, sent.codec], ['udp', 'audio/opus']);
      assert.ok(sent.packets > 0 && sent.bytes > 0);
      await other.until('audio of the page', twoSeconds);
      assert.ok((await level(one, 1000)) > audible);
      assert.ok((await level(one, microphoneHz)) < inaudible);
      assert.ok((await level(other, microphoneHz)) > audible);
    });

    it('a page calls a phone: each hears the tone of the other', async (t) => {
      const ann = await jssip(t, 'ann');
      const bob = await phones.start(suite.platform, 'bob', 700);
      const { path, srtp } = await talk(ann, bob.username);
      assert.deepEqual([path.protocol, srtp], ['udp', 'SRTP_AES128_CM_HMAC_SHA1_80']);
      assert.ok((await level(ann.page, 700)) > audible);
      await hangUp(ann);
      await bob.phone.closed();
      assert.ok(loudestToneDb(await readWav(await bob.phone.heard()), microphoneHz, 1) > audible);
    });

    for (const library of libraries) {
      it(`${names[library]}: a page that is called joins a multiparty call with baresip, and each hears the tone of the other`, async (t) => {
        const room = `called-${library}`;
        const ann = await phone(t, library, 'dora', { toneHz: 900 });
        const bob = await phones.start(suite.platform, 'emil', 700);
        await addToRoom(suite.platform, room, bob.username, { role: 'customer' });
        const [leg] = await addToRoom(suite.platform, room, ann.username);
        const { callUuid } = await ann.page.reports.until('the call', ({ type }) => type === 'incoming');
        assert.equal(callUuid, leg);
        await ann.page.run('answer');
        await joinedRoom(suite.platform, room, 2);
        await ann.page.until('two seconds of audio', twoSeconds);
        assert.ok((await level(ann.page, 700)) > audible);
        assert.equal((await suite.platform.api('DELETE', `MultiPartyCall/name_${room}/`)).status, 204);
        await ann.page.reports.until('the end', ({ type }) => type === 'ended');
        await bob.phone.closed();
        assert.ok(loudestToneDb(await readWav(await bob.phone.heard()), 900, 1) > audible);
      });
    }

    it('a page that declines a call ends it', async (t) => {
      const { page, username } = await jssip(t, 'fred');
      const [leg] = await addToRoom(suite.platform, 'rejected', username);
      await page.reports.until('the call', ({ type }) => type === 'incoming');
      await page.run('hangUp');
      const ended = await suite.platform.until('its end', `Call/${leg}/`, ({ end_time }) =>
        Boolean(end_time),
      );
      assert.equal(ended.hangup_cause_name, 'Destination Out Of Service');
    });

    for (const [library, method, name] of [
      ['jssip', 'RFC2833', 'RTP'],
      ['jssip', 'INFO', 'INFO'],
      ['sipjs', 'RFC2833', 'RTP'],
      ['sipjs', 'INFO', 'INFO'],
    ] as const) {
      it(`digits that a page with ${names[library]} sends by ${name} reach the document`, async (t) => {
        const ann = await phone(t, library, `dials${method}`);
        const path = `/pressed-${library}-${method}`;
        suite.server.serve(path, '<Response><Hangup/></Response>');
        const answer_url = suite.server.serve(
          `/ask-${library}-${method}`,
          `<Response><GetDigits action="http://127.0.0.1:${suite.server.port}${path}" numDigits="4" timeout="15"></GetDigits></Response>`,
        );
        const app = await suite.platform.api('POST', 'Application/', {
          app_name: `${library}${method}`,
          answer_url,
        });
        assert.equal(app.status, 201, JSON.stringify(app.body));
        const { status } = await suite.platform.api('POST', `Endpoint/${ann.endpointId}/`, {
          app_id: app.body.app_id,
        });
        assert.equal(status, 202);
        await ann.page.run('call', `sip:menu@${phoneDomain}`);
        await ann.page.reports.until('the answer', ({ type }) => type === 'confirmed');
        await ann.page.until('its connection', ({ state }) => state === 'connected');
        await ann.page.run('digits', '1597', method);
        const { fields } = await suite.server.asked(path);
        assert.equal(fields.get('Digits'), '1597');
        await ann.page.reports.until('the end', ({ type }) => type === 'ended');
      });
    }

    for (const library of libraries) {
      it(`${names[library]}: hold stops what the page hears until it resumes`, async (t) => {
        const ann = await phone(t, library, 'holds');
        await talk(ann, tone);
        assert.ok((await level(ann.page, sandboxHz)) > audible);
        await ann.page.run('hold');
        const before = (await ann.page.connections()).at(-1)!;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        const held = (await ann.page.connections()).at(-1)!;
        assert.ok(held.received.packets - before.received.packets < 10, 'the page receives nothing');
        await ann.page.run('resume');
        await twoSecondsMore(ann.page);
        assert.ok((await level(ann.page, sandboxHz)) > audible);
        await hangUp(ann);
      });

      it(`${names[library]}: a restart of ICE moves the call to another path without a gap`, async (t) => {
        const ann = await phone(t, library, 'restarts');
        const before = await talk(ann, tone);
        await ann.page.run('restartIce');
        const after = await ann.page.until(
          'another path',
          ({ path }) => path.localPort !== before.path.localPort,
        );
        assert.equal(after.state, 'connected');
        const { received } = await twoSecondsMore(ann.page);
        assert.ok(received.lost <= 10, `${received.lost} packets were lost`);
        assert.ok((await level(ann.page, sandboxHz)) > audible);
        await hangUp(ann);
      });
    }

    it('a page without UDP talks over TCP', async (t) => {
      const ann = await jssip(t, 'tcp', { isTcpOnly: true });
      const { path } = await talk(ann, echo);
      assert.equal(path.protocol, 'tcp');
      await twoSecondsMore(ann.page);
      assert.ok((await level(ann.page, microphoneHz)) > audible);
      await hangUp(ann);
    });

    it('a call outlives its WebSocket: its audio goes on, and the page ends it over the next one', async (t) => {
      const port = await CuttablePort.open(Number(new URL(suite.platform.httpUrl).port));
      t.after(() => port.close());
      const { page } = await jssip(t, 'cut', { url: `ws://127.0.0.1:${port.port}/sip` });
      await page.run('call', `sip:${tone}@${phoneDomain}`);
      await page.reports.until('the answer', ({ type }) => type === 'confirmed');
      const from = page.reports.all.length;
      port.cut();
      await page.reports.until('the loss', ({ type }) => type === 'disconnected', { from });
      await page.reports.until('the registration', ({ type }) => type === 'registered', { from });
      await twoSecondsMore(page);
      assert.ok((await level(page, sandboxHz)) > audible);
      await page.run('hangUp');
      await page.reports.until('the end', ({ type }) => type === 'ended');
    });

    for (const library of libraries) {
      for (const side of ['called', 'calling'] as const) {
        it(`${names[library]}: a page that was ${side} and lost its WebSocket learns over the next one of the end of the call`, async (t) => {
          const port = await CuttablePort.open(Number(new URL(suite.platform.httpUrl).port));
          t.after(() => port.close());
          const name = `${library}${side}`;
          const { page, endpointId } = await phone(t, library, name, {
            url: `ws://127.0.0.1:${port.port}/sip`,
          });
          if (side === 'called') {
            await addToRoom(
              suite.platform,
              name,
              (await suite.platform.api('GET', `Endpoint/${endpointId}/`)).body.username,
            );
            await page.reports.until('the call', ({ type }) => type === 'incoming');
            await page.run('answer');
            await joinedRoom(suite.platform, name, 1);
          } else {
            const answer_url = suite.server.serve(
              `/wait-${name}`,
              '<Response><Speak>One moment.</Speak><Wait length="4"/></Response>',
            );
            const { body } = await suite.platform.api('POST', 'Application/', { app_name: name, answer_url });
            await suite.platform.api('POST', `Endpoint/${endpointId}/`, { app_id: body.app_id });
            await page.run('call', `sip:menu@${phoneDomain}`);
          }
          await page.reports.until('the answer', ({ type }) => type === 'confirmed');
          await page.until('its connection', ({ state }) => state === 'connected');
          const from = page.reports.all.length;
          port.cut();
          await page.reports.until('the loss', ({ type }) => type === 'disconnected', { from });
          await page.reports.until('the registration', ({ type }) => type === 'registered', { from });
          if (side === 'called') await suite.platform.api('DELETE', `MultiPartyCall/name_${name}/`);
          const { originator } = await page.reports.until('the end', ({ type }) => type === 'ended', {
            from,
          });
          assert.equal(originator, library === 'jssip' ? 'remote' : undefined);
        });
      }
    }
  });

  it('the agent of three pages alone hears the supervisor who coaches', async (t) => {
    const tones = { agent: 600, customer: 940, supervisor: 1480 } as const;
    const roles = Object.keys(tones) as readonly (keyof typeof tones)[];
    const three = await Promise.all(
      roles.map(async (role) => {
        const phone = await jssip(t, role, { toneHz: tones[role] });
        await addToRoom(suite.platform, 'coach', phone.username, {
          role,
          ...(role === 'supervisor' ? { coach_mode: true } : {}),
        });
        await phone.page.reports.until('the call', ({ type }) => type === 'incoming');
        await phone.page.run('answer');
        return phone;
      }),
    );
    await joinedRoom(suite.platform, 'coach', 3);
    const heard = await Promise.all(
      three.map(async ({ page }) => {
        await twoSecondsMore(page);
        const sound = await page.heard();
        return roles.filter((role) => heardToneDb(sound, tones[role], 0.2, 2) > audible);
      }),
    );
    assert.deepEqual(heard, [['customer', 'supervisor'], ['agent'], ['agent', 'customer']]);
    await suite.platform.api('DELETE', 'MultiPartyCall/name_coach/');
    await Promise.all(three.map(({ page }) => page.reports.until('the end', ({ type }) => type === 'ended')));
  });

  it('twenty phones in browsers call at once, and each hears its own tone from the echo', async (t) => {
    const page = await open(t, { program: 'jssip-phone' });
    const url = webSocketUrl(suite.platform);
    const count = 20;
    for (let index = 0; index < count; index++) {
      const { username } = await suite.platform.createEndpoint(`crowd${index}`, 'of-the-crowd');
      await page.run('start', { url, username, password: 'of-the-crowd', domain: phoneDomain });
    }
    const all = (type: string) =>
      Promise.all(
        Array.from({ length: count }, (_, phone) =>
          page.reports.until(
            `${type} of ${phone}`,
            (report) => report.type === type && report.phone === phone,
          ),
        ),
      );
    await all('registered');
    await Promise.all(
      Array.from({ length: count }, (_, phone) => page.run('call', `sip:${echo}@${phoneDomain}`, [], phone)),
    );
    await all('confirmed');
    const limit = Date.now() + 40_000;
    let connections = await page.connections();
    while (!connections.every((each) => each.received.packets > 160)) {
      assert.ok(Date.now() < limit, JSON.stringify(connections));
      connections = await page.connections();
    }
    // Each look takes two new seconds: twenty pages of sound leave a busy machine moments of silence.
    const hears = async (phone: number) =>
      loudestToneDb(await page.heard(phone), microphoneHz, 0.5) > audible;
    for (let phone = 0; phone < count; phone++)
      while (!(await hears(phone))) {
        assert.ok(Date.now() < limit, `phone ${phone} hears`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    await Promise.all(Array.from({ length: count }, (_, phone) => page.run('hangUp', phone)));
    await all('ended');
  });
});
