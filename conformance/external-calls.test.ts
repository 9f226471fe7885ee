import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { BaresipPhone } from './support/baresip-phone.ts';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { heardTone } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { RegisteredPhones } from './support/registered-phones.ts';

const skip = missing('baresip', 'sox');

/** A phone without an account: its address has a domain of its own, and it has no password. */
const guest = {
  registrar: 'elsewhere.example',
  username: 'guest',
  password: '',
  toneHz: 440,
  registers: false,
} as const;

describe('callers without an account', { skip, timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let server: CallbackReceiver;
  let outside: BaresipPhone;
  const phones = new RegisteredPhones();

  before(async () => {
    platform = await PlatformProcess.start();
    server = await CallbackReceiver.start();
    outside = await BaresipPhone.start(guest);
  });

  after(() =>
    cleanUp(
      () => outside?.stop(),
      () => platform?.untilQuiet(),
      () => server?.stop(),
      () => platform?.stop(),
    ),
  );

  afterEach(() => phones.stop());

  const uri = (user: string) => `sip:${user}@${platform.sipAddress}`;
  const recorded = async () => (await platform.api('GET', 'Call/')).body.meta.total_count as number;

  it('a phone without an account calls the sip_uri of an endpoint, and both hear each other', async () => {
    const alice = await phones.start(platform, 'alice', 700);
    const from = outside.events.all.length;
    outside.dial(uri(alice.username));
    await Promise.all([outside.established(from), alice.phone.established()]);
    await Promise.all([heardTone(outside, 700, 1.5), heardTone(alice.phone, 440, 1.5)]);
    const peers = alice.phone.events.all.map((event) => JSON.stringify(event)).join('\n');
    assert.match(peers, /"peeruri":"sip:guest@elsewhere\.example/, 'the phone sees whose call it is');
    outside.hangUp();
    await Promise.all([outside.closed(from), alice.phone.closed()]);
    const { objects } = await platform.until('both records', 'Call/', (body) => body.meta.total_count === 2);
    for (const record of objects) {
      assert.equal(record.from_number, 'sip:guest@elsewhere.example');
      assert.equal(record.stir_verification, 'Not Applicable');
    }
    const metrics = await platform.metrics('jackfield_sip_external_calls');
    assert.equal(metrics.jackfield_sip_external_calls_total, 1);
  });

  it('the API reaches the same phone by its username at our address and port', async () => {
    const alice = await phones.start(platform, 'alice', 700);
    const answer = server.serve('/waits', '<Response><Wait length="30"/></Response>');
    const order = { from: '+12025550000', to: uri(alice.username), answer_url: answer };
    const { status, body } = await platform.api('POST', 'Call/', order);
    assert.equal(status, 201, JSON.stringify(body));
    await alice.phone.established();
    assert.equal((await platform.api('DELETE', `Call/${body.request_uuid}/`)).status, 204);
    await alice.phone.closed();
  });

  it('a number, an unknown user and an endpoint without a phone are refused alike, and no phone is called', async () => {
    const { username } = await platform.createEndpoint('carol', 'secret-of-carol');
    // The record of a call that has just ended may still be written.
    await platform.untilQuiet();
    const before = await recorded();
    const refusals: string[] = [];
    for (const callee of ['+12025550100', 'nobody261121120000', username]) {
      const from = outside.events.all.length;
      outside.dial(uri(callee));
      refusals.push((await outside.closed(from)).param ?? '');
    }
    assert.equal(new Set(refusals).size, 1, refusals.join(', '));
    assert.match(refusals[0] ?? '', /401/);
    assert.equal(await recorded(), before);
  });

  it('an application with public_uri answers by its document, one without refuses', async () => {
    const answer = server.serve(
      '/answer',
      '<Response><Speak>One, two, three, four, five, six.</Speak></Response>',
    );
    const create = async (name: string, isPublic: boolean) => {
      const requested = { app_name: name, answer_url: answer, public_uri: isPublic };
      const { body } = await platform.api('POST', 'Application/', requested);
      return (await platform.api('GET', `Application/${body.app_id}/`)).body;
    };
    const [open, closed] = [await create('open', true), await create('closed', false)];
    assert.match(open.sip_uri, new RegExp(`^sip:${open.app_id}@app\\.`));
    const from = outside.events.all.length;
    outside.dial(uri(closed.app_id));
    assert.match((await outside.closed(from)).param ?? '', /401/);
    const second = outside.events.all.length;
    outside.dial(uri(open.app_id));
    await outside.established(second);
    const asked = await server.asked('/answer');
    assert.equal(asked.fields.get('From'), 'sip:guest@elsewhere.example');
    await outside.closed(second);
  });
});
