import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { missingBrowser } from './support/browser/browser.ts';
import { consoleSuite } from './support/browser/console-suite.ts';
import { wrongSignatures } from './support/callback-receiver.ts';
import { missing } from './support/installed.ts';
import { patienceMs } from './support/patience.ts';
import { Sipp } from './support/sipp.ts';
import { codeTo } from './support/verification.ts';

const [echo, talker] = ['+12025550100', '+12025550101'];

/** Markup that runs in an attribute, in a tag and as a script, wherever text becomes HTML. */
const markup = `"><img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
/** The name of a multiparty call has no slash: this part of the markup has none. */
const markupWithoutSlash = markup.slice(0, markup.indexOf('<script>'));
/** What each screen has to show of it. */
const shownPart = '<img src=x onerror=';

describe('callbacks and calls in the console', { skip: missingBrowser(), timeout: 300_000 }, () => {
  const suite = consoleSuite();

  /** A call that a document ends; resolves with its UUID when the server has the callback of its end. */
  async function endedCall(document: string, path: string): Promise<string> {
    const from = suite.server.received.all.length;
    const { body, status } = await suite.platform.api('POST', 'Call/', {
      from: '+12025550000',
      to: talker,
      answer_url: suite.server.serve(`/answer-${path}`, document),
      hangup_url: suite.server.serve(`/ended-${path}`, ''),
    });
    assert.equal(status, 201, JSON.stringify(body));
    const ended = await suite.server.asked(`/ended-${path}`, from);
    return ended.fields.get('CallUUID') ?? '';
  }

  it('replay sends a callback to its receiver again, signed anew', async (t) => {
    await endedCall('<Response><Hangup/></Response>', 'replayed');
    const console = await suite.open(t, '/callbacks');
    await console.page.getByRole('link', { name: 'call.ended' }).first().click();
    await console.page.getByText('This page computed the same text as the server signed.').waitFor();
    const before = suite.server.received.all.length;
    await console.button('Replay').click();
    const again = await suite.server.asked('/ended-replayed', before);
    assert.deepEqual(wrongSignatures(again, 'X-Service-', suite.platform.authToken), []);
    await console.page.getByText('Sent again as a new delivery:').waitFor();
    await console.assertSound();
  });

  it('several callbacks that were chosen are replayed, each to its receiver, and the page shows how many are done', async (t) => {
    for (const path of ['many-1', 'many-2']) {
      const uuid = await endedCall('<Response><Hangup/></Response>', path);
      // The record of an attempt is written a moment after the receiver has the request.
      await suite.platform.until('the record', `Callback/?resource=call/${uuid}`, ({ objects }) =>
        objects.some(({ status }: { status: string }) => status === 'delivered'),
      );
    }
    const console = await suite.open(t, '/callbacks?status=delivered');
    const boxes = console.page.getByRole('checkbox', { name: /call\.ended/ });
    await boxes.nth(1).check();
    await boxes.nth(0).check();
    const before = suite.server.received.all.length;
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let replays = 0;
    await console.page.route('**/Replay/', async (route) => {
      replays += 1;
      if (replays === 2) await held;
      await route.continue();
    });
    await console.button('Replay 2 selected').click();
    const progress = console.page.getByRole('progressbar', { name: 'Replayed 1 of 2' });
    await progress.waitFor();
    assert.equal(await progress.getAttribute('max'), '2');
    goOn();
    for (const path of ['/ended-many-1', '/ended-many-2']) {
      const again = await suite.server.asked(path, before);
      assert.deepEqual(wrongSignatures(again, 'X-Service-', suite.platform.authToken), []);
    }
    await console.page.getByText('2 sent again.').waitFor();
    await console.assertSound();
  });

  it('the call has its callbacks and recordings from all pages of their lists, and says how many of very many it leaves out', async (t) => {
    const uuid = await endedCall('<Response><Hangup/></Response>', 'paged');
    const list = `Callback/?resource=call/${uuid}`;
    const { objects } = await suite.platform.until('the callback', list, (body) =>
      body.objects.some(({ status }: { status: string }) => status === 'delivered'),
    );
    for (let replay = 1; replay <= 24; replay++) {
      const { status } = await suite.platform.api('POST', `Callback/${objects[0].callback_id}/Replay/`);
      assert.ok(status < 300, `${status}`);
    }
    const count = objects.length + 24;
    const console = await suite.open(t, '/setup');
    const { page } = console;
    await page.route('**/Recording/?*', (route) => {
      const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
      const recordings = Array.from({ length: 20 }, (_, index) => ({
        ...{ recording_id: `${offset + index}`, recording_url: suite.platform.httpUrl },
        ...{ recording_duration_ms: '-1', recording_error: null, channels: null },
      }));
      return route.fulfill({
        json: { meta: { limit: 20, offset, total_count: 1_000 }, objects: recordings },
      });
    });
    await console.show(`/calls/${uuid}`);
    await page
      .locator('li.callback')
      .nth(count - 1)
      .waitFor();
    assert.equal(await page.locator('li.callback').count(), count);
    await page.getByText('The recording runs.').nth(199).waitFor();
    await page.getByText('Left out: 800 recordings.').waitFor();
    assert.equal(await page.getByText('The recording runs.').count(), 200);
    await console.assertSound();
  });

  it('the call says why it ended, and shows events and callbacks on one axis', async (t) => {
    const uuid = await endedCall('<Response><Speek>Hello</Speek></Response>', 'faulty');
    const console = await suite.open(t, `/calls/${uuid}`);
    await console.page.locator('#end').getByText('<Speek> is not known').waitFor();
    await console.page.getByText('call.document-failed').first().waitFor();
    await console.page.getByRole('link', { name: /call\.ended → .*\/ended-faulty 200/ }).waitFor();
    await console.assertSound();
  });

  it('the recording of a call can be heard, one row for each channel', async (t) => {
    const uuid = await endedCall(
      '<Response><Record recordSession="true" fileFormat="wav" recordChannelType="stereo"/><Wait length="2"/><Hangup/></Response>',
      'recorded',
    );
    await suite.platform.until('the recording', `Recording/?call_uuid=${uuid}`, ({ objects }) =>
      objects.some(({ recording_duration_ms: ms }: { recording_duration_ms: string }) => Number(ms) > 1000),
    );
    const console = await suite.open(t, `/calls/${uuid}`);
    await console.page.locator('audio').waitFor();
    // A function would need the types of a page.
    const seconds = await console.page.evaluate<number>(`new Promise((resolve) => {
      const audio = document.querySelector('audio');
      audio.addEventListener('loadedmetadata', () => resolve(audio.duration), { once: true });
      audio.preload = 'metadata';
      audio.load();
    })`);
    assert.ok(seconds > 1, `${seconds} s`);
    await console.assertSound();
  });

  it('a display name and headers of a phone are shown as text: no script of them runs', {
    skip: missing('sipp'),
  }, async (t) => {
    const { username } = await suite.platform.createEndpoint('markup', 'a-good-password');
    const sipp = await Sipp.start({
      remote: suite.platform.sipAddress,
      scenario: 'call-with-markup',
      user: username,
      password: 'a-good-password',
      keys: { callee: talker },
      // As long as Chromium opens its pages on a loaded machine.
      timeoutSeconds: 90,
    });
    t.after(() => sipp.stop());
    const uuid = await callFrom(username);
    // Lists show who calls by number or username; the ladder alone shows whole messages.
    for (const path of ['/', '/calls', '/callbacks', `/calls/${uuid}`]) {
      const console = await suite.open(t, path);
      const isLadder = path.endsWith(uuid);
      const shown = isLadder ? console.page.getByText('<img src=x') : console.page.getByRole('table');
      // The ladder has the messages in closed parts.
      await shown.first().waitFor({ state: 'attached' });
      assert.equal(await console.page.title(), 'Jackfield', path);
      assert.equal(await console.page.locator('img').count(), 0, path);
      assert.deepEqual(console.faults, [], path);
    }
    assert.equal((await suite.platform.api('DELETE', `Call/${uuid}/`)).status, 204);
    assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });
  });

  /** The live call that an endpoint has made. */
  async function callFrom(username: string): Promise<string> {
    for (const limit = Date.now() + patienceMs; Date.now() < limit; await delay(50)) {
      const { body } = await suite.platform.api('GET', 'Live/');
      const found = body.calls.find((call: { readonly from: string }) => call.from.includes(username));
      if (found !== undefined) return found.call_uuid;
    }
    throw new Error(`no live call is from ${username}`);
  }

  async function created(path: string, body: object, status = 201) {
    const answer = await suite.platform.api('POST', path, body);
    assert.equal(answer.status, status, `${path} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** A call that hears a document with markup in texts, in an element and in an attribute, and ends with the fault of that element. */
  async function callWithMarkup(): Promise<string> {
    const text = markup.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
    const document = `<Response><Speak>${text}</Speak><Dial callerName="${text}"><Nonsense>${text}</Nonsense></Dial></Response>`;
    const { request_uuid: uuid } = await created('Call/', {
      from: '+12025550000',
      to: echo,
      caller_name: markup.slice(0, 50),
      sip_headers: `Note=${encodeURIComponent(markup)}`,
      answer_url: suite.server.serve('/markup', document),
      hangup_url: `${suite.server.serve('/ended', markup)}?note=${encodeURIComponent(markup)}`,
    });
    await suite.server.asked('/ended');
    await suite.platform.until(
      'the documents',
      `Call/${uuid}/Document/`,
      ({ objects }) => objects.length > 0,
    );
    return uuid;
  }

  /** A multiparty call whose name and coach, and whose callbacks, hold the markup. */
  async function liveRoom(): Promise<string> {
    await created(`MultiPartyCall/name_${encodeURIComponent(markupWithoutSlash)}/Participant/`, {
      role: 'agent',
      from: '+12025550000',
      to: echo,
      status_callback_url: suite.server.serve('/joined', ''),
    });
    const { fields } = await suite.server.received.until(
      'the join',
      ({ name }) => name === 'ParticipantJoin',
    );
    return fields.get('MPCUUID') ?? '';
  }

  /** Paths of records with markup in each text that a form accepts. */
  async function records(): Promise<readonly string[]> {
    await created('Number/', { number: '+442079460101', alias: markup.slice(0, 90) });
    const sub = await created('Subaccount/', { name: markup });
    await created('Verify/App/', { alias: 'markup', brand_name: markup.slice(0, 50) }, 201);
    return ['/setup/numbers/442079460101', `/setup/subaccounts/${sub.auth_id}`];
  }

  it('markup in each field that customers control is shown as text on every screen: no script runs, and the policy of the page refuses nothing', async (t) => {
    const uuid = await callWithMarkup();
    const room = await liveRoom();
    const ofRecords = await records();
    const recipient = '+14155552671';
    const session = await created('Verify/Session/', { recipient, brand_name: markup.slice(0, 50) }, 202);
    const otp = await codeTo(suite.platform, recipient);
    const callbacks = (await suite.platform.api('GET', `Callback/?resource=call/${uuid}`)).body.objects;
    const [{ callback_id: callback }] = callbacks;
    const console = await suite.open(t);

    const shows = ['/', `/multiparty/${room}`, `/calls/${uuid}`, `/callbacks/${callback}`, '/sandbox'];
    const lists = ['numbers', 'subaccounts'].map((kind) => `/setup/${kind}`);
    // Numbers, names of states and times: nothing that a customer writes is on these.
    const silent = [
      '/calls',
      '/callbacks',
      '/recordings',
      '/verify',
      '/usage',
      '/rates',
      '/sessions',
      '/phone',
    ];
    for (const path of [...shows, ...lists, ...ofRecords, ...silent, '/start', '/setup/verify-apps']) {
      await console.go(path);
      await console.page.locator('main h1').first().waitFor();
      // Parts of a screen load each for itself: without `first`, two at once would be an error.
      await console.page
        .getByText('Loading …')
        .filter({ visible: true })
        .first()
        .waitFor({ state: 'detached' });
      if ([...shows, ...lists].includes(path)) {
        const shown = console.page.getByText(shownPart).first();
        await shown.waitFor({ state: 'attached' }).catch(() => assert.fail(`${path} does not show the text`));
      }
      // All that a reader can open.
      await console.page.evaluate(
        `for (const each of document.querySelectorAll('details')) each.open = true`,
      );
      assert.equal(await console.page.locator('img').count(), 0, path);
      assert.equal(await console.page.title(), 'Jackfield', path);
      assert.deepEqual(console.faults, [], path);
      assert.deepEqual(console.outside, [], path);
    }

    // A refusal quotes the value that it refuses.
    await console.go('/setup/applications');
    await console.page.getByText('Create', { exact: true }).first().click();
    await console.page.getByLabel('app_name').fill('refused');
    await console.page.getByLabel(/^answer_url/).fill(`ftp://${markup}`);
    await console.button('Create').click();
    await console.page.getByRole('alert').getByText('<img').waitFor();
    // So does a search without a result.
    await console.page.getByLabel('Search for a UUID, a number or a name').fill(markup);
    await console.page.keyboard.press('Enter');
    await console.page.getByText('Nothing was found.').waitFor();
    assert.equal(await console.page.locator('img').count(), 0);
    assert.deepEqual(console.faults, []);
    assert.equal(await console.page.title(), 'Jackfield');

    await suite.platform.api('DELETE', `MultiPartyCall/uuid_${room}/`);
    const confirmed = await suite.platform.api('POST', `Verify/Session/${session.session_uuid}/`, { otp });
    assert.equal(confirmed.status, 200);
  });
});
