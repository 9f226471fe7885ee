import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, eachDatabase } from '@jackfield/testkit';
import { multipartyCallsTables } from './migrations/0001-multiparty-calls.ts';
import { createMemberIds } from './rooms/member-ids.ts';
import { openMultipartyWorld } from './testing/multiparty-world.ts';
import { customer, supervisor } from './testing/rooms.ts';

eachDatabase('Records of multiparty calls', (open) => {
  test('after a crash live calls have ended with 1000, their participants have left, ended ones are as they were', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('gone', { status_callback_url: 'https://example.com/' });
    const { mpc_uuid: gone } = (await world.get('MultiPartyCall/gone/')).body;
    await world.advance(10_000);
    await world.remove('MultiPartyCall/gone/');
    const goneBody = (await world.get(`MultiPartyCall/uuid_${gone}/`)).body;
    await world.join('live', { stay_alone: true });
    await world.advance(2000);
    await world.join('live', { ...supervisor, mute: true });
    world.telephony.leave(await world.join('live', customer));
    await world.add('live', customer);
    await world.join('waiting', { start_mpc_on_enter: false });
    const { mpc_uuid: live } = (await world.get('MultiPartyCall/live/')).body;
    await world.advance(20_000);
    const ends = async () =>
      (await world.events()).filter(({ type }) => type === 'multiparty-call.ended').length;
    assert.equal(await ends(), 1);

    await world.restart();
    // The process was seen alive for the last time at 30 s.
    const { body } = await world.get(`MultiPartyCall/uuid_${live}/`);
    assert.deepEqual(
      [body.status, body.termination_cause_code, body.end_time, body.duration, body.billed_duration],
      ['Ended', 1000, '2026-01-01 00:00:30+00:00', 20, 3 * 60],
    );
    const { objects } = (await world.get(`MultiPartyCall/uuid_${live}/Participant/`)).body;
    assert.equal(objects.length, 4);
    const causes = await Promise.all(
      objects.map(async (each: { member_id: string }) => {
        const one = await world.get(`MultiPartyCall/uuid_${live}/Participant/${each.member_id}/`);
        return [one.body.exit_cause, one.body.duration, one.body.mute];
      }),
    );
    assert.deepEqual(causes, [
      ['Multiparty Call Ended', 20, false],
      ['Multiparty Call Ended', 18, true],
      ['Participant Call Hangup', 0, false],
      ['Multiparty Call Ended', 0, false],
    ]);
    assert.equal(await ends(), 3);
    assert.deepEqual(world.node.media.orders.commands, [], 'mixes and legs died with the process');
    assert.equal(world.node.platform.runner.census()['multiparty-call']?.sessions, 0);
    assert.deepEqual(
      { ...(await world.get(`MultiPartyCall/uuid_${gone}/`)).body, api_id: 0 },
      { ...goneBody, api_id: 0 },
    );
    await world.restart();
    assert.equal(await ends(), 3, 'once');
    const leg = await world.join('live');
    const highest = Math.max(...objects.map((each: { member_id: string }) => Number(each.member_id)));
    assert.ok(Number(await world.memberOf('live', leg)) > highest, 'member ids are never given twice');
  });

  test('a participant that the API acknowledged is in the database already', async () => {
    const world = await openMultipartyWorld(open);
    const added = world.node.call('POST', 'MultiPartyCall/room/Participant/', { body: customer });
    const { body } = await added;
    await world.restart();
    const [call] = (await world.get('MultiPartyCall/')).body.objects;
    const { objects } = (await world.get(`MultiPartyCall/uuid_${call.mpc_uuid}/Participant/`)).body;
    assert.equal(objects[0].call_uuid, body.calls[0].call_uuid);
  });

  test('events are sent in order, with the names and fields of their kind', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', { ...supervisor, start_mpc_on_enter: false });
    const member = (await world.get('MultiPartyCall/room/Participant/')).body.objects[0].member_id;
    await world.post('MultiPartyCall/room/', { status: 'active' });
    for (const body of [
      { mute: true },
      { hold: true, mute: false },
      { hold: false },
      { coach_mode: false },
    ]) {
      await world.post(`MultiPartyCall/room/Participant/${member}/`, body);
    }
    await world.post(`MultiPartyCall/room/Participant/${member}/`, { coach_mode: true });
    await world.advance(1500);
    await world.remove(`MultiPartyCall/room/Participant/${member}/`);
    const events = (await world.events()).filter(({ data }) => 'EventName' in data);
    const named = events.map(({ data }) => data.EventName);
    assert.deepEqual(named, [
      'MPCInitialized',
      'AddParticipantByAPIActionInitiated',
      'ParticipantJoin',
      'AddParticipantByAPIActionCompleted',
      'MPCStart',
      'ParticipantMute',
      'ParticipantUnmute',
      'ParticipantHold',
      'ParticipantUnhold',
      'ParticipantCoachModeStop',
      'ParticipantCoachModeStart',
      'ParticipantExit',
      'MPCEnd',
    ]);
    assert.equal(new Set(events.map(({ resource }) => resource)).size, 1);
    const exit = events.at(-2)?.data;
    assert.deepEqual(
      [
        exit?.MemberID,
        exit?.ParticipantRole,
        exit?.ParticipantCoachMode,
        exit?.MPCName,
        exit?.EventTimestamp,
      ],
      [member, 'supervisor', true, 'room', '2026-01-01 00:00:01+00:00'],
    );
    const end = events.at(-1)?.data;
    assert.deepEqual([end?.MPCDuration, end?.MPCBilledDuration, end?.MPCBilledAmount], [2, 60, '0.00000']);
  });

  test('bills are null while live; then they follow the rate table for each participant, and the call has the sum', async () => {
    const cheap = '+12025550103';
    const rate = {
      prefix: '',
      direction: 'both',
      perMinute: 1000,
      initialSeconds: 30,
      incrementSeconds: 6,
    } as const;
    const rates = { currency: 'USD', rates: [rate, { ...rate, prefix: cheap.slice(1), perMinute: 300 }] };
    const world = await openMultipartyWorld(open, { rates });
    await world.join('room', customer);
    const endpoint = await world.join('room', { to: cheap });
    const lost = await world.add('room');
    const path = 'MultiPartyCall/room/';
    const { mpc_uuid, ...live } = (await world.get(path)).body;
    const ids = await Promise.all([endpoint, lost].map((leg) => world.memberOf('room', leg)));
    const billOf = async (uri: string) => {
      const { duration, billed_duration, billed_amount } = (await world.get(uri)).body;
      return [duration, billed_duration, billed_amount];
    };
    assert.deepEqual([live.duration, live.billed_duration, live.billed_amount], [null, null, null]);
    assert.deepEqual(await billOf(`${path}Participant/${ids[0]}/`), [null, null, null]);
    await world.advance(61_000);
    await world.remove(path);
    await world.advance(0);
    const ended = `MultiPartyCall/uuid_${mpc_uuid}/`;
    // 30 s and six steps of 6 s, at 0.01 and 0.003 a minute.
    assert.deepEqual(await billOf(`${ended}Participant/${ids[0]}/`), [61, 66, '0.00330']);
    assert.deepEqual(await billOf(`${ended}Participant/${ids[1]}/`), [0, 0, '0.00000']);
    assert.deepEqual(await billOf(ended), [61, 132, '0.01430']);
    const end = (await world.events()).find(({ type }) => type === 'multiparty-call.ended')?.data;
    assert.deepEqual([end?.MPCDuration, end?.MPCBilledDuration, end?.MPCBilledAmount], [61, 132, '0.01430']);
  });

  test('a subaccount sees its own calls alone, its parent sees them all; names are each account’s own', async () => {
    const world = await openMultipartyWorld(open);
    const [north, south] = [await world.subaccount('north'), await world.subaccount('south')];
    await world.join('room');
    await world.join('room', {}, north);
    await world.join('room', {}, south);
    const count = async (query: string, as = world.main) =>
      (await world.get(`MultiPartyCall/?${query}`, as)).body.meta.count;
    assert.equal(await count(''), 3);
    assert.equal(await count('', north), 1);
    assert.equal(await count(`sub_account=${north.authId}`), 1);
    const uri = encodeURIComponent(`/v1/Account/${world.main.authId}/Subaccount/${north.authId}/`);
    assert.equal(await count(`sub_account=${uri}`), 1);
    assert.equal(await count(`subaccount=${north.authId}`), 1, 'as in the lists of every other resource');
    assert.equal(await count(`subaccount=${north.authId}&sub_account=${south.authId}`), 0);
    assert.equal(await count(`sub_account=${south.authId}`, north), 0);
    const { body } = await world.get('MultiPartyCall/room/', north);
    assert.equal(body.sub_account, `/v1/Account/${world.main.authId}/Subaccount/${north.authId}/`);
    const byUuid = `MultiPartyCall/uuid_${body.mpc_uuid}/`;
    assert.equal((await world.get(byUuid)).body.resource_uri, body.resource_uri);
    assert.equal((await world.get(body.resource_uri)).status, 200, 'on the path of the subaccount');
    assert.notEqual((await world.get('MultiPartyCall/room/')).body.mpc_uuid, body.mpc_uuid);
    for (const path of [byUuid, `${byUuid}Participant/`, `${byUuid}Hearing/`]) {
      assert.equal((await world.get(path, south)).status, 404, path);
    }
    assert.equal((await world.remove(byUuid, south)).status, 404);
    assert.equal((await world.post(`${byUuid}Participant/`, customer, south)).status, 404);
    assert.equal((await world.remove(byUuid)).status, 204);
  });

  test('a removed subaccount takes its records along, or leaves them to its parent; live calls end or go on', async () => {
    const world = await openMultipartyWorld(open);
    const [removed, left] = [await world.subaccount('removed'), await world.subaccount('left')];
    const live = new Map<Caller, string>();
    for (const as of [removed, left]) {
      await world.join('ended', {}, as);
      await world.remove('MultiPartyCall/ended/', as);
      await world.join('live', {}, as);
      live.set(as, (await world.get('MultiPartyCall/live/', as)).body.mpc_uuid);
    }
    const bodyOf = async (as: Caller) => (await world.get(`MultiPartyCall/uuid_${live.get(as)}/`)).body;
    const count = async (query = '') => (await world.get(`MultiPartyCall/?${query}`)).body.meta.count;
    await world.api('DELETE', `Subaccount/${removed.authId}/`, { cascade: true });
    await world.advance(0);
    assert.equal(await count(), 3);
    assert.equal((await bodyOf(removed)).status, 'Ended');
    await world.api('DELETE', `Subaccount/${left.authId}/`, { cascade: false });
    await world.advance(0);
    // Of the removed one what lived then, of the other what had ended.
    const ofMain = (await world.get(`MultiPartyCall/?sub_account=${world.main.authId}`)).body.objects;
    const uuidOf = ({ mpc_uuid }: { mpc_uuid: string }) => mpc_uuid;
    assert.ok(ofMain.map(uuidOf).includes(live.get(removed)));
    assert.equal(ofMain.length, 2);
    assert.equal((await bodyOf(left)).status, 'Active');
    await world.post(`MultiPartyCall/uuid_${live.get(left)}/Participant/`, customer);
    await world.advance(0);
    assert.equal(world.telephony.dialled.at(-1)?.callee, customer.to, 'and further participants are called');
  });

  test('member ids rise, and two allocators never give the same', async () => {
    const database = await open([multipartyCallsTables]);
    const [left, right] = [createMemberIds(database), createMemberIds(database)];
    const given = await Promise.all(
      Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? left : right).next()),
    );
    assert.equal(new Set(given).size, 60);
    const ofLeft = given.filter((_, at) => at % 2 === 0);
    assert.deepEqual(
      ofLeft,
      [...ofLeft].sort((one, other) => one - other),
    );
    assert.ok(Math.max(...given) <= 80, 'small numbers');
  });
});
