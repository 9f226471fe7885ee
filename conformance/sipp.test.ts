import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { cleanUp } from './support/clean-up.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { Sipp, type SippOptions } from './support/sipp.ts';

const skip = missing('sipp');
const password = 'sipp-secret';

describe('sipp as a phone', { skip, timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let user: string;
  let endpointId: string;
  const running: Sipp[] = [];

  before(async () => {
    platform = await PlatformProcess.start();
    ({ username: user, endpointId } = await platform.createEndpoint('sipp', password));
  });

  after(() =>
    cleanUp(
      () => platform.untilQuiet(),
      () => platform.stop(),
    ),
  );

  afterEach(async () => {
    await Promise.all(running.splice(0).map((sipp) => sipp.stop()));
  });

  async function start(scenario: string, options: Partial<SippOptions> = {}): Promise<Sipp> {
    const sipp = await Sipp.start({ remote: platform.sipAddress, scenario, user, password, ...options });
    running.push(sipp);
    return sipp;
  }

  async function run(scenario: string, options: Partial<SippOptions> = {}): Promise<void> {
    const result = await (await start(scenario, options)).finished();
    assert.deepEqual(result, { code: 0, errors: '' });
  }

  const endpoint = async () => (await platform.api('GET', `Endpoint/${endpointId}/`)).body;

  for (const transport of ['u1', 't1'] as const) {
    describe(transport === 'u1' ? 'over UDP' : 'over TCP', () => {
      it('is challenged, registers, and takes its binding away', async () => {
        const sipp = await start('register', { transport });
        assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });
        if (transport === 'u1') assert.equal((await endpoint()).sip_registered, 'true');
        await run('unregister', { transport, port: sipp.port });
        assert.equal((await endpoint()).sip_registered, 'false');
      });

      it('is challenged again, never let in, with a wrong password', async () => {
        await run('register-refused', { transport, password: 'not-the-password' });
        assert.equal((await endpoint()).sip_registered, 'false');
      });

      it('calls and hangs up', () => run('call-hang-up', { transport, keys: { callee: '+12025550100' } }));

      it('calls and is hung up on', () =>
        run('call-hung-up-by-us', { transport, keys: { callee: '+12025550108' } }));

      it('calls and cancels', () => run('call-cancel', { transport, keys: { callee: '+12025550103' } }));
    });
  }

  describe('called by a multiparty call', () => {
    /** A phone of its own that registered on this port and waits there for its scenario. */
    async function waiting(scenario: string): Promise<Sipp> {
      ({ username: user, endpointId } = await platform.createEndpoint('called', password));
      const registered = await start('register');
      assert.deepEqual(await registered.finished(), { code: 0, errors: '' });
      return start(scenario, { port: registered.port });
    }

    async function call(room: string, more: object = {}) {
      const { status, body } = await platform.api('POST', `MultiPartyCall/name_${room}/Participant/`, {
        role: 'agent',
        from: '+12025550000',
        to: user,
        stay_alone: true,
        ...more,
      });
      assert.equal(status, 201, JSON.stringify(body));
      // In the list when it is over as well: a phone that is busy may have said so by now.
      const { objects } = (await platform.api('GET', `MultiPartyCall/?friendly_name=${room}`)).body;
      assert.equal(objects.length, 1);
      return { uuid: objects[0].mpc_uuid as string };
    }

    const ended = (uuid: string) =>
      platform.until(
        'the end of the call',
        `MultiPartyCall/uuid_${uuid}/`,
        (body) => body.status === 'Ended',
      );

    it('answers, and is hung up on when the call is ended by the API', async () => {
      const sipp = await waiting('answer-hung-up-by-us');
      const { uuid } = await call('ended');
      await platform.until(
        'the answer',
        'MultiPartyCall/name_ended/Participant/',
        (body) => body.objects?.[0]?.status === 'joined',
      );
      assert.equal((await platform.api('DELETE', 'MultiPartyCall/name_ended/')).status, 204);
      assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });
      const room = await ended(uuid);
      assert.equal(room.termination_cause_code, 3000);
      assert.equal(room.termination_cause, 'Hangup API Triggered');
    });

    it('answers and hangs up, which leaves no leg', async () => {
      const sipp = await waiting('answer-hang-up');
      const { uuid } = await call('left');
      assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });
      const room = await ended(uuid);
      assert.equal(room.termination_cause_code, 1000);
      assert.equal(room.termination_cause, 'No Active Participants');
    });

    it('rings and is cancelled when its ring timeout passes', async () => {
      const sipp = await waiting('ring-cancelled');
      const { uuid } = await call('unanswered', { ring_timeout: 2 });
      assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });
      assert.equal((await ended(uuid)).termination_cause_code, 1000);
    });

    it('is busy, and no leg is left', async () => {
      const sipp = await waiting('busy');
      const { uuid } = await call('busy');
      assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });
      assert.equal((await ended(uuid)).termination_cause_code, 1000);
    });
  });
});
