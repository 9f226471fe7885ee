import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { multipartyCallsTables } from './migrations/0001-multiparty-calls.ts';
import { createMemberIds } from './rooms/member-ids.ts';
import { customer, openMultipartyWorld, supervisor } from './testing/multiparty-world.ts';

/** The process before, which died just now. */
const killed = (clock: { now(): number }) => ({ number: 0, token: '0', diedAt: () => clock.now() });

eachDatabase('Records of multiparty calls', (open) => {
  test('after a crash live calls have ended with 1000, their participants have left, ended ones are as they were', async () => {
    const before = await openMultipartyWorld(open);
    await before.join('gone', { status_callback_url: 'https://example.com/' });
    const { mpc_uuid: gone } = (await before.get('MultiPartyCall/gone/')).body;
    await before.clock.advance(10_000);
    await before.remove('MultiPartyCall/gone/');
    const goneBody = (await before.get(`MultiPartyCall/uuid_${gone}/`)).body;
    await before.join('live', { stay_alone: true });
    await before.clock.advance(2000);
    await before.join('live', { ...supervisor, mute: true });
    const left = await before.join('live', customer);
    before.calls.leave(left);
    await before.add('live', customer);
    await before.join('waiting', { start_mpc_on_enter: false });
    const { mpc_uuid: live } = (await before.get('MultiPartyCall/live/')).body;
    await before.runner.idle();
    await before.clock.advance(20_000);

    const after = await before.crash();
    assert.equal(await after.feature.endIncarnation(killed(after.clock)), 2);
    const { body } = await after.get(`MultiPartyCall/uuid_${live}/`);
    assert.deepEqual(
      [body.status, body.termination_cause_code, body.end_time, body.duration, body.billed_duration],
      ['Ended', 1000, '2026-01-01 00:00:32+00:00', 22, 3 * 60],
    );
    const { objects } = (await after.get(`MultiPartyCall/uuid_${live}/Participant/`)).body;
    assert.equal(objects.length, 4);
    const causes = await Promise.all(
      objects.map(async (each: { member_id: string }) => {
        const one = await after.get(`MultiPartyCall/uuid_${live}/Participant/${each.member_id}/`);
        return [one.body.exit_cause, one.body.duration, one.body.mute];
      }),
    );
    assert.deepEqual(causes, [
      ['Multiparty Call Ended', 22, false],
      ['Multiparty Call Ended', 20, true],
      ['Participant Call Hangup', 0, false],
      ['Multiparty Call Ended', 0, false],
    ]);
    const ends = after.events.filter(({ type }) => type === 'multiparty-call.ended');
    assert.equal(ends.length, 2);
    assert.deepEqual(after.media.commands, [], 'mixes and legs died with the process');
    assert.equal(after.runner.census()['multiparty-call']?.sessions, 0);
    assert.equal(after.clock.pending, 0);

    assert.deepEqual((await after.get(`MultiPartyCall/uuid_${gone}/`)).body.termination_cause_code, 3000);
    assert.deepEqual(
      { ...(await after.get(`MultiPartyCall/uuid_${gone}/`)).body, api_id: 0 },
      {
        ...goneBody,
        api_id: 0,
      },
    );
    assert.equal(await after.feature.endIncarnation(killed(after.clock)), 0, 'once');
    const leg = await after.join('live');
    const highest = Math.max(...objects.map((each: { member_id: string }) => Number(each.member_id)));
    assert.ok(Number(await after.memberOf('live', leg)) > highest, 'member ids are never given twice');
  });

  test('a call that cannot be ended at the start stops the start, since its name would stay in use', async () => {
    const before = await openMultipartyWorld(open);
    await before.join('room');
    const after = await before.crash();
    after.failCommits(1);
    await assert.rejects(
      after.feature.endIncarnation(killed(after.clock)),
      /1 multiparty calls could not be ended/,
    );
  });

  test('what the API acknowledged is in the database already', async () => {
    const world = await openMultipartyWorld(open);
    const { body } = await world.post('MultiPartyCall/room/Participant/', customer);
    const rows = await world.feature.queries.list(
      { authId: world.api.main.authId, isSubaccount: false, main: world.api.main.authId },
      {},
      { limit: 20, offset: 0 },
    );
    assert.equal(rows.total, 1);
    const call = rows.rows[0]!;
    const participants = await world.feature.queries.participants(call, {}, { limit: 20, offset: 0 });
    assert.equal(participants.rows[0]?.call_uuid, body.calls[0].call_uuid);
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
    await world.clock.advance(1500);
    await world.remove(`MultiPartyCall/room/Participant/${member}/`);
    const named = world.events.map(({ payload }) => payload.EventName);
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
    const [first] = world.events;
    assert.equal(new Set(world.events.map(({ resource }) => resource)).size, 1);
    assert.equal(first?.account, world.api.main.authId);
    const exit = world.events.at(-2)?.payload;
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
    const end = world.events.at(-1)?.payload;
    assert.deepEqual([end?.MPCDuration, end?.MPCBilledDuration, end?.MPCBilledAmount], [2, 60, '0.00000']);
  });

  test('bills are null while live; then they follow the rate table for each participant, and the call has the sum', async () => {
    const rate = {
      prefix: '',
      direction: 'both',
      perMinute: 1000,
      initialSeconds: 30,
      incrementSeconds: 6,
    } as const;
    const rates = { currency: 'USD', rates: [rate, { ...rate, prefix: 'sip', perMinute: 300 }] };
    const world = await openMultipartyWorld(open, { rates });
    await world.join('room', customer);
    const endpoint = await world.join('room', { to: 'alice261121120000' });
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
    await world.clock.advance(61_000);
    await world.remove(path);
    await world.runner.idle();
    const ended = `MultiPartyCall/uuid_${mpc_uuid}/`;
    // 30 s and six steps of 6 s, at 0.01 and 0.003 a minute.
    assert.deepEqual(await billOf(`${ended}Participant/${ids[0]}/`), [61, 66, '0.00330']);
    assert.deepEqual(await billOf(`${ended}Participant/${ids[1]}/`), [0, 0, '0.00000']);
    assert.deepEqual(await billOf(ended), [61, 132, '0.01430']);
    const end = world.events.find(({ type }) => type === 'multiparty-call.ended')?.payload;
    assert.deepEqual([end?.MPCDuration, end?.MPCBilledDuration, end?.MPCBilledAmount], [61, 132, '0.01430']);
  });

  test('a subaccount sees its own calls alone, its parent sees them all; names are each account’s own', async () => {
    const world = await openMultipartyWorld(open);
    const [north, south] = [await world.api.subaccount('north'), await world.api.subaccount('south')];
    await world.join('room');
    await world.join('room', {}, north);
    await world.join('room', {}, south);
    const count = async (query: string, as = world.api.main) =>
      (await world.get(`MultiPartyCall/?${query}`, as)).body.meta.count;
    assert.equal(await count(''), 3);
    assert.equal(await count('', north), 1);
    assert.equal(await count(`sub_account=${north.authId}`), 1);
    const uri = encodeURIComponent(`/v1/Account/${world.api.main.authId}/Subaccount/${north.authId}/`);
    assert.equal(await count(`sub_account=${uri}`), 1);
    assert.equal(await count(`subaccount=${north.authId}`), 1, 'as in the lists of every other resource');
    assert.equal(await count(`subaccount=${north.authId}&sub_account=${south.authId}`), 0);
    assert.equal(await count(`sub_account=${south.authId}`, north), 0);
    const { body } = await world.get('MultiPartyCall/room/', north);
    const { main } = world.api;
    assert.equal(body.sub_account, `/v1/Account/${main.authId}/Subaccount/${north.authId}/`);
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
    const { database, feature } = world;
    const { authId: main } = world.api.main;
    const keeps = async () => (await world.get('MultiPartyCall/')).body.meta.count;
    for (const as of [await world.api.subaccount(), await world.api.subaccount()]) {
      await world.join('ended', {}, as);
      await world.remove('MultiPartyCall/ended/', as);
      await world.join('live', {}, as);
    }
    const accounts = (await world.get('MultiPartyCall/?status=active')).body.objects;
    assert.equal(accounts.length, 2);
    const uuids = accounts.map((each: { mpc_uuid: string }) => each.mpc_uuid);
    const owner = async (uuid: string) =>
      (await world.get(`MultiPartyCall/uuid_${uuid}/`)).body.sub_account.split('/').at(-2);
    const [second, first] = [await owner(uuids[0]), await owner(uuids[1])];
    await database.transact((write) => feature.resources.remove(write, first));
    await world.runner.idle();
    assert.equal(await keeps(), 3);
    assert.equal((await world.get(`MultiPartyCall/uuid_${uuids[1]}/`)).body.status, 'Ended');
    await database.transact((write) => feature.resources.passOn(write, second, main));
    assert.equal((await world.get(`MultiPartyCall/?sub_account=${second}`)).body.meta.count, 1);
    assert.equal((await world.get(`MultiPartyCall/?sub_account=${main}`)).body.meta.count, 1);
    assert.equal((await world.get(`MultiPartyCall/uuid_${uuids[0]}/`)).body.status, 'Active');
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
