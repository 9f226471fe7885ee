import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { BaresipPhone } from './support/baresip-phone.ts';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { lengthOf, loudestToneDb, readWav, type Sound } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';

const skip = missing('baresip', 'sox');
const audible = -25;
const sandboxToneHz = 1000;

/** Phones of the sandbox call in: foreign phones and programs answer the calls. */
describe('a phone of the sandbox that calls in', { skip, timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let server: CallbackReceiver;
  const phones: BaresipPhone[] = [];

  before(async () => {
    platform = await PlatformProcess.start();
    server = await CallbackReceiver.start();
  });

  after(async () => {
    await platform.untilQuiet();
    await server.stop();
    await platform.stop();
  });

  afterEach(async () => {
    await Promise.all(phones.splice(0).map((phone) => phone.stop()));
  });

  async function order(body: object): Promise<{ readonly sandbox: string; readonly call: string }> {
    const { status, body: answer } = await platform.api('POST', 'Sandbox/Call/', body);
    assert.equal(status, 201, JSON.stringify(answer));
    return { sandbox: answer.sandbox_call_uuid, call: answer.call_uuid };
  }

  const ended = (sandbox: string) =>
    platform.until(
      'the end of the call and its recording',
      `Sandbox/Call/${sandbox}/`,
      ({ state, recording }) => state === 'ended' && recording !== 'running',
    );

  async function heardBy(sandbox: string): Promise<Sound> {
    const { recording, recording_url: url } = await ended(sandbox);
    assert.equal(recording, 'complete');
    const path = join(platform.dataDir, `${sandbox}-heard.wav`);
    await writeFile(path, await platform.download(url));
    return readWav(path);
  }

  async function application(path: string, document: (digits: string) => string): Promise<string> {
    const url = server.serve(path, ({ fields }) => document(fields.get('Digits') ?? ''));
    const { body } = await platform.api('POST', 'Application/', {
      app_name: path.slice(1),
      answer_url: url,
      hangup_url: server.serve(`${path}-ended`, ''),
    });
    return body.app_id;
  }

  it('rings an endpoint: its phone hears the tone, and the recording has what that phone said', async () => {
    const password = 'secret-of-alice';
    const { username } = await platform.createEndpoint('alice', password);
    const alice = await BaresipPhone.start({
      registrar: platform.sipAddress,
      username,
      password,
      toneHz: 440,
    });
    phones.push(alice);
    await alice.registered();
    const { sandbox, call } = await order({ to: username, behaviour: 'tone', hangup_after: 4 });
    await alice.established();
    const { body: live } = await platform.api('GET', `Call/${call}/?status=live`);
    assert.equal(live.direction, 'inbound', JSON.stringify(live));
    await alice.closed();
    const heard = await heardBy(sandbox);
    assert.ok(loudestToneDb(heard, 440, 2) > audible, 'the sandbox phone heard alice');
    const seconds = lengthOf(heard);
    assert.ok(seconds > 3 && seconds < 5.5, `the recording lasts ${seconds} s`);
    const atAlice = await readWav(await alice.heard());
    assert.ok(loudestToneDb(atAlice, sandboxToneHz, 2) > audible, 'alice heard the sandbox phone');
    const { state, end } = await ended(sandbox);
    assert.deepEqual([state, end], ['ended', 'local']);
    // The phone notices the end before the record of the call is written.
    const record = await platform.until('the record', `Call/${call}/`, (body) => 'from_number' in body);
    assert.equal(record.from_number, '+12025550199');
  });

  it('answers a GetDigits of an application with its keys, and records the prompt', async () => {
    const app = await application('/menu', (digits) =>
      digits === ''
        ? `<Response><GetDigits action="http://127.0.0.1:${server.port}/menu" numDigits="2" timeout="30"><Speak>Two keys, please.</Speak></GetDigits></Response>`
        : '<Response><Hangup/></Response>',
    );
    // The first key ends the prompt: eight seconds are enough for its speech to be made on a busy machine.
    const { sandbox, call } = await order({ to: app, behaviour: 'silent', send_digits: 'WWWWWWWW4w2' });
    const pressed = await server.received.until(
      'the digits',
      ({ target, fields }) => target === '/menu' && fields.has('Digits'),
    );
    assert.equal(pressed.fields.get('Digits'), '42');
    assert.equal(pressed.fields.get('CallUUID'), call);
    assert.equal(pressed.fields.get('From'), '+12025550199');
    await platform.log.until('the line of the call', ({ message }) =>
      new RegExp(`^call +\\+12025550199 → ${app}  answered after \\d+\\.\\d s$`).test(String(message)),
    );
    await platform.log.until('the line of the document', ({ message }) =>
      /^document +POST http:\/\/127\.0\.0\.1:\d+\/menu 200 in \d+ ms$/.test(String(message)),
    );
    const heard = await heardBy(sandbox);
    assert.ok(loudest(heard) > 0.05, 'the prompt was heard');
    assert.equal((await ended(sandbox)).end, 'remote-bye');
  });

  it('calls a number of the account as a carrier hands it over: the application of the number takes it', async () => {
    const app = await application(
      '/number',
      () => '<Response><Speak>One moment.</Speak><Wait length="30"/></Response>',
    );
    const { status, body } = await platform.api('POST', 'Number/', {
      number: '+12025550777',
      app_id: app,
    });
    assert.ok(status < 300, JSON.stringify(body));
    const { sandbox, call } = await order({ to: '+12025550777', from: '+442071234567', behaviour: 'silent' });
    const asked = await server.asked('/number');
    assert.deepEqual(
      ['To', 'From', 'CallUUID', 'Direction'].map((name) => asked.fields.get(name)),
      ['+12025550777', '+442071234567', call, 'inbound'],
    );
    await platform.until('the answer', `Sandbox/Call/${sandbox}/`, ({ state }) => state === 'answered');
    assert.equal((await platform.api('DELETE', `Sandbox/Call/${sandbox}/`)).status, 204);
    assert.equal((await ended(sandbox)).end, 'local');
  });

  it('a number that leads nowhere ends with the 404 that a carrier would get', async () => {
    const { sandbox } = await order({ to: '+12025550888' });
    const { end, sip_status: sipStatus, recording } = await ended(sandbox);
    assert.deepEqual([end, sipStatus, recording], ['rejected', 404, 'none']);
  });

  it('refuses what is not of the account, and shows nothing to another account', async () => {
    const { status, body } = await platform.api('POST', 'Sandbox/Call/', { to: 'nobody123456' });
    assert.equal(status, 400);
    assert.match(body.error, /^to must be a number or an application of the account.*not "nobody123456"$/);
    const { sandbox } = await order({ to: '+12025550888' });
    await ended(sandbox);
    const { body: other } = await platform.api('POST', 'Subaccount/', { name: 'other', enabled: true });
    const authorization = `Basic ${Buffer.from(`${other.auth_id}:${other.auth_token}`).toString('base64')}`;
    const asOther = (path: string) =>
      fetch(`${platform.httpUrl}/v1/Account/${other.auth_id}/${path}`, { headers: { authorization } });
    for (const path of [`Sandbox/Call/${sandbox}/`, `Sandbox/Call/${sandbox}/Recording/`]) {
      assert.equal((await asOther(path)).status, 404, path);
    }
    assert.deepEqual(((await (await asOther('Sandbox/Call/')).json()) as { objects: unknown }).objects, []);
  });

  it('calls applications of the account alone, and for a main account those of its subaccounts', async () => {
    const url = server.serve('/called', '<Response><Hangup/></Response>');
    const accounts: string[] = ['.'];
    for (const name of ['one', 'two']) {
      const { body } = await platform.api('POST', 'Subaccount/', { name });
      accounts.push(`../${body.auth_id}`);
    }
    const apps: string[] = [];
    for (const account of accounts) {
      const body = { app_name: 'called', answer_url: url, public_uri: true };
      apps.push((await platform.api('POST', `${account}/Application/`, body)).body.app_id);
    }
    const [main = '', one = '', two = ''] = apps;
    const orderedAt = async (account: string, to: string) =>
      (await platform.api('POST', `${account}/Sandbox/Call/`, { to })).status;
    const statuses = await Promise.all([
      ...[main, one, two].map((app) => orderedAt('.', app)),
      ...[main, one, two].map((app) => orderedAt(accounts[1]!, app)),
    ]);
    assert.deepEqual(statuses, [201, 201, 201, 400, 201, 400]);
  });
});

function loudest({ samples }: Sound): number {
  let peak = 0;
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
  return peak / 32768;
}
