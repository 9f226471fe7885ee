import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { missingBrowser } from './support/browser/browser.ts';
import type { BrowserPage } from './support/browser/browser-page.ts';
import { browserPhone, phoneDomain } from './support/browser/browser-phones.ts';
import { browserSuite } from './support/browser/browser-suite.ts';
import { heardToneDb } from './support/heard.ts';
import { joinedRoom } from './support/multiparty-rooms.ts';
import { freePort } from './support/ports.ts';

const tones = { ann: 600, ben: 1480 } as const;
const audible = -35;

describe('Chromium and two media workers', { skip: missingBrowser(), timeout: 120_000 }, () => {
  let port = 0;
  const suite = browserSuite({
    async settings() {
      port = await freePort();
      return { JACKFIELD_MEDIA_WORKERS: '2', JACKFIELD_WEBRTC_PORT: String(port) };
    },
  });

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

  async function heardBy(page: BrowserPage): Promise<readonly string[]> {
    const before = (await page.connections()).at(-1)!.received.packets;
    await page.until('two more seconds of audio', ({ received }) => received.packets > before + 110);
    const sound = await page.heard();
    return Object.entries(tones).flatMap(([name, hz]) =>
      heardToneDb(sound, hz, 0.2, 2) > audible ? name : [],
    );
  }

  it('pages at the ports of both workers hear each other in one room, and after a restart of ICE', async (t) => {
    const answer_url = suite.server.serve(
      '/queue',
      '<Response><Wait length="1"/><MultiPartyCall role="Agent" startMpcOnEnter="true" stayAlone="true" enterSound="none" exitSound="none">two-workers</MultiPartyCall></Response>',
    );
    const app = await suite.platform.api('POST', 'Application/', { app_name: 'queue', answer_url });
    assert.equal(app.status, 201, JSON.stringify(app.body));
    const pages = [await caller(t, 'ann', app.body.app_id), await caller(t, 'ben', app.body.app_id)];
    await joinedRoom(suite.platform, 'two-workers', 2);
    const paths = await Promise.all(pages.map(async (page) => (await page.connections()).at(-1)!.path));
    assert.deepEqual(paths.map(({ remotePort }) => remotePort).sort(), [port, port + 1]);
    assert.deepEqual(await Promise.all(pages.map(heardBy)), [['ben'], ['ann']]);
    for (const page of pages) await page.run('restartIce');
    assert.deepEqual(await Promise.all(pages.map(heardBy)), [['ben'], ['ann']]);
    for (const page of pages) {
      await page.run('hangUp');
      await page.reports.until('the end', ({ type }) => type === 'ended');
    }
  });
});
