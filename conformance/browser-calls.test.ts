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
import { loudestToneDb, readWav } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';
import { patienceMs } from './support/patience.ts';
import { RegisteredPhones } from './support/registered-phones.ts';

const skip = missingBrowser() || missing('baresip');
const audible = -35;

const names = { jssip: 'JsSIP', sipjs: 'SIP.js' } as const;
type Library = keyof typeof names;
const libraries = Object.keys(names) as readonly Library[];

const [echo, tone] = ['+12025550100', '+12025550109'];
const sandboxHz = 1000;

/** Whether the messages of a call have the ACK of its 200: that of a challenge goes to the number. */
const isAcknowledged = ({ objects }: { readonly objects: readonly { readonly start_line: string }[] }) =>
  objects.some(({ start_line }) => start_line.startsWith('ACK sip:127.0.0.1'));

/** Packets of the two seconds that `BrowserPage.heard` returns. */
const twoSeconds = ({ received }: ConnectionReport) => received.packets > 110;

describe('calls of Chromium', { skip, timeout: 300_000 }, () => {
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

  async function hangUp({ page }: BrowserPhone): Promise<void> {
    await page.run('hangUp');
    await page.reports.until('the end', ({ type }) => type === 'ended');
  }

  /** Calls a document that answers after a second and waits, and resolves with the call; `asked` runs before the answer. */
  async function wait({ page, endpointId }: BrowserPhone, name: string, asked = () => {}): Promise<string> {
    const answer_url = suite.server.serve(
      `/wait-${name}`,
      '<Response><PreAnswer><Wait length="1"/></PreAnswer><Speak>One moment.</Speak><Wait length="60"/></Response>',
    );
    const { body } = await suite.platform.api('POST', 'Application/', { app_name: name, answer_url });
    await suite.platform.api('POST', `Endpoint/${endpointId}/`, { app_id: body.app_id });
    await page.run('call', `sip:menu@${phoneDomain}`);
    const { fields } = await suite.server.asked(`/wait-${name}`);
    asked();
    return fields.get('CallUUID') ?? assert.fail('a document is asked for a call');
  }

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
      await one.untilHeard(1000);
      await one.untilSilent(microphoneHz);
      await other.untilHeard(microphoneHz);
    });

    it('a page calls a phone: each hears the tone of the other', async (t) => {
      const ann = await jssip(t, 'ann');
      const bob = await phones.start(suite.platform, 'bob', 700);
      const { path, srtp } = await talk(ann, bob.username);
      assert.deepEqual([path.protocol, srtp], ['udp', 'SRTP_AES128_CM_HMAC_SHA1_80']);
      await ann.page.untilHeard(700);
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
        await ann.page.untilHeard(700);
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
          `<Response><GetDigits action="http://127.0.0.1:${suite.server.port}${path}" numDigits="4" timeout="15" digitTimeout="10"></GetDigits></Response>`,
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
        await ann.page.untilHeard(sandboxHz);
        await ann.page.run('hold');
        const before = (await ann.page.connections()).at(-1)!;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        const held = (await ann.page.connections()).at(-1)!;
        assert.ok(held.received.packets - before.received.packets < 10, 'the page receives nothing');
        await ann.page.run('resume');
        await ann.page.twoSecondsMore();
        await ann.page.untilHeard(sandboxHz);
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
        const { received } = await ann.page.twoSecondsMore();
        assert.ok(received.lost <= 10, `${received.lost} packets were lost`);
        await ann.page.untilHeard(sandboxHz);
        await hangUp(ann);
      });
    }

    it('a page without UDP talks over TCP', async (t) => {
      const ann = await jssip(t, 'tcp', { isTcpOnly: true });
      const { path } = await talk(ann, echo);
      assert.equal(path.protocol, 'tcp');
      await ann.page.twoSecondsMore();
      await ann.page.untilHeard(microphoneHz);
      await hangUp(ann);
    });

    it('a call outlives its WebSocket: its audio goes on, and the page ends it over the next one', async (t) => {
      const port = await CuttablePort.openFor(t, suite.platform);
      const { page } = await jssip(t, 'cut', { url: port.url });
      await page.run('call', `sip:${tone}@${phoneDomain}`);
      await page.reports.until('the answer', ({ type }) => type === 'confirmed');
      const from = page.reports.all.length;
      port.cut();
      await page.reports.until('the loss', ({ type }) => type === 'disconnected', { from });
      await page.reports.until('the registration', ({ type }) => type === 'registered', { from });
      await page.twoSecondsMore();
      await page.untilHeard(sandboxHz);
      await page.run('hangUp');
      await page.reports.until('the end', ({ type }) => type === 'ended');
    });

    for (const library of libraries) {
      for (const side of ['called', 'calling'] as const) {
        it(`${names[library]}: a page that was ${side} and lost its WebSocket learns over the next one of the end of the call`, async (t) => {
          const port = await CuttablePort.openFor(t, suite.platform);
          const name = `${library}${side}`;
          const ann = await phone(t, library, name, { url: port.url });
          const { page } = ann;
          let call = `MultiPartyCall/name_${name}/`;
          if (side === 'called') {
            await addToRoom(suite.platform, name, ann.username);
            await page.reports.until('the call', ({ type }) => type === 'incoming');
            await page.run('answer');
            await joinedRoom(suite.platform, name, 1);
          } else {
            const uuid = await wait(ann, name);
            // JsSIP does not repeat an ACK that its WebSocket took along.
            await suite.platform.until('its ACK', `Call/${uuid}/Signalling/`, isAcknowledged);
            call = `Call/${uuid}/`;
          }
          await page.reports.until('the answer', ({ type }) => type === 'confirmed');
          await page.until('its connection', ({ state }) => state === 'connected');
          const from = page.reports.all.length;
          port.cut();
          await page.reports.until('the loss', ({ type }) => type === 'disconnected', { from });
          // The platform may not know of the loss yet.
          assert.equal((await suite.platform.api('DELETE', call)).status, 204);
          await page.reports.until('the registration', ({ type }) => type === 'registered', { from });
          const { originator } = await page.reports.until('the end', ({ type }) => type === 'ended', {
            from,
          });
          assert.equal(originator, library === 'jssip' ? 'remote' : undefined);
        });
      }
    }

    it('a page whose ACK is lost with its WebSocket gets the answer again over the next one, and its call goes on', async (t) => {
      const port = await CuttablePort.openFor(t, suite.platform);
      const ann = await phone(t, 'sipjs', 'lostack', { url: port.url });
      const { page } = ann;
      const uuid = await wait(ann, 'lostack', () => {
        port.isDeaf = true;
      });
      await page.reports.until('the answer', ({ type }) => type === 'confirmed');
      const from = page.reports.all.length;
      port.cut();
      await page.reports.until('the registration', ({ type }) => type === 'registered', { from });
      await suite.platform.until('its ACK', `Call/${uuid}/Signalling/`, isAcknowledged);
      await page.twoSecondsMore();
      await hangUp(ann);
    });
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
    const [agent, customer, supervisor] = three.map(({ page }) => page);
    await agent!.untilHeard(tones.customer, tones.supervisor);
    await agent!.untilSilent(tones.agent);
    await customer!.untilHeard(tones.agent);
    await customer!.untilSilent(tones.customer, tones.supervisor);
    await supervisor!.untilHeard(tones.agent, tones.customer);
    await supervisor!.untilSilent(tones.supervisor);
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
    const limit = Date.now() + patienceMs;
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
