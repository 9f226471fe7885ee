import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BaresipPhone } from './support/baresip-phone.ts';
import { cleanUp } from './support/clean-up.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { RtpSocket } from './support/rtp-socket.ts';
import { Sipp, type SippOptions } from './support/sipp.ts';

const skip = missing('sipp');
const password = 'dialog-secret';
const talker = '+12025550101';
const echo = '+12025550100';
const late = '+12025550105';

describe('what phones do in the middle of calls', { skip, timeout: 360_000 }, () => {
  let platform: PlatformProcess;
  const running: Sipp[] = [];
  const sockets: RtpSocket[] = [];
  let phones = 0;

  before(async () => {
    platform = await PlatformProcess.start();
  });

  after(() =>
    cleanUp(
      () => sockets.map((socket) => socket.close()),
      () => Promise.all(running.map((sipp) => sipp.stop())),
      () => platform.untilQuiet(),
      () => platform.stop(),
    ),
  );

  async function start(scenario: string, user: string, options: Partial<SippOptions> = {}): Promise<Sipp> {
    const sipp = await Sipp.start({ remote: platform.sipAddress, scenario, user, password, ...options });
    running.push(sipp);
    return sipp;
  }

  async function run(scenario: string, user: string, options: Partial<SippOptions> = {}): Promise<Sipp> {
    const sipp = await start(scenario, user, options);
    assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });
    return sipp;
  }

  const endpoint = () => platform.createEndpoint(`phone${++phones}`, password);

  async function rtp(): Promise<RtpSocket> {
    const socket = await RtpSocket.open();
    sockets.push(socket);
    return socket;
  }

  /** A registered phone that waits to be called and then runs the scenario. */
  async function waiting(
    scenario: string,
    keys: Readonly<Record<string, string>> = {},
    options: Partial<SippOptions> = {},
  ) {
    const { username } = await endpoint();
    const { port } = await run('register', username);
    return { username, sipp: await start(scenario, username, { ...options, port, keys }) };
  }

  async function add(room: string, to: string, more: object = {}): Promise<void> {
    const { status, body } = await platform.api('POST', `MultiPartyCall/name_${room}/Participant/`, {
      role: 'agent',
      from: '+12025550000',
      to,
      enter_sound: 'none',
      exit_sound: 'none',
      stay_alone: true,
      ...more,
    });
    assert.equal(status, 201, JSON.stringify(body));
  }

  const succeeds = async (sipp: Sipp) => assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });
  const end = (room: string) => platform.api('DELETE', `MultiPartyCall/name_${room}/`);

  /** The phone that calls `callee` with this value of `gr`. */
  const gruu = (callee: string, named: string) => ({
    authUri: `${callee}@${platform.sipAddress};gr${named}`,
    keys: { callee, named },
  });

  // Each has its own phones and its own room. The first two wait for most of a minute, the others meanwhile.
  describe('side by side', { concurrency: 4 }, () => {
    it('a session is refreshed by us after half of its interval, again after a glare, and a session that its phone lets expire is ended', async () => {
      const slow = { timeoutSeconds: 80 };
      const phones = [
        await waiting('session-refreshed', {}, slow),
        await waiting('session-expired', {}, slow),
        await waiting('session-glare', {}, slow),
      ];
      await add('timers', talker);
      await Promise.all(phones.map(({ username }) => add('timers', username)));
      const { username } = await endpoint();
      const caller = await start('call-session-glare', username, { ...slow, keys: { callee: echo } });
      await Promise.all([...phones.map(({ sipp }) => succeeds(sipp)), succeeds(caller)]);
      await end('timers');
    });

    it('a 200 that is never acknowledged is repeated, and ends in BYE', async () => {
      const { username } = await endpoint();
      await run('call-never-acknowledged', username, { keys: { callee: echo } });
    });

    it('a phone that holds hears nothing, and hears again when it takes the call back', async () => {
      const listener = await rtp();
      const { username, sipp } = await waiting('hold', { rtp_port: String(listener.port) });
      await add('hold', talker);
      await add('hold', username);
      await listener.peer();
      await succeeds(sipp);
      await end('hold');
      // The phone holds for 2 s. The longest silence is looked for, because the phone counts its times from what it receives.
      const times = listener.heard.map(({ at }) => at);
      const silences = times.slice(1).map((at, before) => at - times[before]!);
      const longest = Math.max(...silences);
      const before = silences.indexOf(longest) + 1;
      assert.ok(longest > 1_600, `silence on the wire while on hold: ${longest} ms`);
      assert.ok(before > 40, `packets before the hold: ${before}`);
      assert.ok(times.length - before > 40, `packets after the hold: ${times.length - before}`);
    });

    it('a phone that moves its audio to another port is heard and hears there', async () => {
      const [first, second] = [await rtp(), await rtp()];
      const keys = { rtp_port: String(first.port), other_port: String(second.port) };
      const { username, sipp } = await waiting('move-port', keys);
      await add('moved', talker);
      await add('moved', username);
      await second.peer();
      const moved = second.heard[0]!.at;
      await succeeds(sipp);
      await end('moved');
      assert.ok(first.heard.length > 30, 'audio at the first port');
      assert.ok(second.heard.length > 30, 'audio at the second port');
      assert.ok(
        first.between(moved + 100, Number.POSITIVE_INFINITY).length <= 1,
        'and none at the first any more',
      );
    });

    it('requests within the dialog are answered as the RFC says, and the call goes on', async () => {
      const listener = await rtp();
      const { username, sipp } = await waiting('in-dialog-requests', { rtp_port: String(listener.port) });
      await add('requests', talker);
      await add('requests', username);
      await succeeds(sipp);
      await end('requests');
      const [last] = listener.heard.slice(-1);
      assert.ok(last !== undefined && last.at - listener.heard[0]!.at > 400, 'audio to the end');
    });

    it('a BYE that crosses ours is answered, and so is ours', async () => {
      const listener = await rtp();
      const { username, sipp } = await waiting('bye-crossing', { rtp_port: String(listener.port) });
      await add('crossing', username);
      await listener.peer();
      await end('crossing');
      await succeeds(sipp);
    });

    it('of several contacts of an endpoint the first answer wins, and the others are cancelled', async () => {
      const { username } = await endpoint();
      const [one, other] = [await run('register', username), await run('register', username)];
      const rings = await start('ring-cancelled', username, { port: one.port });
      const answers = await start('answer-hang-up', username, { port: other.port });
      await add('forked', username);
      await Promise.all([succeeds(rings), succeeds(answers)]);
    });

    it('keys in INFO are taken, in both forms that phones use', async () => {
      const { username, sipp } = await waiting('info-digits');
      await add('info', username);
      await succeeds(sipp);
    });

    it('keys in INFO reach the other phone of the call, once each', {
      skip: missing('baresip'),
    }, async (context) => {
      const { username, sipp } = await waiting('info-digits');
      const caller = await endpoint();
      const registrar = platform.sipAddress;
      const phone = await BaresipPhone.start({ username: caller.username, password, registrar, toneHz: 440 });
      context.after(() => phone.stop());
      await phone.registered();
      phone.dial(`sip:${username}@${registrar}`);
      await phone.closed();
      await succeeds(sipp);
      const pressed = phone.events.all.filter(({ type }) => type === 'CALL_DTMF_START');
      assert.deepEqual(
        pressed.map(({ param }) => param),
        ['5', '#'],
      );
    });

    it('an UPDATE refreshes, holds and takes back, and one without a codec that the server has is refused with 488', async () => {
      const { username, sipp } = await waiting('update');
      await add('update', talker);
      await add('update', username);
      await succeeds(sipp);
      await end('update');
    });

    it('a reliable 183 gets its PRACK, and its description holds for the 200', async () => {
      const listener = await rtp();
      const { username, sipp } = await waiting('prack', { rtp_port: String(listener.port) });
      await add('prack', talker);
      await add('prack', username);
      await succeeds(sipp);
      await end('prack');
      assert.ok(listener.heard.length > 10, 'audio at the port of the 183');
    });

    it('a caller that requires reliable provisional responses gets them, repeated until their PRACK', async () => {
      const { username } = await endpoint();
      await run('call-prack', username, { keys: { callee: late } });
    });

    it('an interval that is too short is refused with 422, and the caller refreshes by UPDATE and re-INVITE', async () => {
      const { username } = await endpoint();
      await run('call-session-timer', username, { keys: { callee: echo } });
    });

    it('a change of the session that crosses ours gets 491, and succeeds afterwards', async () => {
      const { username } = await endpoint();
      await run('call-glare', username, { keys: { callee: echo } });
    });

    it('a caller holds and takes back, by UPDATE and by re-INVITE, and asks for our offer', async () => {
      const { username } = await endpoint();
      await run('call-update', username, { keys: { callee: echo } });
      await run('call-hold', username, { keys: { callee: echo } });
    });

    it('an UPDATE of a phone that has not answered moves its audio', async () => {
      const [first, second] = [await rtp(), await rtp()];
      const keys = { rtp_port: String(first.port), other_port: String(second.port) };
      const { username, sipp } = await waiting('early-update', keys);
      await add('early', talker);
      await add('early', username);
      await succeeds(sipp);
      await end('early');
      assert.ok(second.heard.length > 30, `audio at the port of the UPDATE: ${second.heard.length}`);
      assert.ok(first.heard.length < 10, `and none at the one before: ${first.heard.length}`);
    });

    it('an UPDATE of a caller that has no answer yet waits where it carries an offer, and refreshes where it does not', async () => {
      const { username } = await endpoint();
      await run('call-early-update', username, { keys: { callee: late } });
    });

    it('keys of a caller in INFO are accepted, and an INFO package that was not offered gets a 469', async () => {
      const { username } = await endpoint();
      await run('call-info', username, { keys: { callee: echo } });
    });

    it('of two phones behind a proxy that both answer, the second gets ACK and BYE', async () => {
      const { username, sipp } = await waiting('forked');
      await add('two-answers', username);
      await succeeds(sipp);
    });

    it('the same INVITE on two ways is a merged request: 482', async () => {
      const { username } = await endpoint();
      await run('call-merged', username, { keys: { callee: late } });
    });

    it('transfers of a participant of a multiparty call are declined, and the call goes on', async () => {
      const { username, sipp } = await waiting('refer');
      await add('refer', username);
      await succeeds(sipp);
    });

    it('an INVITE that is to replace a call which does not exist gets a 481', async () => {
      const { username } = await endpoint();
      await run('call-replaces', username, { keys: { callee: echo } });
    });

    it('an INVITE without an offer gets ours, and its answer comes in the ACK', async () => {
      const { username } = await endpoint();
      await run('call-without-offer', username, { keys: { callee: echo } });
    });

    it('an INVITE without a codec that the server has is refused with 488', async () => {
      const { username } = await endpoint();
      await run('call-without-codec', username, { keys: { callee: echo } });
    });

    it('a CANCEL after the answer changes nothing', async () => {
      const { username } = await endpoint();
      await run('call-cancel-late', username, { keys: { callee: echo } });
    });

    it('a registration for less than a minute is refused with 423', async () => {
      const { username, endpointId } = await endpoint();
      await run('register-brief', username);
      assert.equal((await platform.api('GET', `Endpoint/${endpointId}/`)).body.sip_registered, 'false');
    });

    it('no user registers the address of another user', async () => {
      const [mallory, alice] = [await endpoint(), await endpoint()];
      await run('register-other', alice.username, { authUser: mallory.username });
      for (const { endpointId } of [mallory, alice]) {
        const { body } = await platform.api('GET', `Endpoint/${endpointId}/`);
        assert.equal(body.sip_registered, 'false');
      }
    });

    it('a flow of a phone that fails leaves the call to its other one (RFC 5626)', async () => {
      const { username } = await endpoint();
      const keys = { instance: '00000000-0000-4000-8000-000000000001' };
      const older = await run('register-flow', username, { keys: { ...keys, reg_id: '1' } });
      const newer = await run('register-flow', username, { keys: { ...keys, reg_id: '2' } });
      const failing = await start('flow-failed', username, { port: newer.port });
      const answering = await start('answer-hang-up', username, { port: older.port });
      await add('flows', username);
      await Promise.all([succeeds(failing), succeeds(answering)]);
      await run('register-flow-lacking', username, { keys: { ...keys, reg_id: '3', proxy_port: '9' } });
    });

    it('a GRUU calls one phone of an endpoint, and no other (RFC 5627)', async () => {
      const { username } = await endpoint();
      const [one, other] = ['1', '2'].map((last) => `00000000-0000-4000-8000-00000000000${last}`);
      const called = await run('register-flow', username, { keys: { instance: one!, reg_id: '1' } });
      const silent = await run('register-flow', username, { keys: { instance: other!, reg_id: '1' } });
      const answers = await start('answer-hang-up', username, { port: called.port });
      const hears = await start('answer-hang-up', username, { port: silent.port });
      const caller = await endpoint();
      await run('call-gruu', caller.username, gruu(username, `=urn:uuid:${one}`));
      await succeeds(answers);
      await hears.stop();
      assert.notEqual((await hears.finished()).code, 0, 'the other phone was not called');
    });

    it('a GRUU that is none, or none any more, gets 404, one whose phone is not registered 480, and no other phone rings (RFC 5627 §6.1)', async () => {
      const { username } = await endpoint();
      const { username: caller } = await endpoint();
      const instance = '00000000-0000-4000-8000-000000000001';
      const refused = async (callee: string, named: string, status: number) => {
        const sipp = await run('call-gruu-refused', caller, gruu(callee, named));
        await sipp.logged(new RegExp(`refused ${status}`));
      };
      /** Registers with a Call-ID of its own; returns the temporary GRUU's user and the port. */
      const registered = async (port?: number) => {
        const keys = { instance, reg_id: '1' };
        const sipp = await run('register-flow', username, { keys, ...(port !== undefined && { port }) });
        const [, hidden] = await sipp.logged(/ temporary (\S+) end/);
        return { hidden: hidden!, port: sipp.port };
      };
      const first = await registered();
      const answers = await start('answer-hang-up', username, { port: first.port });
      await run('call-gruu', caller, gruu(first.hidden, ''));
      await succeeds(answers);
      const hears = await start('answer-hang-up', username, { port: (await registered()).port });
      await refused(first.hidden, '', 404);
      await refused(username, '=urn:uuid:00000000-0000-4000-8000-000000000009', 404);
      await refused(username, '', 404);
      await hears.stop();
      assert.notEqual((await hears.finished()).code, 0, 'the phone was not called');
      await run('unregister-flow', username, { keys: { instance, reg_id: '1' } });
      await refused(username, `=urn:uuid:${instance}`, 480);
    });

    it('a phone behind a proxy is called by its Path (RFC 3327)', async () => {
      const { username } = await endpoint();
      const proxy = await start('behind-proxy', username);
      await run('register-path', username, { keys: { proxy_port: String(proxy.port) } });
      await add('path', username);
      await succeeds(proxy);
    });

    it('a phone whose connection is lost is not registered any more', async () => {
      const { username, endpointId } = await endpoint();
      await run('register', username, { transport: 't1' });
      await platform.until(
        'the end of the registration',
        `Endpoint/${endpointId}/`,
        (body) => body.sip_registered === 'false',
      );
    });
  });

  // These read what the whole platform counts.
  describe('one after another', () => {
    it('a phone that answers while it is cancelled gets ACK and BYE', async () => {
      const { username, sipp } = await waiting('answer-after-cancel');
      await add('late', username, { ring_timeout: 1 });
      await succeeds(sipp);
      await platform.untilQuiet();
    });

    it('keys arrive, and RTP of strangers is not counted among what a phone says', async () => {
      const [phone, stranger] = [await rtp(), await rtp()];
      const before_ = await platform.metrics('jackfield_media_ended_legs');
      const { username, sipp } = await waiting('answer-hung-up-by-us', { rtp_port: String(phone.port) });
      await add('keys', username);
      const port = await phone.peer();
      phone.speak(440, port);
      await new Promise((resolve) => setTimeout(resolve, 300));
      stranger.speak(1000, port);
      for (const key of [1, 5, 11]) await phone.press(key, port);
      await new Promise((resolve) => setTimeout(resolve, 300));
      await end('keys');
      await succeeds(sipp);
      await platform.untilQuiet();
      const after_ = await platform.metrics('jackfield_media_ended_legs');
      const rise = (name: string) => {
        const metric = `jackfield_media_ended_legs_${name}_total`;
        return after_[metric]! - before_[metric]!;
      };
      assert.equal(rise('digits_received'), 3);
      assert.ok(rise('strangers_dropped') > 10, `strangers dropped: ${rise('strangers_dropped')}`);
      assert.equal(stranger.heard.length, 0, 'nothing is sent to a stranger');
    });
  });
});
