import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { missingBrowser } from './support/browser/browser.ts';
import { liveBatches, turnedPages } from './support/browser/console-load.ts';
import { consoleSuite } from './support/browser/console-suite.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';
import { freePort } from './support/ports.ts';

const talker = '+12025550101';
describe('the console under load, asleep, and without its server', {
  skip: missingBrowser(),
  timeout: 300_000,
}, () => {
  // A server that starts again is at the address that the page knows.
  const suite = consoleSuite({ settings: async () => ({ JACKFIELD_HTTP_PORT: String(await freePort()) }) });
  const empty = (t: TestContext) => suite.open(t, '/setup');

  it('a batch of 100 events changes 100 of 500 live rows, and makes none anew', async (t) => {
    const console = await empty(t);
    const { durations, rowsMade, answered } = await liveBatches(console, 4);
    t.diagnostic(`a batch took ${durations.map((ms) => ms.toFixed(1)).join(', ')} ms`);
    assert.equal(answered >= 100, true);
    assert.equal(rowsMade, 0);
    const kept = await console.page.evaluate(`performance.getEntriesByName('live batch').length`);
    assert.equal(kept, 0, 'hours of events leave no measures behind');
  });

  it('10,000 calls are turned page by page while no request is answered', async (t) => {
    const console = await empty(t);
    const waits = await turnedPages(console, 3);
    t.diagnostic(waits.map((ms) => `${ms.toFixed(0)} ms`).join(', '));
    assert.match(console.page.url(), /offset=60$/);
  });

  it('a tab that sleeps for an hour lets go of the event stream, and shows the newest state when it wakes', async (t) => {
    const console = await empty(t);
    await console.page.clock.install();
    await console.go('/');
    await console.page.getByText('up to date').waitFor();
    let left = 0;
    console.page.on('requestfailed', (request) => {
      if (request.url().endsWith('/Event/')) left += 1;
    });
    const show = (isHidden: boolean) =>
      console.page.evaluate(`
        Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      `);
    await show(true);
    await console.page.clock.fastForward('01:00:00');
    await console.page.getByText('paused while hidden').waitFor();
    assert.equal(left, 1, 'the stream was let go');
    await addToRoom(suite.platform, 'meanwhile', talker);
    await joinedRoom(suite.platform, 'meanwhile', 1);
    await console.page.waitForTimeout(500);
    assert.equal(await console.page.getByRole('link', { name: 'meanwhile' }).count(), 0);
    await show(false);
    await console.page.getByRole('link', { name: 'meanwhile' }).waitFor();
    await suite.platform.api('DELETE', 'MultiPartyCall/name_meanwhile/');
    await console.page.getByText('No multiparty call lives.').waitFor();
    await console.assertSound();
  });

  it('a stream that is silent for longer than a server ever is counts as broken: the page opens another one', async (t) => {
    const console = await empty(t);
    await console.page.clock.install();
    await console.go('/');
    await console.page.getByText('up to date').waitFor();
    const another = console.page.waitForRequest((request) => request.url().endsWith('/Event/'));
    await console.page.clock.fastForward(41_000);
    await another;
    await console.page.getByText('up to date').waitFor();
    assert.deepEqual(console.faults, []);
  });

  it('a stream that has no answer for as long counts as broken too', async (t) => {
    const console = await empty(t);
    await console.page.clock.install();
    const asked = console.leaveUnanswered('**/Event/');
    await console.go('/');
    await asked;
    const another = console.page.waitForRequest((request) => request.url().endsWith('/Event/'));
    await console.page.clock.fastForward(41_000);
    await another;
    await console.page.getByText('up to date').waitFor();
    assert.deepEqual(console.faults, []);
  });

  it('a page whose server is killed says so and keeps what it shows, and goes on by itself when the server is back', async (t) => {
    await addToRoom(suite.platform, 'killed', talker);
    await joinedRoom(suite.platform, 'killed', 1);
    const { body } = await suite.platform.api('GET', 'MultiPartyCall/name_killed/');
    const uuid: string = body.mpc_uuid;
    const room = await suite.open(t, `/multiparty/${uuid}`);
    await room.page.getByRole('rowheader').first().waitFor();
    const console = await suite.open(t, '/calls');
    await console.heading('Calls').waitFor();

    await suite.platform.kill();
    const lost = 'The connection to the server is lost';
    await room.page.getByRole('alert').getByText(lost).waitFor();
    await room.page.getByRole('rowheader').first().waitFor();
    // The code of this screen is not loaded yet.
    await console.show('/usage');
    const unreachable = console.page.getByText('The server cannot be reached.');
    await unreachable.waitFor();
    await console.assertAccessible();
    // A question whether the server is back has no answer, as on a connection that is dead.
    await console.leaveUnanswered('**/console/session');

    await suite.platform.startAgain();
    await room.page.getByText('Ended', { exact: true }).waitFor();
    await room.page.getByText(lost).waitFor({ state: 'detached' });
    await console.heading('Usage').waitFor();
    await console.page.getByText(lost).waitFor({ state: 'detached' });
    await unreachable.waitFor({ state: 'detached' });
    assert.match(room.page.url(), new RegExp(uuid));
    for (const each of [room, console]) await each.assertSound();
  });
});
