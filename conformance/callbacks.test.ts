import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { CallbackReceiver, wrongSignatures } from './support/callback-receiver.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freeServerPort } from './support/ports.ts';

const authToken = 'Y29uZm9ybWFuY2Vjb25mb3JtYW5jZWNvbmZvcm1h';

const whole = [
  'MPCStart',
  'ParticipantJoin',
  'ParticipantJoin',
  'ParticipantExit',
  'ParticipantExit',
  'MPCEnd',
];

const receivers: CallbackReceiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop();
});

/** On this port, or on a free one. */
async function receiverOn(port = 0): Promise<CallbackReceiver> {
  const receiver = await CallbackReceiver.start(port);
  receivers.push(receiver);
  return receiver;
}

describe('callbacks of a multiparty call', { timeout: 180_000 }, () => {
  let platform: PlatformProcess;

  before(async () => {
    platform = await PlatformProcess.start();
  });

  after(async () => {
    await platform.stop();
  });

  /** Two sandbox phones join; returns the UUID of the call. */
  async function open(name: string, url: string, method = 'POST'): Promise<string> {
    for (const to of ['+12025550101', '+12025550100']) {
      const { status } = await platform.api('POST', `MultiPartyCall/name_${name}/Participant/`, {
        role: 'agent',
        from: '+12025550000',
        to,
        status_callback_url: url,
        status_callback_method: method,
      });
      assert.equal(status, 201);
    }
    await platform.until(
      'both participants',
      `MultiPartyCall/name_${name}/Participant/`,
      (body) => body.objects?.filter(({ status }: { status: string }) => status === 'joined').length === 2,
    );
    return (await platform.api('GET', `MultiPartyCall/name_${name}/`)).body.mpc_uuid;
  }

  async function close(name: string): Promise<void> {
    assert.equal((await platform.api('DELETE', `MultiPartyCall/name_${name}/`)).status, 204);
  }

  const end = (at: CallbackReceiver, uuid: string) =>
    at.received.until(
      'the end of the call',
      ({ name, fields }) => name === 'MPCEnd' && fields.get('MPCUUID') === uuid,
      { limitMs: 60_000 },
    );

  for (const method of ['POST', 'GET']) {
    it(`${method}: each event arrives once, in order, with signatures that verify under both prefixes`, async () => {
      const here = await receiverOn();
      const uuid = await open(`whole${method}`, `${here.url}?tenant=7#rc=3`, method);
      await close(`whole${method}`);
      await end(here, uuid);
      assert.deepEqual(here.names, whole);
      const { all } = here.received;
      assert.equal(new Set(all.map(({ eventId }) => eventId)).size, all.length);
      for (const received of all) {
        assert.equal(received.method, method);
        assert.equal(received.fields.get('MPCUUID'), uuid);
        assert.ok(received.target.startsWith('/events?tenant=7'));
        for (const prefix of ['X-Service-', 'X-Plivo-']) {
          assert.deepEqual(wrongSignatures(received, prefix, authToken), [], received.name);
          assert.notDeepEqual(wrongSignatures(received, prefix, `${authToken}x`), []);
        }
      }
    });
  }

  it('a receiver that answers 500 twice has the event a third time, with the same id, before what is behind it', async () => {
    const here = await receiverOn();
    here.behaviour = (_received, number) => (number < 2 ? 500 : 200);
    const uuid = await open('failing', `${here.url}#rc=2&rp=5xx`);
    await close('failing');
    await end(here, uuid);
    const ids = here.received.all.map(({ eventId }) => eventId);
    assert.equal(new Set(ids.slice(0, 3)).size, 1);
    assert.equal(new Set(ids).size, ids.length - 2);
    assert.deepEqual(here.names.slice(0, 3), Array(3).fill(here.names[0]));
  });

  it('a receiver that is down at first gets every callback, and delays no other receiver', async () => {
    const receiver = await receiverOn();
    const port = await freeServerPort();
    const late = await open('late', `http://127.0.0.1:${port}/events#rc=5`);
    await close('late');
    const prompt = await open('prompt', receiver.url);
    await close('prompt');
    await end(receiver, prompt);
    const path = `Callback/?resource=multiparty-call/${late}`;
    // The record of an attempt is written after its end, a moment after the receiver has the request.
    const statuses = (body: { objects: readonly { status: string }[] }) =>
      body.objects.map(({ status }) => status).sort();
    const attempted = await platform.until('the first attempt', path, (body) =>
      statuses(body).includes('retrying'),
    );
    const behind = whole.slice(1).map(() => 'waiting');
    assert.deepEqual(statuses(attempted), ['retrying', ...behind], 'what is behind the first event waits');
    const here = await receiverOn(port);
    await end(here, late);
    assert.deepEqual(here.names, whole);
    await platform.until(
      'the record of all',
      path,
      (body) =>
        body.objects.filter(({ status }: { status: string }) => status === 'delivered').length ===
        whole.length,
    );
  });

  it('kill -9 while a receiver hesitates: after the start it has the same event again, then the others in order', async () => {
    const here = await receiverOn();
    here.behaviour = (_received, number) => (number === 0 ? 'silence' : 200);
    const uuid = await open('killed', here.url);
    await here.received.until('the first event', () => true);
    await platform.killAndRestart();
    await end(here, uuid);
    const [first, second, ...rest] = here.received.all;
    assert.equal(second!.eventId, first!.eventId);
    assert.equal(second!.name, first!.name);
    assert.deepEqual([first!.name, ...rest.map(({ name }) => name)], whole);
    assert.equal(new Set(rest.map(({ eventId }) => eventId)).size, rest.length);
    // The record of an attempt is written a moment after the receiver has the request.
    const { objects } = await platform.until(
      'the record of all',
      `Callback/?resource=multiparty-call/${uuid}`,
      (body) => body.objects.every(({ status }: { status: string }) => status === 'delivered'),
    );
    assert.ok(objects.every(({ attempts }: { attempts: number }) => attempts === 1));
  });

  it('a delivered callback is shown with what was signed, and replayed with its event id', async () => {
    const here = await receiverOn();
    const uuid = await open('shown', here.url);
    await close('shown');
    const { eventId } = await end(here, uuid);
    const record = await platform.until(
      'the record',
      `Callback/${eventId}/`,
      (body) => body.status === 'delivered',
    );
    assert.equal(record.response_status, 200);
    assert.equal(new URLSearchParams(record.body).get('EventName'), 'MPCEnd');
    assert.ok(record.signed_v3.startsWith(`${here.url}?EventNameMPCEnd`));
    const count = here.received.all.length;
    assert.equal((await platform.api('POST', `Callback/${eventId}/Replay/`)).status, 202);
    const again = await here.received.until('the replay', () => true, { from: count });
    assert.equal(again.eventId, eventId);
    assert.deepEqual(wrongSignatures(again, 'X-Service-', authToken), []);
  });
});

describe('the egress guard of a server without sandbox', { timeout: 180_000 }, () => {
  it('private receivers are not reached, and the log says why', async () => {
    const platform = await PlatformProcess.start({ JACKFIELD_SANDBOX: 'false' });
    const receiver = await receiverOn();
    await platform.api('POST', 'MultiPartyCall/name_guarded/Participant/', {
      role: 'agent',
      from: '+12025550000',
      to: '+12025550100',
      status_callback_url: receiver.url,
    });
    // The callback of the end is written while the ones before it may still wait for their only attempt.
    const { objects } = await platform.until(
      'the verdict of each callback',
      'Callback/',
      ({ objects }) =>
        objects.some(({ event }: { event: string }) => event === 'multiparty-call.ended') &&
        objects.every(({ status }: { status: string }) => status !== 'waiting'),
    );
    for (const { status, attempts, problem } of objects) {
      assert.equal(status, 'failed');
      assert.equal(attempts, 1);
      assert.match(problem, /not open to requests/);
    }
    assert.deepEqual(receiver.names, []);
    await platform.stop();
  });
});
