import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase, onEmbeddedDatabase, toneFile } from '@jackfield/testkit';
import { type MultipartyWorld, openMultipartyWorld } from './testing/multiparty-world.ts';
import { agent, customer } from './testing/rooms.ts';

const room = 'MultiPartyCall/name_room/';
const musicUrl = 'https://example.com/music.wav';
const soundHz = 500;
/** Time for a file to be fetched. */
const fetchedMs = 100;
const exit = { on_exit_action_url: 'https://example.com/exit', on_exit_action_method: 'get' };

async function addList(world: MultipartyWorld, fields: object = {}): Promise<readonly string[]> {
  const { status, body } = await world.post(`${room}Participant/`, {
    ...agent,
    to: '+12025550100<+12025550103<+12025550104',
    ...fields,
  });
  assert.equal(status, 201, JSON.stringify(body));
  await world.advance(0);
  return body.calls.map((each: { call_uuid: string }) => each.call_uuid);
}

const endsOf = (world: MultipartyWorld, legs: readonly string[]) => Promise.all(legs.map(world.endOf));

eachDatabase('Agents called at once', (open) => {
  test('the answer names every call, and one request_uuid for all of them', async () => {
    const world = await openMultipartyWorld(open);
    const { status, body } = await world.post(`${room}Participant/`, {
      ...agent,
      to: '+12025550100<+12025550103',
      call_status_callback_url: 'https://example.com/legs',
    });
    assert.equal(status, 201);
    await world.advance(0);
    // They are dialled at the same moment, in any order.
    const legs = world.telephony.dialled.toSorted((one, other) => (one.spec.to < other.spec.to ? -1 : 1));
    assert.deepEqual(
      body.calls,
      legs.map(({ spec: { to, from }, leg }) => ({ to, from, call_uuid: leg })),
    );
    assert.deepEqual(
      legs.map(({ spec }) => spec.to),
      ['+12025550100', '+12025550103'],
    );
    assert.equal(body.message, 'add participant action initiated');
    assert.ok(!legs.some(({ leg }) => leg === body.request_uuid));
    for (const { leg } of legs) {
      assert.equal((await world.get(`Call/${leg}/?status=live`)).body.request_uuid, body.request_uuid);
      world.telephony.startRinging(leg);
    }
    await world.advance(100);
    const rung = world.customer.requests.filter(({ url }) => url === 'https://example.com/legs');
    assert.equal(new Set(rung.map(({ fields }) => fields.MemberID)).size, 2);
    const { objects } = (await world.get(`${room}Participant/`)).body;
    assert.deepEqual(
      objects.map((each: { status: string }) => each.status),
      ['ringing', 'ringing'],
    );
  });

  test('the first phone to answer joins; the others end with 9000 Lost Race and leave the list', async () => {
    const world = await openMultipartyWorld(open);
    const here = await world.join('room', { role: 'customer' });
    const legs = await addList(world);
    world.telephony.startRinging(legs[0] ?? '');
    world.telephony.pickUp(legs[1] ?? '');
    await world.advance(0);
    assert.deepEqual(await endsOf(world, legs), ['9000 Lost Race, Service', null, '9000 Lost Race, Service']);
    const { objects } = (await world.get(`${room}Participant/`)).body;
    assert.deepEqual(
      objects.map((each: { call_uuid: string }) => each.call_uuid),
      [here, legs[1]],
    );
    const { mpc_uuid } = (await world.get(room)).body;
    assert.deepEqual(world.hearing(mpc_uuid), { [here]: [legs[1]], [legs[1] ?? '']: [here] });
    const reported = (await world.events()).filter(({ type }) => type.includes('add-participant'));
    assert.equal(reported.length, 4, 'begun and completed once for the customer and once for the list');
    assert.equal((await world.remove(room)).status, 204);
    await world.advance(0);
    assert.equal((await world.get(`MultiPartyCall/uuid_${mpc_uuid}/Participant/`)).body.meta.count, 4);
  });

  test('confirm_key: the sound is for that phone alone, the first to press joins, a wrong key ends with 9110', async () => {
    const world = await openMultipartyWorld(open);
    const here = await world.join('room', { role: 'customer', dial_music: 'none' });
    const sound = 'https://example.com/press.mp3';
    world.customer.serve(sound, toneFile(soundHz, 60_000));
    const confirm = { confirm_key: '1', confirm_key_sound_url: sound, confirm_key_sound_method: 'POST' };
    const legs = await addList(world, confirm);
    const [, second = '', third = ''] = legs;
    for (const leg of legs) world.telephony.pickUp(leg);
    await world.advance(0);
    const { mpc_uuid } = (await world.get(room)).body;
    assert.deepEqual(world.hearing(mpc_uuid), { [here]: [] }, 'no phone that was asked is in the mix');
    await world.advance(fetchedMs);
    // They answered at the same moment, and their sounds begin in any order.
    assert.deepEqual(
      world.playing().toSorted((one, other) => (String(one.to) < String(other.to) ? -1 : 1)),
      legs.toSorted().map((leg) => ({ to: [leg], sound: soundHz, alone: true, loop: true })),
    );
    assert.ok(world.customer.requests.every(({ url, method }) => url !== sound || method === 'POST'));
    world.telephony.press(third, '9');
    await world.advance(0);
    world.telephony.press(second, '1');
    await world.advance(0);
    assert.deepEqual(await endsOf(world, legs), [
      '9000 Lost Race, Service',
      null,
      '9110 Confirm Key Challenge Failed, Service',
    ]);
    assert.deepEqual(world.playing(), []);
    assert.deepEqual(world.hearing(mpc_uuid), { [here]: [second], [second]: [here] });
  });
});

onEmbeddedDatabase('Adding, with everything that can be asked for', (open) => {
  test('no key within twenty seconds is a wrong key', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', customer);
    const leg = await world.join('room', { confirm_key: '#' });
    await world.advance(19_900);
    await world.advance(0);
    assert.equal(world.isHungUp(leg), false);
    await world.advance(200);
    await world.advance(0);
    assert.equal(await world.endOf(leg), '9110 Confirm Key Challenge Failed, Service');
    assert.equal((await world.get(room)).body.status, 'Active');
  });

  test('delay_dial of a list: each phone is dialled at its time, and not at all when another has joined', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', customer);
    const legs = await addList(world, { delay_dial: '0<5<10' });
    const dialled = () => world.telephony.dialled.filter(({ leg }) => legs.includes(leg)).length;
    assert.equal(dialled(), 1);
    await world.advance(5000);
    await world.advance(0);
    assert.equal(dialled(), 2);
    world.telephony.pickUp(legs[1] ?? '');
    await world.advance(0);
    await world.advance(10_000);
    await world.advance(0);
    assert.equal(dialled(), 2);
    assert.deepEqual(await endsOf(world, legs), ['9000 Lost Race, Service', null, null]);
  });

  test('a cancelled request also cancels the phones that were to be dialled later', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', customer);
    const [first = ''] = await addList(world, { delay_dial: '0<5<10' });
    const { request_uuid } = (await world.get(`Call/${first}/?status=live`)).body;
    assert.equal((await world.remove(`Request/${request_uuid}/`)).status, 204);
    await world.advance(0);
    await world.advance(11_000);
    await world.advance(0);
    assert.equal(world.telephony.dialled.length, 2);
    assert.equal((await world.get(`${room}Participant/`)).body.meta.count, 1);
  });

  test('a request is cancelled while its phones wait for their delay_dial, and they are never dialled', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', { ...customer, stay_alone: true });
    const only = await world.post(`${room}Participant/`, { ...agent, delay_dial: 20 });
    const list = await world.post(`${room}Participant/`, {
      ...agent,
      to: '+12025550103<+12025550104',
      delay_dial: '0<20',
      ring_timeout: '10<30',
    });
    await world.advance(12_000);
    const [rang = '', later = ''] = list.body.calls.map((each: { call_uuid: string }) => each.call_uuid);
    assert.deepEqual(await endsOf(world, [rang, later]), ['6010 Ring Timeout Reached, Service', null]);
    const branch = await world.subaccount();
    for (const { body } of [only, list]) {
      const path = `Request/${body.request_uuid}/`;
      assert.equal((await world.remove(path, branch)).status, 404);
      assert.equal((await world.remove(path)).status, 204);
      assert.equal((await world.remove(path)).status, 404);
    }
    await world.advance(20_000);
    assert.equal(world.telephony.dialled.length, 2);
    assert.equal((await world.get(`${room}Participant/`)).body.meta.count, 1);
  });

  test('a phone whose account is disabled during its delay_dial is not dialled, and leaves', async () => {
    const world = await openMultipartyWorld(open);
    const branch = await world.subaccount();
    const path = `Subaccount/${branch.authId}/`;
    const add = async () => {
      await world.join('room', { ...customer, stay_alone: true }, branch);
      const { status } = await world.post(`${room}Participant/`, { ...agent, delay_dial: 20 }, branch);
      assert.equal(status, 201);
      await world.post(path, { enabled: false });
      await world.advance(10_000);
    };
    const after = async () => {
      await world.advance(10_000);
      await world.advance(0);
      const of = `/v1/Account/${branch.authId}/${room}Participant/`;
      return [world.telephony.dialled.length, (await world.get(of)).body.meta.count];
    };
    await add();
    assert.deepEqual(await after(), [1, 1]);
    await world.post(path, { enabled: true });
    await world.remove(room, branch);
    await world.advance(0);
    await add();
    await world.post(path, { enabled: true });
    assert.deepEqual(await after(), [3, 2]);
  });

  test('dial_music: ringback comes from the mix, a URL from the sounds, both until the phone has joined', async () => {
    const world = await openMultipartyWorld(open);
    const here = await world.join('room', customer);
    const rings = await world.add('room');
    world.telephony.startRinging(rings);
    await world.advance(0);
    const ringback = world.node.media.orders.commands.find(
      (each) => each.do === 'play' && each.key === `dial:${here}`,
    );
    assert.ok(ringback?.do === 'play' && ringback.sound.kind === 'ringback' && ringback.loop);
    world.telephony.leave(rings);
    await world.advance(0);
    const stopped = world.node.media.orders.commands.some(
      (each) => each.do === 'stop-play' && each.key === `dial:${here}`,
    );
    assert.ok(stopped);
    world.customer.serve(musicUrl, toneFile(soundHz, 60_000));
    const music = await world.add('room', { dial_music: musicUrl });
    await world.advance(fetchedMs);
    const sounds = () => world.playing().map(({ to, sound }) => [to, sound]);
    assert.deepEqual(sounds(), [[[here], soundHz]]);
    world.telephony.pickUp(music);
    await world.advance(0);
    assert.deepEqual(sounds(), []);
  });

  test('music that cannot be fetched is over, and later music is played', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', customer);
    for (const isThere of [false, false, true]) {
      world.customer.serve(musicUrl, isThere ? toneFile(soundHz, 60_000) : { status: 404 });
      const leg = await world.add('room', { dial_music: musicUrl });
      await world.advance(fetchedMs);
      assert.equal(world.playing().length, isThere ? 1 : 0);
      world.telephony.leave(leg);
      await world.advance(0);
      assert.equal(world.playing().length, 0);
    }
    assert.equal((await world.events()).filter(({ type }) => type === 'sound.failed').length, 2);
  });

  test('relay_dtmf_inputs: keys of a participant go to its listeners', async () => {
    const world = await openMultipartyWorld(open);
    const one = await world.join('room', customer);
    const two = await world.join('room', { relay_dtmf_inputs: 'true' });
    world.telephony.press(two, '7');
    world.telephony.press(one, '8');
    await world.advance(0);
    assert.deepEqual(
      world.node.media.orders.commands.filter((each) => each.do === 'send-digits'),
      [{ do: 'send-digits', leg: one, digits: '7', pressedBy: two }],
    );
  });

  test('create_mpc_with_single_participant=false: 404 where no call is ongoing, and no phone is dialled', async () => {
    const world = await openMultipartyWorld(open);
    for (const name of ['create_mpc_with_single_participant', 'create_mpc_if_alone']) {
      const { status, body } = await world.post(`${room}Participant/`, { ...agent, [name]: 'false' });
      assert.equal(status, 404);
      assert.match(body.error, /ongoing multiparty call/);
    }
    assert.equal(world.telephony.dialled.length, 0);
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

const exitsOf = ({ customer: { requests } }: MultipartyWorld) =>
  requests.filter(({ url }) => url === exit.on_exit_action_url);

onEmbeddedDatabase('on_exit_action_url', (open) => {
  test('a kicked participant with an exit action runs its document, with the fields of an exit action; others end with 4030', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', customer);
    await world.join('room');
    const leg = await world.join('room', exit);
    const { mpc_uuid } = (await world.get(room)).body;
    const member = await world.memberOf('room', leg);
    await world.advance(4000);
    const expected = {
      MPCUUID: mpc_uuid,
      MPCFriendlyName: 'room',
      MemberID: member,
      ParticipantCallUUID: leg,
      ParticipantRole: 'agent',
      ParticipantJoinTime: '2026-01-01 00:00:00+00:00',
      ParticipantEndTime: '2026-01-01 00:00:04+00:00',
      ParticipantExitCause: 'Kicked Out of Multiparty Call',
    };
    world.customer.serve(exit.on_exit_action_url, '<Response><Wait length="1"/></Response>');
    assert.equal((await world.remove(`${room}Participant/${member}/`)).status, 204);
    await world.advance(100);
    const [request] = exitsOf(world);
    assert.equal(request?.method, 'GET');
    const { fields } = request;
    const named = Object.keys(expected).map((name) => [name, fields[name]]);
    assert.deepEqual(Object.fromEntries(named), expected);
    assert.equal(world.isHungUp(leg), false, 'its document runs');
    await world.advance(2_000);
    assert.match((await world.endOf(leg)) ?? '', /^4010 End Of XML Instructions/);
  });

  test('at the end of the call each participant leaves to its own document', async () => {
    const world = await openMultipartyWorld(open);
    world.customer.serve(exit.on_exit_action_url, '<Response><Wait length="1"/></Response>');
    const with_ = await world.join('room', exit);
    const without = await world.join('room', customer);
    await world.remove(room);
    await world.advance(100);
    assert.deepEqual(
      exitsOf(world).map(({ fields }) => fields.ParticipantCallUUID),
      [with_],
    );
    assert.deepEqual(await endsOf(world, [with_, without]), [
      null,
      '4020 Multiparty Call Ended, API Request',
    ]);
  });

  test('a participant who hangs up is reported to its exit action through the outbox, after its ParticipantExit', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', { ...customer, stay_alone: true });
    const leg = await world.join('room', exit);
    const before = (await world.events()).length;
    world.telephony.leave(leg);
    await world.advance(100);
    const types = (await world.events()).slice(before).map(({ type }) => type);
    assert.deepEqual(
      types.filter((type) => type.startsWith('multiparty-call.')),
      [
        'multiparty-call.participant-exited',
        'multiparty-call.exit-action',
        'multiparty-call.hearing-changed',
      ],
    );
    const [reported, ...more] = exitsOf(world);
    assert.deepEqual(more, []);
    assert.equal(reported?.method, 'GET');
    const { CallUUID, CallStatus, ParticipantExitCause, MPCFriendlyName, Direction } = reported.fields;
    assert.deepEqual(
      [CallUUID, CallStatus, ParticipantExitCause, MPCFriendlyName, Direction],
      [leg, 'completed', 'Participant Call Hangup', 'room', 'outbound'],
    );
  });

  test('a participant who is moved to another call leaves without its exit action', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', { ...customer, stay_alone: true });
    const leg = await world.join('room', exit);
    const moved = await world.post('MultiPartyCall/other/Participant/', { role: 'agent', call_uuid: leg });
    assert.equal(moved.status, 201, JSON.stringify(moved.body));
    await world.advance(0);
    await world.advance(100);
    assert.deepEqual(exitsOf(world), []);
    const { objects } = (await world.get('MultiPartyCall/name_other/Participant/')).body;
    assert.deepEqual([objects[0].call_uuid, objects[0].status], [leg, 'joined']);
  });
});
