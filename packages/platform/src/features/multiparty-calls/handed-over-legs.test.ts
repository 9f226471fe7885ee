import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { callEnds } from '../calls/index.ts';
import { notRecorded } from './domain/room-recording.ts';
import type { JoiningParticipant } from './index.ts';
import { customer, type MultipartyWorld, openMultipartyWorld } from './testing/multiparty-world.ts';

const room = 'MultiPartyCall/name_room/';

const element: JoiningParticipant['instruction'] = {
  name: 'room',
  role: 'customer',
  coachMode: true,
  mute: false,
  hold: false,
  stayAlone: false,
  startMpcOnEnter: true,
  endMpcOnExit: false,
  maxDurationSeconds: 14_400,
  maxParticipants: 10,
  recordMinMemberCount: 1,
  waitForAgent: false,
  waitSeconds: null,
  relayDtmfInputs: false,
  music: { wait: null, agentHold: null, customerHold: null },
  enterSound: 'beep:1',
  exitSound: 'beep:2',
  statusCallback: null,
  recordingCallback: null,
  recording: notRecorded,
  onExitAction: null,
};

let lastLeg = 0;
const newLeg = () => `ca11e200-0000-4000-8000-${String(++lastLeg).padStart(12, '0')}`;

function callIn(world: MultipartyWorld, as: Parameters<MultipartyWorld['calls']['callIn']>[1] = {}): string {
  const { authId } = world.api.main;
  return world.calls.callIn(newLeg(), { account: authId, mainAccount: authId, ...as });
}

async function join(world: MultipartyWorld, leg: string, changes: Partial<typeof element> = {}) {
  const { authId } = world.api.main;
  const joined = await world.feature.join({
    leg,
    account: authId,
    mainAccount: authId,
    from: '+12025550111',
    to: '+12025550222',
    callerName: 'Ada',
    instruction: { ...element, ...changes },
  });
  await world.runner.idle();
  return joined;
}

async function joinedMember(world: MultipartyWorld, leg: string, changes: Partial<typeof element> = {}) {
  const joined = await join(world, leg, changes);
  assert.ok(joined.ok);
  return joined.value;
}

const returned = (world: MultipartyWorld) =>
  world.calls.documentNotices.flatMap((each) => (each.type === 'leg-returned' ? [each] : []));

eachDatabase('A document lends its leg to a multiparty call', (open) => {
  test('the first caller creates the call with the settings of its element, and joins at once', async () => {
    const world = await openMultipartyWorld(open);
    const leg = callIn(world);
    const { mpcUuid, memberId } = await joinedMember(world, leg, {
      maxParticipants: 3,
      stayAlone: true,
      maxDurationSeconds: 600,
    });
    const call = (await world.get(room)).body;
    assert.equal(call.mpc_uuid, mpcUuid);
    assert.deepEqual([call.status, call.max_participants, call.max_duration], ['Active', 3, 600]);
    const participant = (await world.get(`${room}Participant/${memberId}/`)).body;
    assert.deepEqual(
      [participant.call_uuid, participant.role, participant.status, participant.member_address],
      [leg, 'customer', 'joined', '+12025550222'],
    );
    assert.equal(world.calls.dialled.length, 0);
  });

  test('a borrowed leg follows the same hearing table as dialled legs', async () => {
    const world = await openMultipartyWorld(open);
    const dialled = await world.join('room');
    const leg = callIn(world);
    const { mpcUuid } = await joinedMember(world, leg);
    assert.deepEqual(world.media.edges(mpcUuid), { [dialled]: [leg], [leg]: [dialled] });
  });

  test('a kicked leg returns to its document with the fields of the request to onExitActionUrl', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room');
    await world.join('room');
    const leg = callIn(world);
    const { mpcUuid, memberId } = await joinedMember(world, leg);
    await world.clock.advance(5000);
    assert.equal((await world.remove(`${room}Participant/${memberId}/`)).status, 204);
    await world.runner.idle();
    assert.deepEqual(returned(world), [
      {
        type: 'leg-returned',
        leg,
        fields: {
          MPCUUID: mpcUuid,
          MPCFriendlyName: 'room',
          MemberID: memberId,
          ParticipantCallUUID: leg,
          ParticipantRole: 'customer',
          ParticipantJoinTime: '2026-01-01 00:00:00+00:00',
          ParticipantEndTime: '2026-01-01 00:00:05+00:00',
          ParticipantExitCause: 'Kicked Out of Multiparty Call',
        },
      },
    ]);
    assert.equal(world.calls.hungUp.has(leg), false);
    assert.equal(world.calls.peek(leg)?.phase, 'answered');
  });

  test('at every end of the call, a borrowed leg returns to its document, and dialled legs are hung up', async () => {
    for (const end of ['delete', 'max-duration', 'alone'] as const) {
      const world = await openMultipartyWorld(open);
      const leg = callIn(world);
      await joinedMember(world, leg, { maxDurationSeconds: 300 });
      const dialled = await world.join('room');
      if (end === 'delete') assert.equal((await world.remove(room)).status, 204);
      if (end === 'max-duration') await world.clock.advance(300_000);
      if (end === 'alone') world.calls.leave(dialled);
      await world.runner.idle();
      assert.deepEqual(
        returned(world).map((each) => `${each.leg} ${each.fields.ParticipantExitCause}`),
        [`${leg} Multiparty Call Ended`],
        end,
      );
      assert.equal(world.calls.hungUp.has(leg), false);
      assert.equal(world.calls.hungUp.has(dialled), end !== 'alone');
      assert.equal(world.clock.pending, 0);
      assert.equal(world.media.openMixes, 0);
    }
  });

  test('a caller who hangs up has left, and no leg returns', async () => {
    const world = await openMultipartyWorld(open);
    const leg = callIn(world);
    const { mpcUuid, memberId } = await joinedMember(world, leg);
    world.calls.leave(leg);
    await world.runner.idle();
    const { body } = await world.get(`MultiPartyCall/uuid_${mpcUuid}/Participant/${memberId}/`);
    assert.equal(body.exit_cause, 'Participant Call Hangup');
    assert.deepEqual(returned(world), []);
  });

  test('a transferred caller has left with Participant Call Transferred', async () => {
    const world = await openMultipartyWorld(open);
    const leg = callIn(world);
    const { mpcUuid, memberId } = await joinedMember(world, leg);
    assert.ok(await world.calls.take(leg, { kind: 'document', id: 'next' }));
    await world.runner.idle();
    const { body } = await world.get(`MultiPartyCall/uuid_${mpcUuid}/Participant/${memberId}/`);
    assert.equal(body.exit_cause, 'Participant Call Transferred');
    assert.deepEqual(returned(world), []);
    assert.equal(world.calls.hungUp.has(leg), false);
  });

  test('joining is refused with a sentence where the call is full, the name is invalid, or the leg has ended', async () => {
    const world = await openMultipartyWorld(open);
    await world.add('room', { max_participants: 2 });
    await world.add('room');
    const sentences = async (leg: string, changes: Partial<typeof element>) => {
      const joined = await join(world, leg, changes);
      return joined.ok ? '' : joined.problem.sentence;
    };
    const leg = callIn(world);
    assert.match(await sentences(leg, {}), /is full/);
    assert.match(await sentences(leg, { name: 'a/b' }), /^friendly_name must be 1 to 100 characters/);
    world.calls.leave(leg);
    assert.equal(await sentences(leg, { name: 'other' }), `there is no answered call "${leg}"`);
    assert.equal((await world.get('MultiPartyCall/')).body.meta.count, 1);
  });

  test('a leg that ends or is lent elsewhere during the handover leaves no call behind', async () => {
    const world = await openMultipartyWorld(open);
    const leg = callIn(world);
    world.calls.duringNextHandOver(async () => world.calls.leave(leg));
    assert.equal((await join(world, leg)).ok, false);
    assert.equal((await world.get('MultiPartyCall/?status=ended')).body.meta.count, 1);
    assert.equal(world.clock.pending, 0);
  });

  test('a call that ends during the handover returns the leg once', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room');
    const leg = callIn(world);
    world.calls.duringNextHandOver(() => world.remove(room));
    const joined = await join(world, leg);
    assert.ok(joined.ok);
    assert.deepEqual(
      returned(world).map((each) => [each.fields.ParticipantExitCause, each.fields.ParticipantJoinTime]),
      [['Multiparty Call Ended', '']],
    );
    assert.equal(world.media.edges(joined.value.mpcUuid), undefined);
  });
});

eachDatabase('A live call is moved into a multiparty call', (open) => {
  const move = (world: MultipartyWorld, call_uuid: string, fields: object = {}) =>
    world.post(`${room}Participant/`, { role: 'customer', call_uuid, ...fields });

  test('a call is moved out of its document for good: it is a participant, and is hung up at the end', async () => {
    const world = await openMultipartyWorld(open);
    const dialled = await world.join('room');
    const leg = callIn(world);
    const { status, body } = await move(world, leg.toUpperCase());
    assert.equal(status, 201);
    assert.deepEqual(body.calls, [{ to: '+12025550222', from: '+12025550111', call_uuid: leg }]);
    await world.runner.idle();
    const { mpc_uuid } = (await world.get(room)).body;
    assert.deepEqual(world.media.edges(mpc_uuid), { [dialled]: [leg], [leg]: [dialled] });
    assert.deepEqual(world.calls.documentNotices, [{ type: 'leg-taken', leg }]);
    assert.equal(world.calls.dialled.length, 1, 'no phone is dialled for it');
    await world.remove(room);
    await world.runner.idle();
    assert.deepEqual(world.calls.hungUp.get(leg), callEnds(4020, 'API Request'));
    assert.deepEqual(returned(world), []);
  });

  test('a moved call creates the multiparty call where none has that name', async () => {
    const world = await openMultipartyWorld(open);
    const leg = callIn(world);
    assert.equal((await move(world, leg, { start_mpc_on_enter: false })).status, 201);
    await world.runner.idle();
    assert.equal((await world.get(room)).body.status, 'Initialized');
    assert.equal((await world.get(`${room}Participant/`)).body.objects[0].status, 'joined');
  });

  test('a call moved from another multiparty call has left that one with Participant Call Transferred', async () => {
    const world = await openMultipartyWorld(open);
    const dialled = await world.join('other', { stay_alone: true });
    const borrowed = callIn(world);
    const { mpcUuid } = await joinedMember(world, borrowed, { name: 'other' });
    await world.join('other');
    for (const leg of [dialled, borrowed]) {
      assert.equal((await move(world, leg)).status, 201);
      await world.runner.idle();
    }
    const { body } = await world.get(`MultiPartyCall/uuid_${mpcUuid}/Participant/`);
    assert.equal(body.meta.count, 1);
    assert.equal((await world.get(`${room}Participant/`)).body.meta.count, 2);
    assert.equal(world.calls.hungUp.size, 0);
    assert.deepEqual(returned(world), []);
    const { mpc_uuid } = (await world.get(room)).body;
    assert.deepEqual(world.media.edges(mpc_uuid), { [dialled]: [borrowed], [borrowed]: [dialled] });
  });

  test('a ringing call is answered, and joins then', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room');
    const leg = callIn(world, { phase: 'offered' });
    assert.equal((await move(world, leg)).status, 201);
    await world.runner.idle();
    assert.equal(world.calls.peek(leg)?.phase, 'answered');
    const { body } = await world.get(`${room}Participant/?call_uuid=${leg}`);
    assert.equal(body.objects[0].status, 'joined');
  });

  test('a call that is unknown, has ended, or belongs to another account gets 404, and no call is created', async () => {
    const world = await openMultipartyWorld(open);
    const ended = callIn(world);
    world.calls.leave(ended);
    const foreign = callIn(world, { account: 'MAOTHER', mainAccount: 'MAOTHER' });
    for (const leg of ['b2c40000-0000-4000-8000-000000000000', ended, foreign]) {
      const { status, body } = await move(world, leg);
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

  test('a call that ends during the handover gets 404, and is no participant', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room');
    const leg = callIn(world);
    world.calls.duringNextHandOver(async () => world.calls.leave(leg));
    assert.equal((await move(world, leg)).status, 404);
    await world.runner.idle();
    assert.equal((await world.get(`${room}Participant/`)).body.meta.count, 1);
  });

  test('a leg without another owner is hung up when its multiparty call ends during the handover', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room');
    const leg = callIn(world);
    world.calls.duringNextHandOver(() => world.remove(room));
    assert.equal((await move(world, leg)).status, 404);
    assert.deepEqual(world.calls.hungUp.get(leg), callEnds(4020, 'API Request'));
  });

  test('a live call is moved while draining too, since it is no new call', async () => {
    const world = await openMultipartyWorld(open, { isDraining: () => true });
    assert.equal((await move(world, callIn(world))).status, 201);
  });
});

eachDatabase('Events of a dialled leg', (open) => {
  test('call_status_callback_url receives them with the names of the multiparty call; send_digits are pressed', async () => {
    const world = await openMultipartyWorld(open);
    await world.add('room', {
      call_status_callback_url: 'https://example.com/leg',
      call_status_callback_method: 'GET',
      send_digits: '1wW#',
      send_on_preanswer: 'True',
    });
    const { mpc_uuid } = (await world.get(room)).body;
    const [leg] = world.calls.dialled;
    const url = { url: 'https://example.com/leg', method: 'GET' };
    const member = (await world.get(`${room}Participant/`)).body.objects[0].member_id;
    assert.deepEqual(leg?.callbacks, {
      ring: url,
      answer: url,
      hangup: url,
      fields: { MPCName: 'room', MPCUUID: mpc_uuid, MemberID: member },
    });
    assert.equal(leg?.spec.sendDigits, '1wW#');
    assert.equal(leg?.spec.sendOnPreanswer, true);
  });

  test('digits and voice are groups of status_callback_events', async () => {
    const world = await openMultipartyWorld(open);
    const leg = await world.join('room', {
      ...customer,
      status_callback_url: 'https://example.com/status',
      status_callback_events: 'participant-speak-events,participant-digit-input-events',
    });
    assert.deepEqual(
      world.media.commands.filter((each) => each.do === 'watch-voice'),
      [{ do: 'watch-voice', leg, watched: true }],
    );
    world.calls.press(leg, '7');
    world.calls.speak(leg, true);
    world.calls.speak(leg, false);
    await world.runner.idle();
    const reported = world.events.filter(({ callback }) => callback !== undefined);
    assert.deepEqual(
      reported.map(({ payload }) => [payload.EventName, payload.ParticipantCallUUID, payload.Digit]),
      [
        ['ParticipantDigitInput', leg, '7'],
        ['ParticipantSpeakStart', leg, undefined],
        ['ParticipantSpeakStop', leg, undefined],
      ],
    );
  });
});
