import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { microphoneHz, missingBrowser } from './support/browser/browser.ts';
import type { BrowserPage } from './support/browser/browser-page.ts';
import { browserPhone } from './support/browser/browser-phones.ts';
import { webRtc } from './support/browser/browser-suite.ts';
import type { ConsolePage } from './support/browser/console-page.ts';
import { consoleSuite } from './support/browser/console-suite.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';
import { toneFile } from './support/tone-file.ts';

const [talker, tone] = ['+12025550101', '+12025550109'];
const sandboxHz = 1000;
const playedHz = 700;

describe('live calls in the console', { skip: missingBrowser(), timeout: 300_000 }, () => {
  const suite = consoleSuite({ settings: webRtc });

  /** A customer whose audio the test hears, and a phone that plays a tone as a supervisor. */
  async function supervisedRoom(
    t: TestContext,
    name: string,
    agent = talker,
  ): Promise<{ customer: BrowserPage; uuid: string }> {
    const { page, username } = await browserPhone(suite.browser, suite.platform, name, {
      program: 'voice-phone',
    });
    t.after(() => page.close());
    await addToRoom(suite.platform, name, agent);
    await addToRoom(suite.platform, name, username, { role: 'customer' });
    await page.reports.until('the call', ({ type }) => type === 'incoming');
    await page.run('answer');
    await addToRoom(suite.platform, name, tone, { role: 'supervisor', coach_mode: false });
    await joinedRoom(suite.platform, name, 3);
    const { body } = await suite.platform.api('GET', `MultiPartyCall/name_${name}/`);
    return { customer: page, uuid: body.mpc_uuid };
  }

  async function end(name: string): Promise<void> {
    await suite.platform.api('DELETE', `MultiPartyCall/name_${name}/`);
  }

  it('the coach button in the matrix takes the supervisor out of what the customer hears', async (t) => {
    const { customer, uuid } = await supervisedRoom(t, 'coached');
    await customer.untilHeard(sandboxHz);
    const console = await suite.open(t, `/multiparty/${uuid}`);
    const cell = console.button(/customer \d+ hears supervisor \d+/);
    await cell.click();
    const coach = console.button('Coach');
    assert.equal(await coach.getAttribute('aria-pressed'), 'false');
    await coach.click();
    await console.page.locator('button[aria-pressed="true"]', { hasText: 'Coach' }).waitFor();
    await console.assertAccessible();
    await console.page.keyboard.press('Escape');
    await console
      .button(/customer \d+ does not hear supervisor \d+: a coach is heard by agents alone/)
      .waitFor();
    await customer.untilSilent(sandboxHz);
    await console.page.getByText(/Agents alone have heard the coach/).waitFor();
    await console.assertSound();
    await end('coached');
    await console.page.getByText('Ended', { exact: true }).waitFor();
  });

  it('mute, hold and removal act on the person that was chosen', async (t) => {
    const { customer, uuid } = await supervisedRoom(t, 'muted');
    const console = await suite.open(t, `/multiparty/${uuid}`);
    const supervisor = console.page.getByRole('rowheader').getByRole('button', { name: /supervisor/ });
    await supervisor.click();
    await console.button('Mute').click();
    await console.page.locator('button[aria-pressed="true"]', { hasText: 'Mute' }).waitFor();
    await customer.untilSilent(sandboxHz);
    await console.button('Hold').click();
    await console.page.locator('button[aria-pressed="true"]', { hasText: 'Hold' }).waitFor();
    await console.button('Remove from the call').click();
    await joinedRoom(suite.platform, 'muted', 2);
    await supervisor.waitFor({ state: 'detached' });
    await console.assertSound();
    await end('muted');
  });

  it('listen in: the page hears the agent, and no participant hears the page', async (t) => {
    const { customer, uuid } = await supervisedRoom(t, 'listened', tone);
    const console = await suite.open(t, `/multiparty/${uuid}`);
    await console.button('Listen in').click();
    await console.page.getByText('in the call', { exact: true }).waitFor();
    await joinedRoom(suite.platform, 'listened', 4);
    await customer.twoSecondsMore();
    await customer.untilSilent(microphoneHz);
    await console.button('Hang up').click();
    await joinedRoom(suite.platform, 'listened', 3);
    await end('listened');
    await console.assertSound();
  });

  const participants = '**/MultiPartyCall/**/Participant/';

  /** Calls the page as a stranger does; resolves with the call. */
  async function strangerCalls(room: string, username: string): Promise<string> {
    const [uuid = ''] = await addToRoom(suite.platform, room, username, {
      role: 'customer',
      from: '+12025550001',
    });
    return uuid;
  }

  async function statusOf(uuid: string): Promise<string> {
    return (await suite.platform.api('GET', `Call/${uuid}/?status=live`)).body.call_status;
  }

  /** The username of the page, whose phone is turned on. */
  async function phoneOn(console: ConsolePage): Promise<string> {
    await console.show('/phone');
    await console.button('Make this page a phone').click();
    await console.page.getByText('Others call this page as').waitFor();
    return console.page.locator('p .code').innerText();
  }

  it('the page answers the call that its button asked for, and lets a call that comes before it ring', async (t) => {
    const { uuid } = await supervisedRoom(t, 'asked');
    const console = await suite.open(t);
    const username = await phoneOn(console);
    await console.show(`/multiparty/${uuid}`);
    let stranger = '';
    await console.page.route(participants, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      stranger = await strangerCalls('stranger', username);
      await console.button('Answer').waitFor();
      return route.continue();
    });
    await console.button('Listen in').click();
    await console.page.getByText('in the call', { exact: true }).waitFor();
    await joinedRoom(suite.platform, 'asked', 4);
    assert.equal(await statusOf(stranger), 'ringing');
    assert.equal(await console.button('Answer').count(), 1);
    await console.assertSound();
    await end('stranger');
    await end('asked');
  });

  it('the page answers the call that its button asked for also where the call is there before the answer of the server', async (t) => {
    const { uuid } = await supervisedRoom(t, 'early');
    const console = await suite.open(t, `/multiparty/${uuid}`);
    await console.page.route(participants, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const response = await route.fetch();
      await console.page.getByText('rings', { exact: true }).waitFor();
      return route.fulfill({ response });
    });
    await console.button('Listen in').click();
    await console.page.getByText('in the call', { exact: true }).waitFor();
    await joinedRoom(suite.platform, 'early', 4);
    await console.assertSound();
    await end('early');
  });

  it('a call that comes after a refused request of the page rings', async (t) => {
    await addToRoom(suite.platform, 'full', talker, { max_participants: 2 });
    await addToRoom(suite.platform, 'full', tone, { role: 'customer' });
    await joinedRoom(suite.platform, 'full', 2);
    const { body } = await suite.platform.api('GET', 'MultiPartyCall/name_full/');
    const console = await suite.open(t);
    const username = await phoneOn(console);
    await console.show(`/multiparty/${body.mpc_uuid}`);
    await console.button('Coach from this page').click();
    await console.page.getByRole('alert').waitFor();
    const stranger = await strangerCalls('later', username);
    await console.button('Refuse').click();
    const record = await suite.platform.until(
      'the end of the call',
      `Call/${stranger}/`,
      ({ end_time: at }) => typeof at === 'string',
    );
    assert.equal(record.answer_time, null);
    await console.assertSound();
    await end('later');
    await end('full');
  });

  it('a page that has no event stream says that what it shows may be old', async (t) => {
    const [call] = await addToRoom(suite.platform, 'stale', tone);
    await joinedRoom(suite.platform, 'stale', 1);
    const { body } = await suite.platform.api('GET', 'MultiPartyCall/name_stale/');
    for (const path of [`/multiparty/${body.mpc_uuid}`, `/calls/${call}`]) {
      const console = await suite.open(t, '/setup');
      await console.page.route('**/Event/', (route) => route.fulfill({ status: 429, json: {} }));
      await console.show(path);
      await console.page.getByRole('status').getByText('connection lost; trying again').waitFor();
      await console.assertAccessible();
      await console.page.unroute('**/Event/');
      await console.page.getByRole('status').getByText('up to date').waitFor();
      await console.assertSound();
      await console.close();
    }
    await end('stale');
  });

  it('a history of more than twenty times shows the newest, and says how many earlier times it leaves out', async (t) => {
    await addToRoom(suite.platform, 'long', tone);
    await addToRoom(suite.platform, 'long', tone, { role: 'customer' });
    const { objects } = await joinedRoom(suite.platform, 'long', 2);
    const room = 'MultiPartyCall/name_long/';
    for (const mute of Array.from({ length: 50 }, (_, turn) => turn % 2 === 0)) {
      const path = `${room}Participant/${objects[0].member_id}/`;
      assert.ok((await suite.platform.api('POST', path, { mute })).status < 300);
    }
    const { meta } = (await suite.platform.api('GET', `${room}Hearing/History/`)).body;
    assert.ok(meta.total_count > 20, `${meta.total_count} times`);
    const console = await suite.open(t, `/multiparty/${objects[0].mpc_uuid}`);
    await console.page.getByText(`Left out: ${meta.total_count - 20} earlier times.`).waitFor();
    // The person who was muted is heard again.
    await console.page.getByRole('row').filter({ hasText: 'still' }).first().waitFor();
    await console.assertSound();
    await end('long');
  });

  it('a long name without a space makes no page wider than a window of 360 px', async (t) => {
    const name = 'W'.repeat(100);
    await addToRoom(suite.platform, name, tone);
    await joinedRoom(suite.platform, name, 1);
    const { body } = await suite.platform.api('GET', `MultiPartyCall/name_${name}/`);
    const console = await suite.open(t);
    await console.page.setViewportSize({ width: 360, height: 740 });
    for (const path of ['/', `/multiparty/${body.mpc_uuid}`, '/start']) {
      await console.show(path);
      const shown = path === '/start' ? console.button('Call the customer') : console.page.getByText(name);
      await shown.first().waitFor();
      const over = await console.page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.equal(over, 0, path);
      await console.assertSound();
    }
    await end(name);
  });

  it('a sound is played to the person that was chosen, and the history keeps who heard whom and for how long', async (t) => {
    const { customer, uuid } = await supervisedRoom(t, 'played');
    const console = await suite.open(t, `/multiparty/${uuid}`);
    const { page } = console;
    const directory = await mkdtemp(join(tmpdir(), 'played-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const body = await toneFile(join(directory, 'tone.wav'), playedHz, 60);
    await page
      .getByRole('rowheader')
      .getByRole('button', { name: /supervisor/ })
      .click();
    await console.button('Coach').click();
    await page.locator('button[aria-pressed="true"]', { hasText: 'Coach' }).waitFor();
    await page.keyboard.press('Escape');
    await page
      .getByRole('rowheader')
      .getByRole('button', { name: /customer/ })
      .click();
    const url = suite.server.serve('/tone.wav', { type: 'audio/wav', body });
    await page.getByLabel('URL of an MP3 or WAV file').fill(url);
    await console.button('Play to this person').click();
    await suite.server.asked('/tone.wav');
    await customer.untilHeard(playedHz);
    await page.keyboard.press('Escape');

    const history = page.getByRole('table', { name: /Times during which one person could hear another/ });
    const row = (listener: string) =>
      history.getByRole('row').filter({ has: page.locator('td:nth-child(1)', { hasText: listener }) });
    const ofCoach = page.locator('td:nth-child(2)', { hasText: 'supervisor' });
    const customerRow = row('customer').filter({ has: ofCoach });
    await customerRow
      .filter({ hasText: /\d:\d\d/ })
      .first()
      .waitFor();
    await row('agent')
      .filter({ has: ofCoach })
      .filter({ hasText: /still\s*coaches/ })
      .first()
      .waitFor();
    assert.equal(await customerRow.filter({ hasText: 'coaches' }).count(), 0);
    await console.assertSound();
    await end('played');
    await history.getByText('still').first().waitFor({ state: 'detached' });
  });

  it('the live list shows calls as they come and go', async (t) => {
    const console = await suite.open(t, '/');
    await console.page.getByText('up to date').waitFor();
    await addToRoom(suite.platform, 'come-and-go', talker);
    const room = console.page.getByRole('link', { name: 'come-and-go' });
    await room.waitFor();
    await console.page.getByRole('row', { name: talker }).first().getByText('in-progress').waitFor();
    await console.assertSound();
    await room.click();
    await console.heading(/come-and-go/).waitFor();
    await end('come-and-go');
    await console.page.goBack();
    await console.page.getByText('No multiparty call lives.').waitFor();
  });
});
