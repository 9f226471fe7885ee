import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { Sipp } from './support/sipp.ts';

const skip = missing('sipp');

describe('kill -9 in the middle of a call', { skip, timeout: 180_000 }, () => {
  let platform: PlatformProcess;

  before(async () => {
    platform = await PlatformProcess.start();
  });

  after(() => platform.stop());

  it('the call has ended with its cause, registrations hold, and nothing that was acknowledged is lost', async () => {
    const password = 'kill-secret';
    const registered = await platform.createEndpoint('registered', password);
    const sipp = await Sipp.start({
      remote: platform.sipAddress,
      scenario: 'register',
      user: registered.username,
      password,
    });
    assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });
    const before_ = (await platform.api('GET', `Endpoint/${registered.endpointId}/`)).body;
    assert.equal(before_.sip_registered, 'true');

    const room = 'MultiPartyCall/name_killed/';
    for (const to of ['+12025550101', '+12025550100']) {
      const { status } = await platform.api('POST', `${room}Participant/`, {
        role: 'agent',
        from: '+12025550000',
        to,
      });
      assert.equal(status, 201);
    }
    await platform.until(
      'both participants',
      `${room}Participant/`,
      (body) =>
        body.objects?.filter((participant: { status: string }) => participant.status === 'joined').length ===
        2,
    );
    const { mpc_uuid: uuid } = (await platform.api('GET', room)).body;

    // Acknowledged one by one, the last at the moment of the kill.
    const acknowledged: string[] = [];
    for (let number = 0; number < 20; number++) {
      acknowledged.push((await platform.createEndpoint(`kept${number}`, password)).endpointId);
    }
    await platform.killAndRestart();

    const call = (await platform.api('GET', `MultiPartyCall/uuid_${uuid}/`)).body;
    assert.equal(call.status, 'Ended');
    assert.equal(call.termination_cause, 'No Active Participants');
    assert.equal(call.termination_cause_code, 1000);
    assert.notEqual(call.end_time, null);
    assert.equal((await platform.api('GET', room)).status, 404, 'the name is free again');
    const participants = (await platform.api('GET', `MultiPartyCall/uuid_${uuid}/Participant/`)).body;
    assert.equal(participants.objects.length, 2);

    const after_ = (await platform.api('GET', `Endpoint/${registered.endpointId}/`)).body;
    assert.equal(after_.sip_registered, 'true');
    assert.equal(after_.sip_contact, before_.sip_contact);
    assert.equal(after_.sip_expires, before_.sip_expires);
    for (const endpointId of acknowledged) {
      assert.equal((await platform.api('GET', `Endpoint/${endpointId}/`)).status, 200);
    }

    const again = await platform.api('POST', `${room}Participant/`, {
      role: 'agent',
      from: '+12025550000',
      to: '+12025550101',
    });
    assert.equal(again.status, 201, 'the platform takes the next call');
    await sipp.stop();
  });

  it('a phone that was registered before the kill is called after it', async () => {
    const password = 'called-secret';
    const { username } = await platform.createEndpoint('called', password);
    const registered = await Sipp.start({
      remote: platform.sipAddress,
      scenario: 'register',
      user: username,
      password,
    });
    assert.deepEqual(await registered.finished(), { code: 0, errors: '' });
    await platform.killAndRestart();
    const phone = await Sipp.start({
      remote: platform.sipAddress,
      scenario: 'answer-hang-up',
      user: username,
      password,
      port: registered.port,
    });
    const { status } = await platform.api('POST', 'MultiPartyCall/name_after/Participant/', {
      role: 'agent',
      from: '+12025550000',
      to: username,
    });
    assert.equal(status, 201);
    assert.deepEqual(await phone.finished(), { code: 0, errors: '' });
    await Promise.all([registered.stop(), phone.stop()]);
  });
});

describe('SIGTERM', { timeout: 180_000 }, () => {
  it('ends live calls with a word to their phones, and leaves with code 0', async () => {
    const platform = await PlatformProcess.start();
    const { status } = await platform.api('POST', 'MultiPartyCall/name_drained/Participant/', {
      role: 'agent',
      from: '+12025550000',
      to: '+12025550101',
    });
    assert.equal(status, 201);
    assert.equal(await platform.stop(), 0);
  });

  it('a second server on the same data directory is refused with the reason', async () => {
    const platform = await PlatformProcess.start();
    await assert.rejects(
      PlatformProcess.start({ JACKFIELD_DATA_DIR: platform.dataDir }),
      /in use|holds|locked/i,
    );
    await platform.stop();
  });

  it('a wrong variable stops the start and is named', async () => {
    await assert.rejects(PlatformProcess.start({ JACKFIELD_RTP_PORTS: 'many' }), /JACKFIELD_RTP_PORTS/);
  });
});
