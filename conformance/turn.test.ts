import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Browser, missingBrowser } from './support/browser/browser.ts';
import { phoneDomain, webSocketUrl } from './support/browser/browser-phones.ts';
import { cleanUp } from './support/clean-up.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { TurnServer } from './support/turn-server.ts';

const secret = 'a-long-secret-of-both-servers';
const tone = '+12025550109';
const sandboxHz = 1000;

interface IceServer {
  readonly urls: readonly string[];
  readonly username: string;
  readonly credential: string;
}

describe('a TURN server between a page and the platform', {
  skip: missingBrowser() || missing('turnserver'),
  timeout: 300_000,
}, () => {
  let browser: Browser;
  let platform: PlatformProcess;
  let turn: TurnServer;

  before(async () => {
    turn = await TurnServer.start(secret);
    browser = await Browser.start();
    platform = await PlatformProcess.start({
      JACKFIELD_WEBRTC_PORT: String(await freePort()),
      JACKFIELD_TURN_URLS: `${turn.url('udp')},${turn.url('tcp')}`,
      JACKFIELD_TURN_SECRET: secret,
    });
  });

  after(() =>
    cleanUp(
      () => browser?.stop(),
      () => platform?.untilQuiet(),
      () => platform?.stop(),
      () => turn?.stop(),
    ),
  );

  /** The list of the API, with the URL of one transport alone. */
  async function served(transport: 'udp' | 'tcp'): Promise<IceServer> {
    const { status, body } = await platform.api('GET', 'IceServers/');
    assert.equal(status, 200);
    const [server] = body.ice_servers as readonly IceServer[];
    return { ...server!, urls: server!.urls.filter((url) => url.endsWith(`=${transport}`)) };
  }

  it('coturn accepts the credentials of IceServers/, and neither such as have ended nor those of another secret', async (t) => {
    const page = await browser.open({ program: 'peer' });
    t.after(() => page.close());
    const relays = async (server: IceServer) => [
      ...new Set(await page.run<readonly string[]>('relaysOf', [server])),
    ];
    const valid = await served('udp');
    assert.deepEqual(await relays(valid), ['relay']);
    const signed = (username: string, key: string): IceServer => {
      const credential = createHmac('sha1', key).update(username).digest('base64');
      return { ...valid, username, credential };
    };
    const now = Math.floor(Date.now() / 1000);
    assert.deepEqual(await relays(signed(`${now + 60}:anyone`, secret)), ['relay']);
    assert.deepEqual(await relays(signed(`${now - 60}:anyone`, secret)), [], 'they have ended');
    assert.deepEqual(await relays(signed(valid.username, 'another-secret-of-nobody')), []);
  });

  for (const transport of ['udp', 'tcp'] as const) {
    it(`a page that may use the TURN server alone hears a tone through it over ${transport}`, async (t) => {
      const name = `relayed${transport}`;
      const password = `secret-of-${name}`;
      const { username } = await platform.createEndpoint(name, password);
      const page = await browser.open({ program: 'voice-phone', isRelayOnly: true });
      t.after(() => page.close());
      const iceServers = [await served(transport)];
      const url = webSocketUrl(platform);
      await page.run('start', { url, domain: phoneDomain, username, password, iceServers });
      await page.reports.until('the registration', ({ type }) => type === 'registered');
      await page.run('dial', tone);
      await page.reports.until('the answer', ({ type }) => type === 'accepted');
      const { path } = await page.until('two seconds of audio', ({ received }) => received.packets > 110);
      assert.deepEqual([path.kind, path.protocol], ['relay', transport]);
      // Packets may come through TCP in bursts, long after each other: the browser then plays silence for a while.
      await page.untilHeard(sandboxHz);
      await page.run('hangUp');
      await page.reports.until('the end', ({ type }) => type === 'ended');
    });
  }
});
