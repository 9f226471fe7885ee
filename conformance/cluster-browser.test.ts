import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { natsMissing } from '@jackfield/testkit/nats-server';
import { postgresMissing } from '@jackfield/testkit/postgres-server';
import { Browser, missingBrowser } from './support/browser/browser.ts';
import { browserPhone, CuttablePort } from './support/browser/browser-phones.ts';
import { webRtc } from './support/browser/browser-suite.ts';
import { cleanUp } from './support/clean-up.ts';
import { Cluster } from './support/cluster.ts';
import type { PlatformProcess } from './support/platform-process.ts';

const skip = postgresMissing() ?? natsMissing() ?? missingBrowser();

const names = { jssip: 'JsSIP', sipjs: 'SIP.js' } as const;

/** Real processes and a real browser: a page can be called through its WebSocket alone, which only the other node has. */
describe('a page that is connected to one node and talks at the other', { skip, timeout: 240_000 }, () => {
  let cluster: Cluster;
  let one: PlatformProcess;
  let two: PlatformProcess;
  let port: CuttablePort;
  let browser: Browser;

  before(async () => {
    cluster = await Cluster.start();
    const join = async (name: string) => cluster.join(name, await webRtc());
    [one, two] = await Promise.all([join('one'), join('two')]);
    port = await CuttablePort.open(two);
    browser = await Browser.start();
  });
  after(() =>
    cleanUp(
      () => browser?.stop(),
      () => port?.close(),
      () => cluster?.stop(),
    ),
  );

  /** A page whose WebSocket is at node two, in a call of node one. */
  async function talk(library: keyof typeof names, name: string) {
    const { page, username } = await browserPhone(browser, two, name, {
      program: `${library}-phone`,
      url: port.url,
    });
    const answer = async () => {
      await page.reports.until('the call', ({ type }) => type === 'incoming');
      await page.run('answer');
      await page.until('its connection', ({ state }) => state === 'connected');
    };
    const [call] = await Promise.all([cluster.callAt(one, { to: username }), answer()]);
    const end = async () => assert.equal((await one.api('DELETE', `Call/${call}/`)).status, 204);
    return { page, end };
  }

  for (const library of ['jssip', 'sipjs'] as const)
    for (const when of ['while it is away', 'when it is back'] as const)
      it(`${names[library]}: its WebSocket is lost, and it learns over the next one of the end of the call, ${when}`, async (t) => {
        const { page, end } = await talk(library, `${library}${when.split(' ')[0]}`);
        t.after(() => page.close());
        const from = page.reports.all.length;
        port.cut();
        await page.reports.until('the loss', ({ type }) => type === 'disconnected', { from });
        if (when === 'while it is away') await end();
        await page.reports.until('the registration', ({ type }) => type === 'registered', { from });
        if (when === 'when it is back') await end();
        await page.reports.until('the end', ({ type }) => type === 'ended', { from });
        await Promise.all([one.untilQuiet(), two.untilQuiet()]);
      });
});
