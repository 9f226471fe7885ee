import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';
import { recordOf, SimulatedRoom, whoHearsWhom } from '../support/simulated-room.ts';

async function endpoint(world: SimulatedWorld, username: string) {
  const { body } = await world.api('GET', 'Endpoint/');
  const [found] = body.objects.filter((each: { readonly username: string }) => each.username === username);
  return found;
}

it('killed in the middle of a call: at the next start the call has ended with a cause, and its legs with 5010', () =>
  inSimulatedWorld({ seed: 3 }, async (world) => {
    const [a, b, c] = [await world.phone('ann'), await world.phone('bob'), await world.phone('cid')];
    c.behaviour = { does: 'ring' };
    const room = new SimulatedRoom(world);
    const added = [...(await room.gather([a, b])), await room.add(c, 'customer')];
    await world.advance(10_000);
    await world.restart();

    const body = await room.body();
    assert.deepEqual([body.status, body.termination_cause_code], ['Ended', 1000]);
    assert.notEqual(body.end_time, null);
    for (const { callUuid, memberId } of added) {
      const record = await recordOf(world, callUuid);
      assert.deepEqual([record.hangup_code, record.hangup_source], [5010, 'Error']);
      assert.notEqual(record.ended_at, null);
      const participant = await room.participant(memberId);
      assert.equal(participant.participant_exit_cause, 'Multiparty Call Ended');
      assert.notEqual(participant.exit_time, null);
    }
    assert.equal((await world.api('GET', 'MultiPartyCall/name_room/')).status, 404, 'the name is free again');
    // The phones notice when a server does not know their dialogs.
    for (const phone of [a, b, c]) phone.hangUp();
    await world.until('the phones are through', () => [a, b].every(({ call }) => call?.end !== undefined));
  }));

for (const isRecorded of [false, true]) {
  it(`the time without a process is not billed (${isRecorded ? 'with' : 'without'} a recording)`, () =>
    inSimulatedWorld({ seed: 7 }, async (world) => {
      const phones = [await world.phone('ann'), await world.phone('bob')];
      const room = new SimulatedRoom(world);
      const [added] = await room.gather(phones, 'agent', { record: isRecorded });
      await world.advance(32_000);
      await world.restart({ downMs: 3_600_000 });

      // A process that is killed was known to live five seconds before at most.
      const { duration, billed_duration, end_time } = await room.body();
      assert.ok(duration >= 27 && duration <= 35, `the room lasted ${duration} s`);
      assert.ok(Date.parse(end_time) < world.now() - 3_590_000, end_time);
      assert.equal(billed_duration, 2 * 60);
      const record = await recordOf(world, added!.callUuid);
      assert.ok(record.ended_at! < world.now() - 3_590_000);
      for (const phone of phones) phone.hangUp();
      await world.until('the phones are through', () => phones.every(({ call }) => call?.end !== undefined));
    }));
}

it('registrations that are still valid are there after a restart, and calls reach the phones at once', () =>
  inSimulatedWorld({ seed: 4 }, async (world) => {
    const [a, b, c] = [await world.phone('ann'), await world.phone('bob'), await world.phone('cid')];
    c.register(60);
    await world.until('the shorter binding holds', () => c.isRegistered);
    const before = await endpoint(world, a.username);
    await world.restart();
    assert.deepEqual(await endpoint(world, a.username), before);
    assert.equal(before.sip_registered, 'true');
    assert.match(before.sip_contact, /^sip:10\.0\.1\.1:5060/);

    const room = new SimulatedRoom(world, 'after');
    await room.gather([a, b, c]);
    assert.deepEqual(await whoHearsWhom(world, [a, b, c]), [
      [1, 2],
      [0, 2],
      [0, 1],
    ]);
    await room.end();
    await world.advance(60_000);
    assert.equal((await endpoint(world, c.username)).sip_registered, 'false');
    assert.equal((await endpoint(world, a.username)).sip_registered, 'true');
  }));

it('a binding that expires while the platform is down is not registered when it comes up', () =>
  inSimulatedWorld({ seed: 5 }, async (world) => {
    const a = await world.phone('ann');
    a.register(60);
    await world.until('the shorter binding holds', () => a.isRegistered);
    await world.restart({ downMs: 61_000 });
    assert.equal((await endpoint(world, a.username)).sip_registered, 'false');
  }));

it('everything that was acknowledged before the kill can be read after it', () =>
  inSimulatedWorld({ seed: 6 }, async (world) => {
    const phones = [await world.phone('ann'), await world.phone('bob'), await world.phone('cid')];
    const room = new SimulatedRoom(world);
    const added = await room.gather(phones, 'supervisor', { stay_alone: true });
    const [first, second, third] = added;
    await room.change(first!.memberId, { coach_mode: false, mute: true });
    await room.change(second!.memberId, { hold: true });
    await room.kick(third!.memberId);
    const created = await world.api('POST', 'Endpoint/', {
      username: 'last',
      password: 'secret',
      alias: 'last',
    });
    await world.restart();

    const { body } = await world.api('GET', `Endpoint/${created.body.endpoint_id}/`);
    assert.equal(body.username, created.body.username);
    const switches = await Promise.all(added.map(({ memberId }) => room.participant(memberId)));
    assert.deepEqual(
      switches.map(({ coach_mode, mute, hold, exit_cause }) => ({ coach_mode, mute, hold, exit_cause })),
      [
        { coach_mode: false, mute: true, hold: false, exit_cause: 'Multiparty Call Ended' },
        { coach_mode: true, mute: false, hold: true, exit_cause: 'Multiparty Call Ended' },
        { coach_mode: true, mute: false, hold: false, exit_cause: 'Kicked Out of Multiparty Call' },
      ],
    );
    for (const phone of phones) phone.hangUp();
    await world.until('the phones are through', () => phones.every(({ call }) => call?.end !== undefined));
  }));

it('killed at any moment of setting calls up: what was acknowledged is there, and nothing is left alive', async () => {
  for (let moment = 0; moment < 24; moment++) {
    await inSimulatedWorld({ seed: 100 + moment }, async (world) => {
      const [a, b] = [await world.phone('ann'), await world.phone('bob')];
      b.behaviour = { does: 'answer', ringMs: 5 };
      const room = new SimulatedRoom(world);
      const added = [await room.add(a, 'agent'), await room.add(b, 'customer')];
      await world.advance(moment);
      await world.restart();
      assert.equal((await room.body()).status, 'Ended', `killed after ${moment} ms`);
      for (const { callUuid } of added) {
        assert.equal((await recordOf(world, callUuid)).hangup_code, 5010, `killed after ${moment} ms`);
      }
      for (const phone of [a, b]) phone.hangUp();
      // A phone whose 200 gets no ACK repeats it for 32 s, then sends its BYE.
      await world.until(
        'the phones are through',
        () => [a, b].every(({ call }) => !call || call.end),
        70_000,
      );
    });
  }
});
