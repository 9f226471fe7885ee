import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { BaresipPhone } from './support/baresip-phone.ts';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { RtpSocket } from './support/rtp-socket.ts';
import { Sipp, type SippOptions } from './support/sipp.ts';

const skip = missing('sipp');
const password = 'transfer-secret';
const echo = '+12025550100';
const busy = '+12025550102';
const tone = '+12025550109';

describe('transfers that phones ask for', { skip, timeout: 240_000 }, () => {
  let platform: PlatformProcess;
  let server: CallbackReceiver;
  const running: Sipp[] = [];
  const sockets: RtpSocket[] = [];
  let phones = 0;
  let calls = 0;

  before(async () => {
    platform = await PlatformProcess.start({ JACKFIELD_MEDIA_WORKERS: '3' });
    server = await CallbackReceiver.start();
    server.serve('/dialled', '<Response><Hangup/></Response>');
  });

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.close();
    await Promise.all(running.splice(0).map((sipp) => sipp.stop()));
  });

  after(() =>
    cleanUp(
      () => platform.untilQuiet(),
      () => server.stop(),
      () => platform.stop(),
    ),
  );

  async function start(scenario: string, user: string, options: Partial<SippOptions> = {}): Promise<Sipp> {
    const sipp = await Sipp.start({ remote: platform.sipAddress, scenario, user, password, ...options });
    running.push(sipp);
    return sipp;
  }

  const succeeds = async (sipp: Sipp) => assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });

  async function newPhone(applicationId?: string): Promise<string> {
    const { username, endpointId } = await platform.createEndpoint(`transfer${++phones}`, password);
    if (applicationId !== undefined) {
      const { status } = await platform.api('POST', `Endpoint/${endpointId}/`, { app_id: applicationId });
      assert.equal(status, 202);
    }
    return username;
  }

  /** An application whose document is served at this path. */
  async function application(path: string, document: string): Promise<string> {
    server.serve(path, document);
    const { status, body } = await platform.api('POST', 'Application/', {
      app_name: `transfers${path.replace('/', '-')}`,
      answer_url: `http://127.0.0.1:${server.port}${path}`,
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body.app_id;
  }

  function dialling(username: string): string {
    const action = `http://127.0.0.1:${server.port}/dialled`;
    return `<Response><Dial action="${action}"><User>sip:${username}@sip.localhost</User></Dial></Response>`;
  }

  /** A registered phone that waits to be called and then runs the scenario. */
  async function waiting(scenario: string, keys: Readonly<Record<string, string>> = {}) {
    const username = await newPhone();
    const registered = await start('register', username);
    await succeeds(registered);
    return { username, sipp: await start(scenario, username, { port: registered.port, keys }) };
  }

  /** A call that reports its dialog, so that another phone can name it. */
  async function calling(user: string, callee: string, keys: Readonly<Record<string, string>> = {}) {
    const callId = `named-${++calls}`;
    const sipp = await start('call-waiting-for-the-end', user, { callId, keys: { callee, ...keys } });
    const [, tags] = await sipp.logged(/dialog (\S+)/);
    return { sipp, replaces: `${callId};${tags}` };
  }

  async function rtp(): Promise<RtpSocket> {
    const socket = await RtpSocket.open();
    sockets.push(socket);
    return socket;
  }

  /** The causes of the ended calls with their parties: `from to code source`. */
  async function causes(...users: readonly string[]): Promise<string[]> {
    const { objects } = await platform
      .until('the end of all calls', 'Call/?limit=20', async () => {
        const { body } = await platform.api('GET', 'Call/?status=live');
        return body.calls.length === 0;
      })
      .then(async () => (await platform.api('GET', 'Call/?limit=20')).body);
    return objects
      .filter((call: { from_number: string; to_number: string }) =>
        users.some((user) => call.from_number === user || call.to_number === user),
      )
      .map(
        (call: Record<string, string>) =>
          `${call.from_number} ${call.to_number} ${call.hangup_cause_code} ${call.hangup_source}`,
      )
      .sort();
  }

  /** Waits until the only live calls are the answered ones to these two, and gives their UUIDs: a leg of the phone that left may still be in the list. */
  async function callOf(...callees: readonly [string, string]): Promise<readonly string[]> {
    const { calls } = await platform.until(
      `a call of ${callees.join(' and ')}`,
      'Call/?status=live',
      async (body) => {
        const lives = body.calls.map((uuid: string) => platform.api('GET', `Call/${uuid}/?status=live`));
        const legs = await Promise.all(lives);
        const isUp = (callee: string) =>
          legs.some(({ body: leg }) => leg.to?.includes(callee) && leg.call_status === 'in-progress');
        return legs.length === 2 && callees.every(isUp);
      },
    );
    return calls;
  }

  /** Waits until two legs are live, and both are answered. */
  function bothInProgress(what: string) {
    return platform.until(what, 'Call/?status=live', async (body) => {
      if (body.calls.length !== 2) return false;
      const lives = body.calls.map((uuid: string) => platform.api('GET', `Call/${uuid}/?status=live`));
      const states = await Promise.all(lives);
      return states.every((live) => live.body.call_status === 'in-progress');
    });
  }

  it('the caller transfers its callee: NOTIFY reports the progress, its own leg ends, and the two others talk', async () => {
    const alice = await newPhone();
    const listener = await rtp();
    const bob = await waiting('answer-hung-up-by-us', { rtp_port: String(listener.port) });
    const caller = await start('call-refer', alice, { keys: { callee: bob.username, target: tone } });
    await succeeds(caller);
    await caller.logged(/notified SIP\/2\.0 100\n(?:.*\n)*?.*notified SIP\/2\.0 200\n/);
    const heard = listener.heard.length;
    await listener.peer();
    await callOf(bob.username, tone);
    // 20 packets of 20 ms: the phone that was transferred hears the other one.
    await listener.received(heard + 20);
    await platform.api('DELETE', 'Call/');
    await succeeds(bob.sipp);
    assert.deepEqual(
      await causes(alice, bob.username),
      [
        `${alice} ${bob.username} 4000 API Request`,
        `${alice} ${bob.username} 4000 Caller`,
        `${bob.username} ${tone} 4000 API Request`,
      ].sort(),
    );
  });

  it('the callee transfers its caller', async () => {
    const alice = await newPhone();
    const bob = await waiting('answer-refer', { target: echo });
    const { sipp } = await calling(alice, bob.username);
    await succeeds(bob.sipp);
    await callOf(bob.username, echo);
    await platform.api('DELETE', 'Call/');
    await succeeds(sipp);
    assert.deepEqual(
      await causes(alice, bob.username),
      [
        `${alice} ${bob.username} 4000 API Request`,
        `${alice} ${bob.username} 4000 Call recipient`,
        `${alice} ${echo} 4000 API Request`,
      ].sort(),
    );
  });

  it('a transfer to a phone that is busy fails with 486, and the call goes on', async () => {
    const alice = await newPhone();
    const bob = await waiting('answer-hung-up-by-us');
    const failed = await start('call-refer-failed', alice, { keys: { callee: bob.username, target: busy } });
    await succeeds(failed);
    await failed.logged(/notified SIP\/2\.0 486\n/);
    await succeeds(bob.sipp);
  });

  it('a phone that hangs up before the outcome leaves its partner ringing, and then connected', async () => {
    const alice = await newPhone();
    const bob = await waiting('answer-refer-leave', { target: '+12025550105' });
    const { sipp } = await calling(alice, bob.username);
    await succeeds(bob.sipp);
    await bothInProgress('an answer after five seconds');
    await platform.api('DELETE', 'Call/');
    await succeeds(sipp);
  });

  it('a phone that wants no subscription gets none (RFC 4488)', async () => {
    const alice = await newPhone();
    const bob = await waiting('answer-hung-up-by-us');
    await succeeds(await start('call-refer-silent', alice, { keys: { callee: bob.username, target: echo } }));
    await callOf(bob.username, echo);
    await platform.api('DELETE', 'Call/');
    await succeeds(bob.sipp);
  });

  it('two calls of a phone become one of the two others, and both of its legs end', async () => {
    const alice = await newPhone();
    const [bob, carol] = [await waiting('answer-hung-up-by-us'), await waiting('answer-hung-up-by-us')];
    const first = await calling(alice, bob.username);
    const replaces = encodeURIComponent(first.replaces);
    const second = await start('call-refer-other-call', alice, {
      keys: { callee: carol.username, replaces },
    });
    await succeeds(second);
    await succeeds(first.sipp);
    const [either] = await callOf(bob.username, carol.username);
    // The two end together.
    await platform.api('DELETE', `Call/${either}/`);
    await succeeds(bob.sipp);
    await succeeds(carol.sipp);
  });

  it('a phone takes the place of another one in its call (RFC 3891)', async () => {
    const alice = await newPhone();
    const bob = await waiting('answer-hung-up-by-us');
    const { sipp, replaces } = await calling(alice, bob.username);
    const taker = await start('call-takes-over', alice, { keys: { callee: bob.username, replaces } });
    await succeeds(sipp);
    await succeeds(taker);
    await succeeds(bob.sipp);
  });

  it('a phone that a document has dialled transfers its caller, and the document goes on when the other phone leaves', async () => {
    const bob = await waiting('answer-refer', { target: '+12025550108' });
    const alice = await newPhone(await application('/bob', dialling(bob.username)));
    const { sipp } = await calling(alice, '+12025551234');
    await succeeds(bob.sipp);
    // Its phone answers and hangs up after ten seconds.
    const dialled = await server.asked('/dialled');
    assert.equal(dialled.fields.get('DialStatus'), 'completed');
    assert.notEqual(dialled.fields.get('DialBLegUUID'), '');
    await succeeds(sipp);
    assert.deepEqual(await causes(alice), [
      `${alice} +12025550108 4000 Call recipient`,
      `${alice} +12025551234 4000 Answer XML`,
      `${alice} sip:${bob.username}@sip.localhost 4000 Call recipient`,
    ]);
  });

  it('a caller whose call a document runs transfers whom it was connected with, but not to numbers', async () => {
    const [bob, carol] = [await waiting('answer-hung-up-by-us'), await waiting('answer-hung-up-by-us')];
    const alice = await newPhone(await application('/to-bob', dialling(bob.username)));
    const keys = { callee: '+12025551234', target: carol.username };
    await succeeds(await start('call-refer', alice, { keys }));
    const [, either] = await callOf(bob.username, carol.username);
    await platform.api('DELETE', `Call/${either}/`);
    await Promise.all([succeeds(bob.sipp), succeeds(carol.sipp)]);
    const dora = await waiting('answer-hung-up-by-us');
    const eve = await newPhone(await application('/to-dora', dialling(dora.username)));
    const refused = await start('call-refer-failed', eve, { keys: { callee: '+12025551234', target: echo } });
    await succeeds(refused);
    await refused.logged(/notified SIP\/2\.0 403\n/);
    await succeeds(dora.sipp);
  });

  it('baresip transfers its call, and hangs up when it hears that that succeeded', {
    skip: missing('baresip', 'sox'),
  }, async () => {
    const alice = await newPhone();
    const phone = await BaresipPhone.start({
      registrar: platform.sipAddress,
      username: alice,
      password,
      toneHz: 440,
    });
    try {
      await phone.registered();
      const bob = await waiting('answer-hung-up-by-us');
      phone.dial(`sip:${bob.username}@${platform.sipAddress}`);
      await phone.established();
      // A phone knows of the answer before the answer is recorded, and its call cannot be transferred until then.
      await bothInProgress('the answer');
      phone.transfer(`sip:${echo}@${platform.sipAddress}`);
      await phone.closed();
      await callOf(bob.username, echo);
      await platform.api('DELETE', 'Call/');
      await succeeds(bob.sipp);
    } finally {
      await phone.stop();
    }
  });

  it('a REFER outside a call is refused', async () => {
    await succeeds(await start('refer-outside', await newPhone()));
  });
});
