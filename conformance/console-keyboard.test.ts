import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { missingBrowser } from './support/browser/browser.ts';
import { webRtc } from './support/browser/browser-suite.ts';
import type { ConsolePage } from './support/browser/console-page.ts';
import { consoleSuite } from './support/browser/console-suite.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';
import { codeTo } from './support/verification.ts';

const recipient = '+14155552671';

/** Each screen is used without a pointer: reached by Tab, done with Enter, Space, arrows and Escape, its focus always in sight. */
describe('the console by keyboard alone', { skip: missingBrowser(), timeout: 300_000 }, () => {
  const suite = consoleSuite({ settings: webRtc });
  let uuid = '';

  before(async () => {
    // One call with a callback and a recording, for the screens of what is over.
    const document =
      '<Response><Record recordSession="true" fileFormat="wav"/><Wait length="1"/><Hangup/></Response>';
    const { body } = await suite.platform.api('POST', 'Call/', {
      from: '+12025550000',
      to: '+12025550109',
      answer_url: suite.server.serve('/recorded', document),
      hangup_url: suite.server.serve('/ended', ''),
    });
    uuid = body.request_uuid;
    await suite.server.asked('/ended');
    await suite.platform.until('the recording', `Recording/?call_uuid=${uuid}`, ({ objects }) =>
      objects.some(({ recording_duration_ms: ms }: { recording_duration_ms: string }) => Number(ms) > 0),
    );
  });

  const named = (
    { page }: ConsolePage,
    role: 'link' | 'row' | 'textbox' | 'combobox' | 'checkbox',
    name: string | RegExp,
  ) => page.getByRole(role, { name, ...(typeof name === 'string' ? { exact: true } : {}) });
  const summary = ({ page }: ConsolePage, text: string) => page.locator('summary', { hasText: text }).first();

  it('the login, the way to the content, the search and the lines of curl', async (t) => {
    const console = await suite.open(t, '/calls');
    const { page } = console;
    await console.press(console.button('Log out'));
    await console.tabTo(page.getByLabel('auth_id'));
    await page.keyboard.type(suite.platform.authId);
    await console.tabTo(page.getByLabel('auth_token'));
    await page.keyboard.type(suite.platform.authToken);
    await page.keyboard.press('Enter');
    await console.button('Log out').waitFor();
    await page.reload();
    await console.heading('Calls').waitFor();
    await console.press(named(console, 'link', 'To the content'));
    assert.ok(await console.hasFocus(page.locator('#screen')));

    await console.tabTo(page.getByLabel('Search for a UUID, a number or a name'));
    await page.keyboard.type(uuid);
    await page.keyboard.press('Enter');
    const found = page.getByLabel('Search results').locator(`a[href$="/calls/${uuid}"]`);
    await console.press(found);
    await page.locator('#end').waitFor();
    assert.match(page.url(), new RegExp(`/calls/${uuid}$`));

    await console.press(console.button('As curl'));
    const lines = page.locator('#curl-lines');
    await lines.getByText('curl -u').first().waitFor();
    await page.keyboard.press('Escape');
    await lines.waitFor({ state: 'hidden' });
    assert.ok(await console.hasFocus(console.button('As curl')), 'the focus is back');
  });

  it('calls, the black box, callbacks and recordings', async (t) => {
    const console = await suite.open(t, '/calls');
    const { page } = console;
    await console.tabTo(page.getByLabel('To', { exact: true }));
    await page.keyboard.type('+12025550109');
    await page.keyboard.press('Enter');
    await console.press(named(console, 'link', '+12025550000'));
    await page.locator('#end').waitFor();
    await console.press(console.button('Event'));
    assert.equal(await console.button('Event').getAttribute('aria-pressed'), 'false');
    assert.match(page.url(), /without=event/);
    await page.reload();
    await page.locator('button[aria-pressed="false"]', { hasText: 'Event' }).waitFor();
    await console.press(summary(console, 'INVITE sip:'));
    await page.locator('pre', { hasText: 'CSeq:' }).first().waitFor();

    await console.show('/callbacks');
    await console.press(named(console, 'checkbox', /call\.ended/), 'Space');
    const from = suite.server.received.all.length;
    const replay = console.button(/Replay \d selected/);
    await console.press(replay);
    await page.getByText('1 sent again.').waitFor();
    await suite.server.asked('/ended', from);
    assert.ok(await console.hasFocus(replay), 'the button keeps the focus');
    await console.press(named(console, 'link', 'call.ended'));
    await console.press(console.button('Replay'));
    await page.getByText('Sent again as a new delivery:').waitFor();
    assert.ok(await console.hasFocus(console.button('Replay')), 'the button keeps the focus');

    await console.show('/recordings');
    await console.press(named(console, 'link', '+12025550000'));
    await console.press(page.locator('audio'), 'Space');
    await console.until(`!document.querySelector('audio').paused`);
  });

  it('the phone, the sandbox, the live list and the matrix, whose dialog keeps and returns the focus', async (t) => {
    const console = await suite.open(t, '/phone');
    const { page } = console;
    await console.press(console.button('Make this page a phone'));
    await console.press(page.getByLabel('Number or username'));
    await page.getByText('in the call', { exact: true }).waitFor();
    await console.press(console.button('Mute'), 'Space');
    await page.locator('button[aria-pressed="true"]', { hasText: 'Mute' }).waitFor();
    await console.press(console.button('Hang up'));
    await page.getByText('The call is over').waitFor();

    await console.show('/sandbox');
    await console.press(page.getByLabel('Role').first(), 'ArrowUp');
    assert.equal(await page.getByLabel('Role').first().inputValue(), 'agent');
    await addToRoom(suite.platform, 'demo', '+12025550101');
    await console.press(console.button('Add to the call: +12025550109'));
    await page.getByText('+12025550109 is called into demo.').waitFor();
    await joinedRoom(suite.platform, 'demo', 2);

    await console.show('/');
    await console.press(named(console, 'link', 'demo'));
    const cell = console.button(/agent \d+ hears agent \d+/).first();
    await console.press(cell);
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    for (let pressed = 0; pressed < 14; pressed++) {
      await page.keyboard.press('Tab');
      // From the last control Tab goes to the browser's own, and from there to the first.
      const focused = await page.evaluate<string>(
        `document.activeElement === document.body ? 'browser' : document.activeElement.closest('dialog')?.tagName ?? 'page'`,
      );
      assert.notEqual(focused, 'page', 'the dialog keeps the focus');
    }
    const mute = console.button('Mute');
    await console.press(mute);
    await page.locator('button[aria-pressed="true"]', { hasText: 'Mute' }).waitFor();
    assert.ok(await console.hasFocus(mute), 'the button keeps the focus');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const back = await page.evaluate<string>(`document.activeElement.className`);
    assert.match(back, /cell/, 'the focus is back in the matrix');
    await console.press(console.button('End for all'));
    await page.getByText('Ended', { exact: true }).waitFor();

    await console.show('/start');
    await console.press(console.button('Call the customer'));
    await page.getByText('You talk with the customer.').waitFor();
    await console.press(console.button('Hang up'));
    await page.getByText('The call is over').waitFor();
  });

  it('setup, verifications, rates, usage and sessions', async (t) => {
    const console = await suite.open(t, '/setup/endpoints');
    const { page } = console;
    await console.press(summary(console, 'Create'));
    for (const [label, text] of [
      [/^username/, 'keys'],
      [/^password/, 'a-good-password'],
      [/^alias/, 'keys'],
    ] as const) {
      await console.tabTo(page.getByLabel(label));
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Enter');
    await console.press(named(console, 'link', /^keys/));
    await console.press(console.button('Delete'));
    assert.ok(await console.hasFocus(console.button('Keep')), 'the question has the focus');
    await page.keyboard.press('Enter');
    assert.ok(await console.hasFocus(console.button('Delete')), 'the focus is back');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await console.heading('Setup').waitFor();

    await console.show('/verify');
    await console.press(summary(console, 'Start a verification'));
    await console.tabTo(page.getByLabel(/^recipient/));
    await page.keyboard.type(recipient);
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: recipient.slice(1) }).waitFor();
    await console.press(page.locator('main .head select'), 'ArrowDown');
    await page.waitForURL(/by=channel/);

    await console.show('/rates');
    await console.tabTo(page.getByLabel('Number', { exact: true }));
    await page.keyboard.type('+12025550100');
    await page.keyboard.press('Enter');
    await page.getByText('its calls are free').waitFor();
    await console.press(named(console, 'link', 'Usage'));
    await page.getByText('Calls of the last hour').waitFor();

    await console.show('/sessions');
    await console.press(page.getByLabel('Role'), 'ArrowDown');
    await console.press(console.button('Make a link that logs in once'));
    await page.getByText(/\/console\/#login=/).waitFor();

    const { body } = await suite.platform.api('GET', 'Verify/Session/');
    const otp = await codeTo(suite.platform, recipient);
    await suite.platform.api('POST', `Verify/Session/${body.sessions[0].session_uuid}/`, { otp });
  });
});
