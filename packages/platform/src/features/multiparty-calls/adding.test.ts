import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase, onEmbeddedDatabase } from '@jackfield/testkit';
import { callEnds } from '../calls/index.ts';
import { agent, customer, type MultipartyWorld, openMultipartyWorld } from './testing/multiparty-world.ts';

const room = 'MultiPartyCall/name_room/';
const exit = { on_exit_action_url: 'https://example.com/exit', on_exit_action_method: 'get' };

async function addList(world: MultipartyWorld, fields: object = {}): Promise<readonly string[]> {
  const { status, body } = await world.post(`${room}Participant/`, {
    ...agent,
    to: '+12025550100<alice261121120000<bob261121120001',
    ...fields,
  });
  assert.equal(status, 201, JSON.stringify(body));
  await world.runner.idle();
  return body.calls.map((each: { call_uuid: string }) => each.call_uuid);
}

const endsOf = (world: MultipartyWorld, legs: readonly string[]) =>
  legs.map((leg) => {
    const end = world.calls.hungUp.get(leg);
    return end === undefined ? null : `${end.code} ${end.name}, ${end.source}`;
  });

eachDatabase('Agents called at once', (open) => {
  test('the answer names every call, and one request_uuid for all of them', async () => {
    const world = await openMultipartyWorld(open);
    const { status, body } = await world.post(`${room}Participant/`, {
      ...agent,
      to: '+12025550100<alice261121120000',
      call_status_callback_url: 'https://example.com/legs',
    });
    assert.equal(status, 201);
    await world.runner.idle();
    const legs = world.calls.dialled;
    assert.deepEqual(
      body.calls,
      legs.map(({ spec: { to, from }, leg }) => ({ to, from, call_uuid: leg })),
    );
    assert.deepEqual(
      legs.map(({ spec }) => spec.to),
      ['+12025550100', 'alice261121120000'],
    );
    assert.equal(body.message, 'add participant action initiated');
    assert.ok(legs.every(({ requestUuid }) => requestUuid === body.request_uuid));
    assert.ok(!legs.some(({ leg }) => leg === body.request_uuid));
    const [first, second] = legs.map(({ callbacks }) => callbacks?.fields?.MemberID);
    assert.ok(first !== undefined && second !== undefined && first !== second);
    const { objects } = (await world.get(`${room}Participant/`)).body;
    assert.deepEqual(
      objects.map((each: { status: string }) => each.status),
      ['dialling', 'dialling'],
    );
  });

  test('the first phone to answer joins; the others end with 9000 Lost Race and leave the list', async () => {
    const world = await openMultipartyWorld(open);
    const here = await world.join('room', { role: 'customer' });
    const legs = await addList(world);
    world.calls.ring(legs[0] ?? '');
    world.calls.answer(legs[1] ?? '');
    await world.runner.idle();
    assert.deepEqual(endsOf(world, legs), ['9000 Lost Race, Service', null, '9000 Lost Race, Service']);
    const { objects } = (await world.get(`${room}Participant/`)).body;
    assert.deepEqual(
      objects.map((each: { call_uuid: string }) => each.call_uuid),
      [here, legs[1]],
    );
    const { mpc_uuid } = (await world.get(room)).body;
    assert.deepEqual(world.media.edges(mpc_uuid), { [here]: [legs[1]], [legs[1] ?? '']: [here] });
    const reported = world.events.filter(({ type }) => type.includes('add-participant'));
    assert.equal(reported.length, 4, 'begun and completed once for the customer and once for the list');
    assert.equal((await world.remove(room)).status, 204);
    await world.runner.idle();
    assert.equal((await world.get(`MultiPartyCall/uuid_${mpc_uuid}/Participant/`)).body.meta.count, 4);
  });

  test('confirm_key: the sound is for that phone alone, the first to press joins, a wrong key ends with 9110', async () => {
    const world = await openMultipartyWorld(open);
    const here = await world.join('room', { role: 'customer', dial_music: 'none' });
    const sound = 'https://example.com/press.mp3';
    const confirm = { confirm_key: '1', confirm_key_sound_url: sound, confirm_key_sound_method: 'POST' };
    const legs = await addList(world, confirm);
    const [first = '', second = '', third = ''] = legs;
    for (const leg of legs) world.calls.answer(leg);
    await world.runner.idle();
    const { mpc_uuid } = (await world.get(room)).body;
    assert.deepEqual(world.media.edges(mpc_uuid), { [here]: [] }, 'no phone that was asked is in the mix');
    assert.deepEqual(
      world.sounds.playing.map(({ to, items, alone, loop }) => ({ to, items, alone, loop })),
      legs.map((leg) => ({
        to: [leg],
        items: [{ kind: 'source', url: sound, method: 'POST' }],
        alone: true,
        loop: 0,
      })),
    );
    world.calls.press(third, '9');
    await world.runner.idle();
    world.calls.press(second, '1');
    await world.runner.idle();
    assert.deepEqual(endsOf(world, legs), [
      '9000 Lost Race, Service',
      null,
      '9110 Confirm Key Challenge Failed, Service',
    ]);
    assert.deepEqual(world.sounds.playing, []);
    assert.deepEqual(world.media.edges(mpc_uuid), { [here]: [second], [second]: [here] });
    assert.ok(!world.calls.hungUp.has(first) || world.calls.peek(first) === undefined);
  });
});

onEmbeddedDatabase('Adding, with everything that can be asked for', (open) => {
  test('no key within twenty seconds is a wrong key', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', customer);
    const leg = await world.join('room', { confirm_key: '#' });
    await world.clock.advance(19_900);
    await world.runner.idle();
    assert.equal(world.calls.hungUp.size, 0);
    await world.clock.advance(200);
    await world.runner.idle();
    assert.equal(world.calls.hungUp.get(leg)?.code, 9110);
    assert.equal((await world.get(room)).body.status, 'Active');
  });

  test('delay_dial of a list: each phone is dialled at its time, and not at all when another has joined', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', customer);
    const legs = await addList(world, { delay_dial: '0<5<10' });
    const dialled = () => world.calls.dialled.filter(({ leg }) => legs.includes(leg)).length;
    assert.equal(dialled(), 1);
    await world.clock.advance(5000);
    await world.runner.idle();
    assert.equal(dialled(), 2);
    world.calls.answer(legs[1] ?? '');
    await world.runner.idle();
    await world.clock.advance(10_000);
    await world.runner.idle();
    assert.equal(dialled(), 2);
    assert.deepEqual(endsOf(world, legs), ['9000 Lost Race, Service', null, null]);
  });

  test('a cancelled request also cancels the phones that were to be dialled later', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', customer);
    const [first = ''] = await addList(world, { delay_dial: '0<5<10' });
    world.calls.leave(first, callEnds(1000, 'API Request'));
    await world.runner.idle();
    await world.clock.advance(11_000);
    await world.runner.idle();
    assert.equal(world.calls.dialled.length, 2);
    assert.equal((await world.get(`${room}Participant/`)).body.meta.count, 1);
  });

  test('dial_music: ringback comes from the mix, a URL from the sounds, both until the phone has joined', async () => {
    const world = await openMultipartyWorld(open);
    const here = await world.join('room', customer);
    const rings = await world.add('room');
    world.calls.ring(rings);
    await world.runner.idle();
    const ringback = world.media.commands.find((each) => each.do === 'play' && each.key === `dial:${here}`);
    assert.ok(ringback?.do === 'play' && ringback.sound.kind === 'ringback' && ringback.loop);
    world.calls.leave(rings);
    await world.runner.idle();
    const last = world.media.commands.at(-1);
    assert.ok(last?.do === 'stop-play' && last.key === `dial:${here}`);
    const music = await world.add('room', { dial_music: 'https://example.com/music.wav' });
    const [play] = world.sounds.playing;
    assert.deepEqual(play?.items, [{ kind: 'source', url: 'https://example.com/music.wav', method: 'GET' }]);
    assert.deepEqual(play?.to, [here]);
    world.calls.answer(music);
    await world.runner.idle();
    assert.deepEqual(world.sounds.playing, []);
  });

  test('music that ends by itself is over, and later music has a new name', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', customer);
    for (let time = 0; time < 2; time++) {
      const leg = await world.add('room', { dial_music: 'https://example.com/music.wav' });
      assert.equal(world.sounds.playing.length, 1);
      world.sounds.finish(world.sounds.playing[0]?.play ?? '');
      await world.runner.idle();
      world.calls.leave(leg);
      await world.runner.idle();
      assert.equal(world.sounds.playing.length, 0);
    }
  });

  test('relay_dtmf_inputs: keys of a participant go to its listeners', async () => {
    const world = await openMultipartyWorld(open);
    const one = await world.join('room', customer);
    const two = await world.join('room', { relay_dtmf_inputs: 'true' });
    world.calls.press(two, '7');
    world.calls.press(one, '8');
    await world.runner.idle();
    assert.deepEqual(
      world.media.commands.filter((each) => each.do === 'send-digits'),
      [{ do: 'send-digits', leg: one, digits: '7' }],
    );
  });

  test('create_mpc_with_single_participant=false: 404 where no call is ongoing, and no phone is dialled', async () => {
    const world = await openMultipartyWorld(open);
    for (const name of ['create_mpc_with_single_participant', 'create_mpc_if_alone']) {
      const { status, body } = await world.post(`${room}Participant/`, { ...agent, [name]: 'false' });
      assert.equal(status, 404);
      assert.match(body.error, /ongoing multiparty call/);
    }
    assert.equal(world.calls.dialled.length, 0);
    await world.join('room', customer);
    await world.join('room', { create_mpc_with_single_participant: false });
    assert.equal((await world.get(`${room}Participant/`)).body.meta.count, 2);
  });

  test('a list uses one slot of max_participants', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', { ...customer, max_participants: 2 });
    await addList(world);
    const { status, body } = await world.post(`${room}Participant/`, agent);
    assert.equal(status, 400);
    assert.match(body.error, /max_participants is 2/);
  });
});

eachDatabase('on_exit_action_url', (open) => {
  test('a kicked participant with an exit action runs its document, with the fields of an exit action; others end with 4030', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', customer);
    await world.join('room');
    const leg = await world.join('room', exit);
    const { mpc_uuid } = (await world.get(room)).body;
    const member = await world.memberOf('room', leg);
    await world.clock.advance(4000);
    assert.equal((await world.remove(`${room}Participant/${member}/`)).status, 204);
    await world.runner.idle();
    const [order] = world.exits;
    assert.deepEqual(order, {
      leg,
      request: { url: 'https://example.com/exit', method: 'GET' },
      fields: {
        MPCUUID: mpc_uuid,
        MPCFriendlyName: 'room',
        MemberID: member,
        ParticipantCallUUID: leg,
        ParticipantRole: 'agent',
        ParticipantJoinTime: '2026-01-01 00:00:00+00:00',
        ParticipantEndTime: '2026-01-01 00:00:04+00:00',
        ParticipantExitCause: 'Kicked Out of Multiparty Call',
      },
      endWithout: { code: 4030, name: 'Kicked Out Of Multiparty Call', source: 'API Request' },
    });
    assert.equal(world.calls.hungUp.has(leg), false);
    assert.equal(world.calls.peek(leg)?.owner?.kind, 'document');
  });

  test('a leg that finds no document is hung up with the cause of a leg without an exit action', async () => {
    for (const how of ['without-leg', 'broken'] as const) {
      const world = await openMultipartyWorld(open);
      const leg = await world.join('room', exit);
      world.refuseNextExit(how);
      await world.remove(room);
      await world.runner.idle();
      assert.deepEqual(endsOf(world, [leg]), ['4020 Multiparty Call Ended, API Request']);
    }
  });

  test('at the end of the call each participant leaves to its own document', async () => {
    const world = await openMultipartyWorld(open);
    const with_ = await world.join('room', exit);
    const without = await world.join('room', customer);
    await world.remove(room);
    await world.runner.idle();
    assert.deepEqual(
      world.exits.map(({ leg, endWithout }) => [leg, endWithout.code]),
      [[with_, 4020]],
    );
    assert.deepEqual(endsOf(world, [with_, without]), [null, '4020 Multiparty Call Ended, API Request']);
    assert.equal(world.media.openMixes, 0);
  });

  test('a participant who hangs up is reported to its exit action through the outbox, after its ParticipantExit', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', { ...customer, stay_alone: true });
    const leg = await world.join('room', exit);
    const before = world.events.length;
    world.calls.leave(leg);
    await world.runner.idle();
    const events = world.events.slice(before);
    assert.deepEqual(
      events.map(({ type }) => type),
      [
        'multiparty-call.participant-exited',
        'multiparty-call.exit-action',
        'multiparty-call.hearing-changed',
      ],
    );
    const reported = events[1];
    assert.deepEqual(reported?.callback, { url: 'https://example.com/exit', method: 'GET' });
    const { CallUUID, CallStatus, ParticipantExitCause, MPCFriendlyName, Direction } =
      reported?.payload ?? {};
    assert.deepEqual(
      [CallUUID, CallStatus, ParticipantExitCause, MPCFriendlyName, Direction],
      [leg, 'completed', 'Participant Call Hangup', 'room', 'outbound'],
    );
    assert.equal(world.exits.length, 0);
  });

  test('a participant who is moved to another call leaves without its exit action', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', { ...customer, stay_alone: true });
    const leg = await world.join('room', exit);
    const moved = await world.post('MultiPartyCall/other/Participant/', { role: 'agent', call_uuid: leg });
    assert.equal(moved.status, 201, JSON.stringify(moved.body));
    await world.runner.idle();
    assert.equal(world.exits.length, 0);
    assert.ok(!world.events.some(({ type }) => type === 'multiparty-call.exit-action'));
    const { objects } = (await world.get('MultiPartyCall/name_other/Participant/')).body;
    assert.deepEqual([objects[0].call_uuid, objects[0].status], [leg, 'joined']);
  });
});
