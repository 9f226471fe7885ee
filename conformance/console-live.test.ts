import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { missingBrowser } from './support/browser/browser.ts';
import { consoleSuite } from './support/browser/console-suite.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';

const talker = '+12025550101';
const uuidOf = (index: number) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;

/** A live call as `GET Live/` has it. */
const liveCall = (index: number) => ({
  call_uuid: uuidOf(index),
  parent_call_uuid: null,
  account: 'MACONFORMANCE0000000',
  direction: 'outbound',
  from: '+12025550000',
  to: `+1202556${String(index).padStart(4, '0')}`,
  caller_name: '',
  status: 'ringing',
  initiated_at: '2026-02-01T10:00:00.000Z',
  answered_at: null,
  quality: null,
});

/** A call that has ended as `GET Call/` has it: the members that the list shows. */
const endedCall = (index: number) => ({
  call_uuid: uuidOf(index),
  from_number: '+12025550000',
  to_number: `call number ${index}`,
  call_direction: 'outbound',
  call_state: 'ANSWER',
  initiation_time: '2026-02-01 10:00:00+00:00',
  call_duration: 7,
  hangup_reason: null,
  hangup_cause_name: 'Normal Hangup',
});

describe('the console under load, and asleep', { skip: missingBrowser(), timeout: 180_000 }, () => {
  const suite = consoleSuite();
  const empty = (t: TestContext) => suite.open(t, '/setup');

  it('a batch of 100 events changes 100 of 500 live rows, and makes none anew', async (t) => {
    const console = await empty(t);
    await console.page.route('**/Live/**', (route) =>
      route.fulfill({
        json: {
          meta: { limit: 200, after: '1-1', next: null },
          multiparty_calls: [],
          calls: Array.from({ length: 500 }, (_, index) => liveCall(index)),
        },
      }),
    );
    let batches = 0;
    await console.page.route('**/Event/', (route) => {
      const first = (batches++ * 100) % 500;
      const events = Array.from({ length: 100 }, (_, index) => ({
        id: `1-${index + 2}`,
        type: 'call.answered',
        resource: `call/${uuidOf(first + index)}`,
        created_at: '2026-02-01T10:00:05.000Z',
        data: { CallUUID: uuidOf(first + index) },
      }));
      const body = events.map((event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`).join('');
      return route.fulfill({ contentType: 'text/event-stream', body });
    });
    await console.go('/');
    await console.page.getByText('Calls (500)').waitFor();
    const { durations, rowsMade } = await console.page.evaluate<{
      readonly durations: readonly number[];
      readonly rowsMade: number;
    }>(`new Promise((resolve) => {
      let rowsMade = 0;
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes) {
          for (const node of addedNodes) if (node.nodeName === 'TR') rowsMade++;
        }
      }).observe(document.body, { childList: true, subtree: true });
      const batches = () => performance.getEntriesByName('live batch');
      const enough = batches().length + 4;
      const look = () => {
        if (batches().length < enough) return setTimeout(look, 50);
        resolve({ durations: batches().map(({ duration }) => duration), rowsMade });
      };
      look();
    })`);
    t.diagnostic(`a batch took ${durations.map((ms) => ms.toFixed(1)).join(', ')} ms`);
    assert.equal((await console.page.getByText('in-progress', { exact: true }).count()) >= 100, true);
    assert.equal(rowsMade, 0);
  });

  it('10,000 calls are turned page by page without a wait, although each answer takes half a second', async (t) => {
    const console = await empty(t);
    const answered: number[] = [];
    await console.page.route(/\/Call\/\?/, async (route) => {
      const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
      await new Promise((resolve) => setTimeout(resolve, 500));
      answered.push(offset);
      await route.fulfill({
        json: {
          meta: { limit: 20, offset, count: 10_000, total_count: 10_000, next: null, previous: null },
          objects: Array.from({ length: 20 }, (_, index) => endedCall(offset + index)),
        },
      });
    });
    await console.go('/calls');
    for (let offset = 20; offset <= 60; offset += 20) {
      while (!answered.includes(offset)) await new Promise((resolve) => setTimeout(resolve, 20));
      const waited = await console.page.evaluate<number>(`new Promise((resolve) => {
        const start = performance.now();
        const next = [...document.querySelectorAll('button')].find((each) => each.textContent === 'Next');
        next.click();
        const look = () => {
          if (document.body.innerText.includes('call number ${offset}')) resolve(performance.now() - start);
          else setTimeout(look, 1);
        };
        look();
      })`);
      t.diagnostic(`${waited.toFixed(0)} ms`);
      assert.ok(waited < 250, `${waited} ms`);
      assert.match(console.page.url(), new RegExp(`offset=${offset}$`));
    }
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
});
