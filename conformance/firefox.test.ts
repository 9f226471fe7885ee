import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { type BrowserPhone, browserPhone, CuttablePort } from './support/browser/browser-phones.ts';
import { webRtc } from './support/browser/browser-suite.ts';
import { Firefox, type FirefoxPage, missingFirefox } from './support/browser/firefox.ts';
import { cleanUp } from './support/clean-up.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';
import { PlatformProcess } from './support/platform-process.ts';

const [echo, tone] = ['+12025550100', '+12025550109'];
const sandboxHz = 1000;

describe('the voice SDK in Firefox', { skip: missingFirefox(), timeout: 300_000 }, () => {
  let firefox: Firefox;
  let platform: PlatformProcess;

  before(async () => {
    platform = await PlatformProcess.start(await webRtc());
    firefox = await Firefox.start();
  });

  after(() =>
    cleanUp(
      () => firefox?.stop(),
      () => platform?.untilQuiet(),
      () => platform?.stop(),
    ),
  );

  type Options = Parameters<Firefox['open']>[0] & { readonly url?: string };

  async function phone(
    t: TestContext,
    name: string,
    options: Omit<Options, 'program'>,
  ): Promise<BrowserPhone<FirefoxPage>> {
    const started = await browserPhone(firefox, platform, name, { program: 'voice-phone', ...options });
    t.after(() => started.page.close());
    return started;
  }

  async function talk(page: FirefoxPage, to: string): Promise<void> {
    await page.run('dial', to);
    await page.reports.until('the answer', ({ type }) => type === 'accepted');
    await page.twoSecondsMore();
  }

  async function hangUp(page: FirefoxPage): Promise<void> {
    await page.run('hangUp');
    await page.reports.until('the end', ({ type }) => type === 'ended');
  }

  it('registers by password, and its tone comes back from the echo until it is muted', async (t) => {
    const { page } = await phone(t, 'foxann', { toneHz: 440 });
    await talk(page, echo);
    await page.untilHeard(440);
    const { received, path } = (await page.connections()).at(-1)!;
    assert.deepEqual([received.codec, path.protocol], ['audio/opus', 'udp']);
    await page.run('mute', true);
    await page.twoSecondsMore();
    await page.untilSilent(440);
    await hangUp(page);
  });

  it('is called into a multiparty call, where both sides hear the tone of the other', async (t) => {
    const [one, other] = [
      await phone(t, 'foxone', { toneHz: 440 }),
      await phone(t, 'foxother', { toneHz: 680 }),
    ];
    const room = 'foxes';
    for (const { page, username } of [one, other]) {
      const [leg] = await addToRoom(platform, room, username);
      const { callUuid } = await page.reports.until('the call', ({ type }) => type === 'incoming');
      assert.equal(callUuid, leg);
      await page.run('answer');
    }
    await addToRoom(platform, room, tone);
    await joinedRoom(platform, room, 3);
    for (const { page } of [one, other]) {
      await page.until('its connection', ({ state }) => state === 'connected');
      await page.twoSecondsMore();
      await page.untilHeard(sandboxHz);
    }
    await one.page.untilHeard(680);
    await other.page.untilHeard(440);
    // The stretching of late sound spreads each tone, so the own one is compared with the other's.
    const [own, others] = [await one.page.level(440), await one.page.level(680)];
    assert.ok(own < others - 15, `the page hears itself: ${own} dB beside ${others} dB`);
    await Promise.all([hangUp(one.page), hangUp(other.page)]);
    await platform.api('DELETE', `MultiPartyCall/name_${room}/`);
  });

  it('holds, resumes and sends digits', async (t) => {
    const { page } = await phone(t, 'foxholds', { toneHz: 440 });
    await talk(page, tone);
    await page.untilHeard(sandboxHz);
    await page.run('hold', true);
    await page.reports.until('hold', (each) => each.type === 'held' && each.isHeld === true);
    await page.run('hold', false);
    await page.reports.until('the resumption', (each) => each.type === 'held' && each.isHeld === false);
    await page.twoSecondsMore();
    await page.untilHeard(sandboxHz);
    await page.run('digits', '159');
    await page.reports.until('the last digit', (each) => each.type === 'digit' && each.digit === '9');
    await hangUp(page);
  });

  it('a call outlives its WebSocket: it restarts ICE over the next one', async (t) => {
    const port = await CuttablePort.openFor(t, platform);
    const { page } = await phone(t, 'foxcut', { toneHz: 440, url: port.url });
    await talk(page, echo);
    port.cut();
    await page.reports.until('the loss', ({ type }) => type === 'call-reconnecting');
    await page.reports.until('the next socket', ({ type }) => type === 'call-reconnected');
    await page.twoSecondsMore();
    await page.untilHeard(440);
    await hangUp(page);
  });

  it('calls over TCP where it knows no candidate over UDP', async (t) => {
    const { page } = await phone(t, 'foxtcp', { toneHz: 440, isTcpOnly: true });
    await talk(page, echo);
    assert.equal((await page.connections()).at(-1)!.path.protocol, 'tcp');
    await page.untilHeard(440);
    await hangUp(page);
  });
});
