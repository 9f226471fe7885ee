import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { missingBrowser } from './support/browser/browser.ts';
import type { BrowserPage } from './support/browser/browser-page.ts';
import { browserPhone, CuttablePort, phoneDomain } from './support/browser/browser-phones.ts';
import { browserSuite } from './support/browser/browser-suite.ts';
import { joinedRoom } from './support/multiparty-rooms.ts';
import { enterOwnNetwork } from './support/own-network.ts';
import { freePort } from './support/ports.ts';

const tones = { ann: 600, ben: 1480 } as const;
/** A phone of the sandbox that plays a tone. */
const [tone, sandboxHz] = ['+12025550109', 1000] as const;

/** Connections from here are those of another network, in which the platform has an IPv6 address. */
const otherNetwork = '127.0.0.2';
/** Chromium has no candidate on ::1, so the file brings an address that is none of the machine's. */
const network = enterOwnNetwork();
const ipv6 = 'ipv6' in network ? network.ipv6 : undefined;

describe('Chromium and two media workers', { skip: missingBrowser(), timeout: 300_000 }, () => {
  let port = 0;
  const suite = browserSuite({
    async settings() {
      port = await freePort();
      return {
        JACKFIELD_MEDIA_WORKERS: '2',
        JACKFIELD_WEBRTC_PORT: String(port),
        // The pages find it again after a restart.
        JACKFIELD_HTTP_PORT: String(await freePort()),
        ...(ipv6 === undefined
          ? {}
          : { JACKFIELD_SIP_HOST: '::', JACKFIELD_PUBLIC_ADDRESS: `127.0.0.1,${ipv6}@${otherNetwork}/32` }),
      };
    },
  });
  /** A page that talks to a document, and its call. */
  async function waiting(name: string): Promise<{ readonly page: BrowserPage; readonly uuid: string }> {
    const { browser, platform, server } = suite;
    const { page, endpointId } = await browserPhone(browser, platform, name, { program: 'jssip-phone' });
    const path = `/wait-${name}`;
    const app = await platform.api('POST', 'Application/', {
      app_name: name,
      answer_url: server.serve(path, '<Response><Speak>One moment.</Speak><Wait length="110"/></Response>'),
      hangup_url: server.serve('/over', ''),
    });
    await platform.api('POST', `Endpoint/${endpointId}/`, { app_id: app.body.app_id });
    await page.run('call', `sip:queue@${phoneDomain}`);
    await page.reports.until('the answer', ({ type }) => type === 'confirmed');
    await page.until('its audio', ({ received }) => received.packets > 20);
    const { fields } = await server.asked(path);
    return { page, uuid: fields.get('CallUUID') ?? assert.fail(`${path} was asked without a CallUUID`) };
  }

  /** A page that calls into the room; its leg is open before the room is known. */
  async function caller(t: TestContext, name: keyof typeof tones, app: string): Promise<BrowserPage> {
    const program = 'jssip-phone';
    const { page, endpointId } = await browserPhone(suite.browser, suite.platform, name, {
      program,
      toneHz: tones[name],
    });
    t.after(() => page.close());
    assert.equal((await suite.platform.api('POST', `Endpoint/${endpointId}/`, { app_id: app })).status, 202);
    await page.run('call', `sip:queue@${phoneDomain}`);
    await page.reports.until('the answer', ({ type }) => type === 'confirmed');
    await page.until('its connection', ({ state }) => state === 'connected');
    return page;
  }

  /** Each page hears the tone of the other from now on, and not its own. */
  async function hearEachOther(ann: BrowserPage, ben: BrowserPage): Promise<void> {
    await Promise.all([ann.twoSecondsMore(), ben.twoSecondsMore()]);
    await Promise.all([ann.untilHeard(tones.ben), ben.untilHeard(tones.ann)]);
    await Promise.all([ann.untilSilent(tones.ann), ben.untilSilent(tones.ben)]);
  }

  it('pages at the ports of both workers hear each other in one room, and after a restart of ICE', async (t) => {
    const answer_url = suite.server.serve(
      '/queue',
      '<Response><Wait length="1"/><MultiPartyCall role="Agent" startMpcOnEnter="true" stayAlone="true" enterSound="none" exitSound="none">two-workers</MultiPartyCall></Response>',
    );
    const app = await suite.platform.api('POST', 'Application/', { app_name: 'queue', answer_url });
    assert.equal(app.status, 201, JSON.stringify(app.body));
    const pages = [await caller(t, 'ann', app.body.app_id), await caller(t, 'ben', app.body.app_id)] as const;
    await joinedRoom(suite.platform, 'two-workers', 2);
    const paths = await Promise.all(pages.map(async (page) => (await page.connections()).at(-1)!.path));
    assert.deepEqual(paths.map(({ remotePort }) => remotePort).sort(), [port, port + 1]);
    await hearEachOther(...pages);
    for (const page of pages) await page.run('restartIce');
    await hearEachOther(...pages);
    for (const page of pages) {
      await page.run('hangUp');
      await page.reports.until('the end', ({ type }) => type === 'ended');
    }
  });

  it('a page whose way to the platform is IPv6 talks over it', {
    skip: 'reason' in network ? network.reason : false,
  }, async (t) => {
    const way = await CuttablePort.openFor(t, suite.platform);
    way.from = otherNetwork;
    const { page } = await browserPhone(suite.browser, suite.platform, 'six', {
      program: 'jssip-phone',
      url: way.url,
    });
    t.after(() => page.close());
    await page.run('call', `sip:${tone}@${phoneDomain}`);
    await page.reports.until('the answer', ({ type }) => type === 'confirmed');
    const { path } = await page.until('two seconds of audio', ({ received }) => received.packets > 110);
    assert.equal(path.remoteAddress.replaceAll(/[[\]]/g, ''), ipv6);
    await page.untilHeard(sandboxHz);
    await page.run('hangUp');
    await page.reports.until('the end', ({ type }) => type === 'ended');
  });

  it('the calls of pages that crash end 60 s after their last packet or check, on hold as well, and nothing is left', async () => {
    const phones = [await waiting('talks'), await waiting('holds')] as const;
    await phones[1].page.run('hold');
    await Promise.all(phones.map(({ page }) => page.crash()));
    for (const { uuid } of phones) {
      const { fields } = await suite.server.received.until(
        `the end of ${uuid}`,
        ({ target, fields }) => target === '/over' && fields.get('CallUUID') === uuid,
        { limitMs: 90_000 },
      );
      assert.equal(fields.get('HangupCauseCode'), '6020');
    }
    await suite.platform.untilQuiet();
    for (const { page } of phones) await page.close();
  });

  it('kill -9 in the middle of a call: the record has its end, and the page registers again, hangs up and calls again', async (t) => {
    const { page, username } = await browserPhone(suite.browser, suite.platform, 'killed', {
      program: 'jssip-phone',
    });
    t.after(() => page.close());
    const hearsAfter = async (from: number) => {
      await page.run('call', `sip:${tone}@${phoneDomain}`);
      await page.reports.until('the answer', ({ type }) => type === 'confirmed', { from });
      await page.until('its connection', ({ state }) => state === 'connected');
      await page.untilHeard(sandboxHz);
    };
    await hearsAfter(0);
    const from = page.reports.all.length;
    await suite.platform.kill();
    await page.reports.until('the loss', ({ type }) => type === 'disconnected', { from });
    await suite.platform.startAgain();
    const { objects } = (await suite.platform.api('GET', 'Call/')).body;
    const records = objects.filter(
      ({ from_number }: { readonly from_number: string }) => from_number === username,
    );
    assert.equal(records.length, 2, 'the page and the phone that it called');
    for (const record of records) {
      assert.deepEqual([record.hangup_cause_code, record.hangup_source], [5010, 'Error']);
      assert.notEqual(record.end_time, null);
    }
    await page.reports.until('the registration', ({ type }) => type === 'registered', { from });
    // The process that knew the call is gone: the page itself ends it, and 481 to its BYE is an end as well.
    await page.run('hangUp');
    await page.reports.until('the end', ({ type }) => type === 'ended', { from });
    await hearsAfter(page.reports.all.length);
    const last = page.reports.all.length;
    await page.run('hangUp');
    await page.reports.until('the end', ({ type }) => type === 'ended', { from: last });
  });
});
