import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { missingBrowser } from './support/browser/browser.ts';
import { consoleSuite } from './support/browser/console-suite.ts';
import { CallbackReceiver, wrongSignatures } from './support/callback-receiver.ts';
import { missing } from './support/installed.ts';
import { Sipp } from './support/sipp.ts';
import { startVerification } from './support/verification.ts';

const talker = '+12025550101';

describe('callbacks and calls in the console', { skip: missingBrowser(), timeout: 180_000 }, () => {
  let server: CallbackReceiver;
  const suite = consoleSuite({ stop: () => server?.stop() });

  before(async () => {
    server = await CallbackReceiver.start();
  });

  /** A call that a document ends; resolves with its UUID when the server has the callback of its end. */
  async function endedCall(document: string, path: string): Promise<string> {
    const from = server.received.all.length;
    const { body, status } = await suite.platform.api('POST', 'Call/', {
      from: '+12025550000',
      to: talker,
      answer_url: server.serve(`/answer-${path}`, document),
      hangup_url: server.serve(`/ended-${path}`, ''),
    });
    assert.equal(status, 201, JSON.stringify(body));
    const ended = await server.asked(`/ended-${path}`, from);
    return ended.fields.get('CallUUID') ?? '';
  }

  it('replay sends a callback to its receiver again, signed anew', async (t) => {
    await endedCall('<Response><Hangup/></Response>', 'replayed');
    const console = await suite.open(t, '/callbacks');
    await console.page.getByRole('link', { name: 'call.ended' }).first().click();
    await console.page.getByText('This page computed the same text as the server signed.').waitFor();
    const before = server.received.all.length;
    await console.button('Replay').click();
    const again = await server.asked('/ended-replayed', before);
    assert.deepEqual(wrongSignatures(again, 'X-Service-', suite.platform.authToken), []);
    await console.page.getByText('Sent again as a new delivery:').waitFor();
    await console.assertSound();
  });

  it('several callbacks that were chosen are replayed, each to its receiver', async (t) => {
    await endedCall('<Response><Hangup/></Response>', 'many-1');
    await endedCall('<Response><Hangup/></Response>', 'many-2');
    const console = await suite.open(t, '/callbacks?status=delivered');
    const boxes = console.page.getByRole('checkbox', { name: /call\.ended/ });
    await boxes.nth(1).check();
    await boxes.nth(0).check();
    const before = server.received.all.length;
    await console.button('Replay 2 selected').click();
    for (const path of ['/ended-many-1', '/ended-many-2']) {
      const again = await server.asked(path, before);
      assert.deepEqual(wrongSignatures(again, 'X-Service-', suite.platform.authToken), []);
    }
    await console.page.getByText('2 sent again.').waitFor();
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

  it('what customers control is shown as text: no script of it runs', async (t) => {
    const evil = `<img src=x onerror="document.title='run'">`;
    const name = encodeURIComponent(evil);
    const added = await suite.platform.api('POST', `MultiPartyCall/name_${name}/Participant/`, {
      role: 'agent',
      from: '+12025550000',
      to: talker,
      status_callback_url: server.serve('/evil', ''),
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const joined = await server.received.until(
      'the participant',
      ({ name: event }) => event === 'ParticipantJoin',
    );
    assert.equal(joined.fields.get('MPCName'), evil);
    const subaccount = await suite.platform.api('POST', 'Subaccount/', { name: evil });
    assert.equal(subaccount.status, 201, JSON.stringify(subaccount.body));
    // The brand is part of the text of a message.
    const verification = await startVerification(suite.platform, {
      recipient: '+14155552671',
      brand_name: evil,
    });
    const uuid = joined.fields.get('MPCUUID');
    for (const path of [
      '/',
      `/multiparty/${uuid}`,
      '/calls',
      '/callbacks',
      '/setup/subaccounts',
      '/sandbox',
    ]) {
      const console = await suite.open(t, path);
      const shown =
        path === '/calls' || path === '/callbacks'
          ? console.page.getByRole('table')
          : console.page.getByText('<img src=x').first();
      await shown.first().waitFor();
      assert.equal(await console.page.title(), 'Jackfield', path);
      assert.equal(await console.page.locator('img').count(), 0, path);
      assert.deepEqual(console.faults, [], path);
    }
    await suite.platform.api('DELETE', `MultiPartyCall/uuid_${uuid}/`);
    await verification.confirm();
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
    for (const limit = Date.now() + 15_000; Date.now() < limit; await delay(50)) {
      const { body } = await suite.platform.api('GET', 'Live/');
      const found = body.calls.find((call: { readonly from: string }) => call.from.includes(username));
      if (found !== undefined) return found.call_uuid;
    }
    throw new Error(`no live call is from ${username}`);
  }
});
