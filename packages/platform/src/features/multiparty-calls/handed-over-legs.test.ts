import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '@jackfield/ports';
import {
  answeredCall,
  type Caller,
  eachDatabase,
  incomingCall,
  onEmbeddedDatabase,
  ringingConversation,
} from '@jackfield/testkit';
import { type MultipartyWorld, openMultipartyWorld } from './testing/multiparty-world.ts';
import { customer } from './testing/rooms.ts';

const room = 'MultiPartyCall/name_room/';
const exitUrl = 'https://customer.example.com/exit';
const nextUrl = 'https://customer.example.com/next';
const waiting = '<Wait length="3600" silence="true"/>';
const waits = `<Response>${waiting}</Response>`;

/** A call whose document lends its leg to the multiparty call, or goes on when it is refused. */
async function caller(world: MultipartyWorld, attributes = '', name = 'room'): Promise<string> {
  world.customer.serve(exitUrl, waits);
  const rest = `role="Customer" enterSound="none" exitSound="none" onExitActionUrl="${exitUrl}" ${attributes}`;
  return incomingCall(
    world,
    `<Response><MultiPartyCall ${rest}>${name}</MultiPartyCall><Speak>Refused</Speak></Response>`,
  );
}

/** Requests to the exit action of borrowed legs: each leg with the cause of its exit. */
const returned = ({ customer: { requests } }: MultipartyWorld) =>
  requests
    .filter(({ url }) => url === exitUrl)
    .map(({ fields }) => `${fields.ParticipantCallUUID} ${fields.ParticipantExitCause}`);

async function exitCauseOf(world: MultipartyWorld, mpcUuid: string, leg: string): Promise<string> {
  const of = `MultiPartyCall/uuid_${mpcUuid}/Participant/`;
  const { objects } = (await world.get(of)).body;
  const { member_id } = objects.find((each: { call_uuid: string }) => each.call_uuid === leg);
  return (await world.get(`${of}${member_id}/`)).body.exit_cause;
}

const uuidOf = async (world: MultipartyWorld, path = room) => (await world.get(path)).body.mpc_uuid;

/** A world in which something happens before one commit, the next but so many. */
async function worldWithRace(open: Parameters<typeof openMultipartyWorld>[0]) {
  let act: (() => void) | undefined;
  let left = 0;
  const interpose = (database: Database): Database =>
    Object.create(database, {
      transact: {
        value: ((work, options) => {
          if (left-- === 0) act?.();
          return database.transact(work, options);
        }) satisfies Database['transact'],
      },
    });
  const world = await openMultipartyWorld(open, { interpose });
  return {
    world,
    beforeCommit(after: number, happening: () => void) {
      left = after;
      act = happening;
    },
  };
}

eachDatabase('A document lends its leg to a multiparty call', (open) => {
  test('the first caller creates the call with the settings of its element, and joins at once', async () => {
    const world = await openMultipartyWorld(open);
    const leg = await caller(world, 'maxParticipants="3" stayAlone="true" maxDuration="600"');
    const call = (await world.get(room)).body;
    assert.deepEqual([call.status, call.max_participants, call.max_duration], ['Active', 3, 600]);
    const member = await world.memberOf('room', leg);
    const participant = (await world.get(`${room}Participant/${member}/`)).body;
    assert.deepEqual(
      [participant.call_uuid, participant.role, participant.status, participant.member_address],
      [leg, 'customer', 'joined', '+12025550100'],
    );
    assert.deepEqual(world.telephony.dialled, []);
  });

  test('a borrowed leg follows the same hearing table as dialled legs', async () => {
    const world = await openMultipartyWorld(open);
    const dialled = await world.join('room');
    const leg = await caller(world);
    assert.deepEqual(world.hearing(await uuidOf(world)), { [dialled]: [leg], [leg]: [dialled] });
  });

  test('a kicked leg returns to its document with the fields of the request to onExitActionUrl', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room');
    await world.join('room');
    const leg = await caller(world);
    const joinedAt = world.clock.wallNow() - 100;
    const mpcUuid = await uuidOf(world);
    const memberId = await world.memberOf('room', leg);
    await world.advance(5000);
    const leftAt = world.clock.wallNow();
    assert.equal((await world.remove(`${room}Participant/${memberId}/`)).status, 204);
    await world.advance(100);
    const [request] = world.customer.requests.filter(({ url }) => url === exitUrl);
    const expected = {
      MPCUUID: mpcUuid,
      MPCFriendlyName: 'room',
      MemberID: memberId,
      ParticipantCallUUID: leg,
      ParticipantRole: 'customer',
      ParticipantJoinTime: secondsOf(joinedAt),
      ParticipantEndTime: secondsOf(leftAt),
      ParticipantExitCause: 'Kicked Out of Multiparty Call',
    };
    const named = Object.keys(expected).map((name) => [name, request?.fields[name]]);
    assert.deepEqual(Object.fromEntries(named), expected);
    assert.equal(world.isHungUp(leg), false);
  });

  test('at every end of the call, a borrowed leg returns to its document, and dialled legs are hung up', async () => {
    for (const end of ['delete', 'max-duration', 'alone'] as const) {
      const world = await openMultipartyWorld(open);
      const leg = await caller(world, 'maxDuration="300"');
      const dialled = await world.join('room');
      if (end === 'delete') assert.equal((await world.remove(room)).status, 204);
      if (end === 'max-duration') await world.advance(300_000);
      if (end === 'alone') world.telephony.leave(dialled);
      await world.advance(100);
      assert.deepEqual(returned(world), [`${leg} Multiparty Call Ended`], end);
      assert.equal(world.isHungUp(leg), false);
      assert.equal(world.isHungUp(dialled), end !== 'alone');
    }
  });

  test('a caller who hangs up has left, and no document runs on its leg', async () => {
    const world = await openMultipartyWorld(open);
    const leg = await caller(world);
    const mpcUuid = await uuidOf(world);
    world.telephony.leave(leg);
    await world.advance(100);
    assert.equal(await exitCauseOf(world, mpcUuid, leg), 'Participant Call Hangup');
    assert.equal(world.node.platform.runner.census().document?.sessions, 0);
  });

  test('a transferred caller has left with Participant Call Transferred', async () => {
    const world = await openMultipartyWorld(open);
    const leg = await caller(world);
    const mpcUuid = await uuidOf(world);
    world.customer.serve(nextUrl, waits);
    const order = { legs: 'aleg', aleg_url: nextUrl };
    assert.equal((await world.post(`Call/${leg}/`, order)).status, 202);
    await world.advance(100);
    assert.equal(await exitCauseOf(world, mpcUuid, leg), 'Participant Call Transferred');
    assert.deepEqual(returned(world), []);
    assert.equal(world.isHungUp(leg), false);
  });

  test('a document goes on where its multiparty call is full', async () => {
    const world = await openMultipartyWorld(open);
    await world.add('room', { max_participants: 2 });
    await world.add('room');
    const leg = await caller(world);
    assert.deepEqual(
      world.node.spokenTo(leg).map(({ text }) => text),
      ['Refused'],
    );
    assert.equal((await world.get('MultiPartyCall/')).body.meta.count, 1);
    assert.equal((await world.get(`${room}Participant/`)).body.meta.count, 2);
  });
});

function deletion({ main: { authId, authToken } }: MultipartyWorld) {
  const authorization = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
  return { method: 'DELETE', url: `/v1/Account/${authId}/${room}`, headers: { authorization } } as const;
}

/** The time as callbacks show it: in whole seconds. */
function secondsOf(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, 19).replace('T', ' ')}+00:00`;
}

/** Moves a live call into the multiparty call. */
const move = (world: MultipartyWorld, call_uuid: string, fields: object = {}) =>
  world.post(`${room}Participant/`, { role: 'customer', call_uuid, ...fields });

onEmbeddedDatabase('A live call is moved into a multiparty call', (open) => {
  test('a call is moved out of its document for good: it is a participant, and is hung up at the end', async () => {
    const world = await openMultipartyWorld(open);
    const dialled = await world.join('room');
    const leg = await incomingCall(world, waits);
    const phones = world.telephony.dialled.length;
    const { status, body } = await move(world, leg.toUpperCase());
    assert.equal(status, 201);
    assert.deepEqual(body.calls, [{ to: '+12025550100', from: 'alice', call_uuid: leg }]);
    await world.advance(0);
    assert.deepEqual(world.hearing(await uuidOf(world)), { [dialled]: [leg], [leg]: [dialled] });
    assert.equal(world.node.platform.runner.census().document?.sessions, 0);
    assert.equal(world.telephony.dialled.length, phones, 'no phone is dialled for it');
    await world.remove(room);
    await world.advance(0);
    assert.equal(await world.endOf(leg), '4020 Multiparty Call Ended, API Request');
  });

  test('a moved call creates the multiparty call where none has that name', async () => {
    const world = await openMultipartyWorld(open);
    const leg = await incomingCall(world, waits);
    assert.equal((await move(world, leg, { start_mpc_on_enter: false })).status, 201);
    await world.advance(0);
    assert.equal((await world.get(room)).body.status, 'Initialized');
    assert.equal((await world.get(`${room}Participant/`)).body.objects[0].status, 'joined');
  });

  test('a call moved from another multiparty call has left that one with Participant Call Transferred', async () => {
    const world = await openMultipartyWorld(open);
    const dialled = await world.join('other', { stay_alone: true });
    const borrowed = await caller(world, '', 'other');
    const mpcUuid = await uuidOf(world, 'MultiPartyCall/name_other/');
    await world.join('other');
    for (const leg of [dialled, borrowed]) {
      assert.equal((await move(world, leg)).status, 201);
      await world.advance(0);
    }
    assert.equal((await world.get('MultiPartyCall/name_other/Participant/')).body.meta.count, 1);
    assert.equal((await world.get(`${room}Participant/`)).body.meta.count, 2);
    for (const leg of [dialled, borrowed]) assert.equal(world.isHungUp(leg), false);
    assert.deepEqual(returned(world), []);
    assert.deepEqual(world.hearing(await uuidOf(world)), { [dialled]: [borrowed], [borrowed]: [dialled] });
    await world.remove('MultiPartyCall/name_other/');
    assert.equal(await exitCauseOf(world, mpcUuid, dialled), 'Participant Call Transferred');
  });

  test('a ringing call is answered, and joins then', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room');
    const { caller: leg } = await ringingConversation(world);
    assert.equal((await move(world, leg)).status, 201);
    await world.advance(0);
    assert.ok(world.telephony.orders.includes(`answer ${leg}`));
    const { body } = await world.get(`${room}Participant/?call_uuid=${leg}`);
    assert.equal(body.objects[0].status, 'joined');
  });

  test('a call that is unknown, has ended, or belongs to another account gets 404, and no call is created', async () => {
    const world = await openMultipartyWorld(open);
    const branch: Caller = await world.subaccount();
    const ended = await answeredCall(world, branch);
    world.telephony.leave(ended);
    await world.advance(0);
    const foreign = await answeredCall(world);
    for (const leg of ['b2c40000-0000-4000-8000-000000000000', ended, foreign]) {
      const fields = { role: 'customer', call_uuid: leg };
      const { status, body } = await world.post(`${room}Participant/`, fields, branch);
      assert.equal(status, 404, JSON.stringify(body));
      assert.ok(body.error.includes(leg), body.error);
    }
    assert.equal((await world.get('MultiPartyCall/')).body.meta.count, 0);
  });

  test('a call that is in this multiparty call already gets 409', async () => {
    const world = await openMultipartyWorld(open);
    const leg = await world.join('room');
    const { status, body } = await move(world, leg);
    assert.equal(status, 409);
    assert.match(body.error, /already, as participant \d+$/);
  });

  test('a live call is moved while draining too, since it is no new call', async () => {
    const world = await openMultipartyWorld(open);
    const leg = await incomingCall(world, waits);
    world.node.platform.drain();
    assert.equal((await move(world, leg)).status, 201);
  });
});

onEmbeddedDatabase('A leg or a multiparty call that ends during a handover', (open) => {
  test('a leg that ends at any moment of the handover leaves no call behind', async () => {
    for (const commit of [0, 1, 2, 3]) {
      const { world, beforeCommit } = await worldWithRace(open);
      world.customer.serve(nextUrl, ({ fields }) => {
        beforeCommit(commit, () => world.telephony.leave(fields.CallUUID ?? ''));
        return '<Response><MultiPartyCall role="Customer">room</MultiPartyCall></Response>';
      });
      await incomingCall(world, `<Response><Redirect>${nextUrl}</Redirect></Response>`);
      await world.advance(200);
      assert.equal((await world.get('MultiPartyCall/?status=active')).body.meta.count, 0);
      assert.equal(world.telephony.census().legs, 0);
    }
  });

  test('a call that ends at any moment of the handover returns the leg once', async () => {
    for (const commit of [0, 1, 2, 3]) {
      const { world, beforeCommit } = await worldWithRace(open);
      await world.join('room');
      world.customer.serve(exitUrl, waits);
      world.customer.serve(nextUrl, () => {
        beforeCommit(commit, () => void world.node.platform.http.inject(deletion(world)));
        const attributes = `role="Customer" onExitActionUrl="${exitUrl}"`;
        return `<Response><MultiPartyCall ${attributes}>room</MultiPartyCall>${waiting}</Response>`;
      });
      const leg = await incomingCall(world, `<Response><Redirect>${nextUrl}</Redirect></Response>`);
      await world.advance(200);
      if ((await world.get(room)).status === 200) await world.remove(room);
      await world.advance(200);
      assert.deepEqual(returned(world), [`${leg} Multiparty Call Ended`], `before commit ${commit}`);
      assert.equal(world.isHungUp(leg), false);
    }
  });

  test('a moved leg is hung up when its multiparty call ends at any moment of the handover', async () => {
    for (const commit of [0, 1, 2, 3]) {
      const { world, beforeCommit } = await worldWithRace(open);
      await world.join('room');
      const leg = await incomingCall(world, waits);
      beforeCommit(commit, () => void world.node.platform.http.inject(deletion(world)));
      const { status } = await move(world, leg);
      await world.advance(0);
      assert.ok(status === 201 || status === 404, `${status}`);
      assert.equal(await world.endOf(leg), '4020 Multiparty Call Ended, API Request');
      assert.deepEqual(world.node.media.orders.mixes, []);
    }
  });

  test('a call that ends during the handover gets 404, and is no participant', async () => {
    const { world, beforeCommit } = await worldWithRace(open);
    await world.join('room');
    const leg = await incomingCall(world, waits);
    beforeCommit(0, () => world.telephony.leave(leg));
    const { status } = await move(world, leg);
    await world.advance(0);
    assert.equal(status, 404);
    assert.equal((await world.get(`${room}Participant/`)).body.meta.count, 1);
  });
});

onEmbeddedDatabase('Events of a dialled leg', (open) => {
  test('call_status_callback_url receives them with the names of the multiparty call; send_digits are pressed', async () => {
    const world = await openMultipartyWorld(open);
    const url = 'https://example.com/leg';
    const leg = await world.add('room', {
      call_status_callback_url: url,
      call_status_callback_method: 'GET',
      send_digits: '1wW#',
      send_on_preanswer: 'True',
    });
    const mpcUuid = await uuidOf(world);
    const member = await world.memberOf('room', leg);
    world.telephony.startRinging(leg);
    world.telephony.openEarlyMedia(leg);
    await world.advance(100);
    assert.deepEqual(
      world.node.media.orders.commands.filter((each) => each.do === 'send-digits'),
      [{ do: 'send-digits', leg, digits: '1wW#' }],
    );
    world.telephony.pickUp(leg);
    await world.advance(100);
    world.telephony.leave(leg);
    await world.advance(100);
    const sent = world.customer.requests.filter((request) => request.url === url);
    assert.deepEqual(
      sent.map(({ method, fields: { Event, MPCName, MPCUUID, MemberID } }) => [
        method,
        Event,
        MPCName,
        MPCUUID,
        MemberID,
      ]),
      ['Ring', 'StartApp', 'Hangup'].map((event) => ['GET', event, 'room', mpcUuid, member]),
    );
  });

  test('digits and voice are groups of status_callback_events', async () => {
    const world = await openMultipartyWorld(open);
    const leg = await world.join('room', {
      ...customer,
      status_callback_url: 'https://example.com/status',
      status_callback_events: 'participant-speak-events,participant-digit-input-events',
    });
    assert.deepEqual(
      world.node.media.orders.commands.filter((each) => each.do === 'watch-voice'),
      [{ do: 'watch-voice', leg, watched: true }],
    );
    world.telephony.press(leg, '7');
    world.node.media.report({ type: 'voice', leg, speaking: true });
    world.node.media.report({ type: 'voice', leg, speaking: false });
    await world.advance(100);
    assert.deepEqual(
      world.customer.requests.map(({ fields }) => [
        fields.EventName,
        fields.ParticipantCallUUID,
        fields.Digit,
      ]),
      [
        ['ParticipantDigitInput', leg, '7'],
        ['ParticipantSpeakStart', leg, undefined],
        ['ParticipantSpeakStop', leg, undefined],
      ],
    );
  });
});
