import assert from 'node:assert/strict';
import { test } from 'node:test';
import { legSpec } from '@jackfield/ports';
import { eachDatabase } from '@jackfield/testkit';
import { openMultipartyWorld } from './testing/multiparty-world.ts';
import { customer, supervisor } from './testing/rooms.ts';

const room = 'MultiPartyCall/name_room/';

eachDatabase('Multiparty calls over HTTP', (open) => {
  test('adding a participant creates the call and dials its leg as requested', async () => {
    const world = await openMultipartyWorld(open);
    const answer = await world.post(`${room}Participant/`, {
      role: 'Agent',
      from: '+12025550199',
      to: '+12025550100',
      caller_name: 'Desk',
      ring_timeout: '30',
      sip_headers: 'Ticket=4711,X-PH-Queue=sales=1',
      status_callback_url: 'https://example.com/events',
      stay_alone: 'true',
    });
    assert.equal(answer.status, 201);
    const { api_id, calls, message, request_uuid } = answer.body;
    assert.match(api_id, /^[0-9a-f-]{36}$/);
    assert.equal(message, 'add participant action initiated');
    assert.deepEqual(calls, [{ to: '+12025550100', from: '+12025550199', call_uuid: request_uuid }]);
    await world.advance(0);
    const call = (await world.get(room)).body;
    const [dialled, ...more] = world.telephony.dialled;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [dialled?.leg, dialled?.spec],
      [
        request_uuid,
        legSpec({
          from: '+12025550199',
          to: '+12025550100',
          callerName: 'Desk',
          ringTimeoutSeconds: 30,
          sipHeaders: { Ticket: '4711', Queue: 'sales=1' },
        }),
      ],
    );
    const base = `/v1/Account/${world.main.authId}/MultiPartyCall/name_room/`;
    assert.deepEqual(
      { ...call, api_id: 0, mpc_uuid: 0 },
      {
        api_id: 0,
        mpc_uuid: 0,
        friendly_name: 'room',
        status: 'Active',
        creation_time: '2026-01-01 00:00:00+00:00',
        start_time: '2026-01-01 00:00:00+00:00',
        end_time: null,
        duration: null,
        billed_duration: null,
        billed_amount: null,
        max_participants: 10,
        max_duration: 14400,
        stay_alone: true,
        recording: 'not-recording',
        participants: `${base}Participant/`,
        termination_cause: null,
        termination_cause_code: null,
        sub_account: null,
        resource_uri: base,
      },
    );
  });

  test('two phones join, hear each other, and the call ends with the last cause of the table', async () => {
    const world = await openMultipartyWorld(open);
    const first = await world.join('room');
    const second = await world.join('room', customer);
    const { mpc_uuid } = (await world.get(room)).body;
    assert.deepEqual(world.hearing(mpc_uuid), { [first]: [second], [second]: [first] });

    await world.advance(61_400);
    assert.equal((await world.remove(room)).status, 204);
    await world.advance(0);
    for (const leg of [first, second]) {
      assert.equal(await world.endOf(leg), '4020 Multiparty Call Ended, API Request');
    }
    assert.equal(world.node.media.orders.mixes.length, 0);
    assert.deepEqual(world.node.platform.runner.census()['multiparty-call'], {
      sessions: 0,
      timers: 0,
      queued: 0,
      dropped: 2,
    });

    assert.equal((await world.get(room)).status, 404, 'by name only while ongoing');
    const { body: ended } = await world.get(`MultiPartyCall/uuid_${mpc_uuid}/`);
    assert.deepEqual(
      [ended.status, ended.termination_cause_code, ended.termination_cause, ended.end_time],
      ['Ended', 3000, 'Hangup API Triggered', '2026-01-01 00:01:01+00:00'],
    );
    assert.deepEqual([ended.duration, ended.billed_duration, ended.billed_amount], [61, 240, '0.00000']);
    assert.ok(ended.resource_uri.endsWith(`/MultiPartyCall/uuid_${mpc_uuid}/`));
    const participants = (await world.get(`MultiPartyCall/uuid_${mpc_uuid}/Participant/`)).body;
    assert.deepEqual(participants.meta.count, 2);
    const path = `MultiPartyCall/uuid_${mpc_uuid}/Participant/${participants.objects[0].member_id}/`;
    const { body: one } = await world.get(path);
    assert.equal(one.participant_exit_cause, 'Multiparty Call Ended');
    assert.equal(one.exit_cause, one.participant_exit_cause);
    assert.equal(one.exit_time, '2026-01-01 00:01:01+00:00');
    assert.deepEqual([one.duration, one.billed_duration], [61, 120]);
    assert.ok(one.resource_uri.endsWith(`/MultiPartyCall/uuid_${mpc_uuid}/Participant/${one.member_id}/`));
  });

  test('the name of an ended call is free again, and names with spaces, signs and prefixes work in every form', async () => {
    const world = await openMultipartyWorld(open);
    for (const name of [
      'room 1',
      'ünï & code',
      'name_x',
      'uuid_y',
      '50%',
      "o'clock",
      'a'.repeat(100),
      '😀',
      '.',
    ]) {
      const leg = await world.join(name);
      const { body } = await world.get(`MultiPartyCall/name_${encodeURIComponent(name)}/`);
      assert.equal(body.friendly_name, name);
      assert.equal((await world.get(body.resource_uri)).body.mpc_uuid, body.mpc_uuid);
      assert.equal((await world.get(body.participants)).body.objects[0].call_uuid, leg);
      for (const bare of [`uuid_${body.mpc_uuid}`, body.mpc_uuid, `uuid_${body.mpc_uuid.toUpperCase()}`]) {
        assert.equal((await world.get(`MultiPartyCall/${bare}/`)).body.friendly_name, name, bare);
      }
      await world.remove(body.resource_uri);
      const again = await world.join(name);
      assert.notEqual(again, leg);
    }
    await world.join('plain');
    for (const path of [
      'MultiPartyCall/plain',
      'MultiPartyCall/plain/Participant',
      'MultiPartyCall/plain/Hearing',
    ]) {
      assert.equal((await world.get(path)).status, 200, path);
    }
    assert.equal((await world.post('MultiPartyCall/plain/Participant/', customer)).status, 201);
  });

  test('an invalid name is refused when a call is created, and unknown when it is looked up', async () => {
    const world = await openMultipartyWorld(open);
    for (const name of ['', 'a'.repeat(101), ' room', 'room ', 'a\nb', 'a/b']) {
      const path = `MultiPartyCall/name_${encodeURIComponent(name)}/`;
      const added = await world.post(`${path}Participant/`, customer);
      assert.equal(added.status, 400, name);
      assert.match(added.body.error, /^friendly_name must be 1 to 100 characters, .*, not "/);
      assert.equal((await world.get(path)).status, 404, name);
      assert.equal((await world.remove(path)).status, 404, name);
    }
  });

  test('additions to one name at the same time end up in one call', async () => {
    const world = await openMultipartyWorld(open);
    const added = await Promise.all(
      Array.from({ length: 8 }, () => world.post(`${room}Participant/`, customer)),
    );
    assert.deepEqual(
      added.map(({ status }) => status),
      Array(8).fill(201),
    );
    assert.equal((await world.get('MultiPartyCall/')).body.meta.count, 1);
    const { body } = await world.get(`${room}Participant/`);
    const ids = body.objects.map((each: { member_id: string }) => Number(each.member_id));
    assert.equal(new Set(ids).size, 8);
    assert.deepEqual(
      ids,
      [...ids].sort((left, right) => left - right),
    );
  });

  test('two nodes that create one name at once: the unique index admits one call, and the other node adds to it', async () => {
    const loggedErrors = ['step not saved; it was undone'];
    const world = await openMultipartyWorld(open, { nodes: 2, loggedErrors });
    const nodes = world.cluster?.nodes ?? [];
    const answers = await Promise.all(
      nodes.map((node) => node.call('POST', `${room}Participant/`, { body: customer })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
    assert.equal((await world.get('MultiPartyCall/')).body.meta.count, 1);
    await world.advance(0);
    assert.equal(nodes.flatMap(({ telephony }) => telephony?.dialled ?? []).length, 1);
  });

  test('the creator fixes the settings of the call; a full call refuses with its limit', async () => {
    const world = await openMultipartyWorld(open);
    await world.add('room', { max_participants: 2, max_duration: 300 });
    await world.add('room', { ...customer, max_participants: 10, max_duration: 600, stay_alone: true });
    const { body } = await world.get(room);
    assert.deepEqual([body.max_participants, body.max_duration, body.stay_alone], [2, 300, false]);
    const full = await world.post(`${room}Participant/`, customer);
    assert.equal(full.status, 400);
    assert.match(full.body.error, /full: max_participants is 2/);
    assert.equal(world.telephony.dialled.length, 2);
  });

  test('Initialized waits; Activate starts it once, in every form that clients send', async () => {
    const world = await openMultipartyWorld(open);
    for (const status of ['Active', 'active', ['active']]) {
      const leg = await world.join('room', { start_mpc_on_enter: 'false' });
      const { body } = await world.get(room);
      assert.deepEqual([body.status, body.start_time], ['Initialized', null]);
      assert.deepEqual(world.hearing(body.mpc_uuid), { [leg]: [] });
      await world.advance(5000);
      assert.equal((await world.post(room, { status })).status, 204);
      const { body: active } = await world.get(room);
      assert.equal(active.status, 'Active');
      assert.notEqual(active.start_time, null);
      const again = await world.post(room, { status });
      assert.equal(again.status, 404);
      assert.match(again.body.error, /active already: only a call in status Initialized/);
      await world.remove(room);
    }
    assert.equal((await world.post(room, { status: 'active' })).status, 404);
    for (const status of [
      undefined,
      '',
      'ended',
      'Initialized',
      1,
      null,
      true,
      [],
      ['active', 'active'],
      {},
    ]) {
      const refused = await world.post(room, { status });
      assert.equal(refused.status, 400, JSON.stringify(status));
      assert.match(refused.body.error, /^status /);
    }
  });

  test('a call ends with 2000 at max_duration, with 1000 at the last departure, with 1010 when one is left alone', async () => {
    const world = await openMultipartyWorld(open);
    const causeOf = async (uuid: string) =>
      (await world.get(`MultiPartyCall/uuid_${uuid}/`)).body.termination_cause_code;
    const uuidOf = async (name: string) => (await world.get(`MultiPartyCall/name_${name}/`)).body.mpc_uuid;

    await world.join('long', { max_duration: 300 });
    const long = await uuidOf('long');
    const first = await world.join('left', customer);
    const last = await world.join('left', { stay_alone: true });
    const left = await uuidOf('left');
    const busy = await world.add('busy');
    const failed = await uuidOf('busy');
    world.telephony.leave(first);
    world.telephony.leave(busy, { by: 'rejected', sipStatus: 486 });
    await world.advance(0);
    assert.equal(await causeOf(left), 1010, 'stay_alone of the creator counts');
    assert.equal(await causeOf(failed), 1000);
    assert.equal(await world.endOf(last), '4020 Multiparty Call Ended, Service');
    await world.advance(299_999);
    assert.equal(await causeOf(long), null);
    await world.advance(1);
    await world.advance(0);
    assert.equal(await causeOf(long), 2000);
  });

  test('mute, hold and coach_mode: one, several, all; answered with a message for each', async () => {
    const world = await openMultipartyWorld(open);
    const one = await world.join('room', customer);
    const two = await world.join('room');
    const coach = await world.join('room', supervisor);
    const { mpc_uuid } = (await world.get(room)).body;
    const [a, b, c] = await Promise.all([one, two, coach].map((leg) => world.memberOf('room', leg)));
    assert.deepEqual(world.hearing(mpc_uuid), { [one]: [two], [two]: [one, coach], [coach]: [one, two] });

    const muted = await world.post(`${room}Participant/${a},${b}/`, { mute: 'true', hold: false });
    assert.equal(muted.status, 202);
    assert.deepEqual(
      { ...muted.body, api_id: 0 },
      {
        api_id: 0,
        mute: 'MPC: room mute member(s) succeeded',
        hold: 'MPC: room unhold member(s) succeeded',
      },
    );
    assert.deepEqual(world.hearing(mpc_uuid), { [one]: [], [two]: [coach], [coach]: [] });
    const held = await world.post(`${room}Participant/all/`, { hold: true, mute: false });
    assert.equal(held.body.mute, 'MPC: room unmute member(s) succeeded');
    assert.deepEqual(world.hearing(mpc_uuid), { [one]: [], [two]: [], [coach]: [] });
    await world.post(`${room}Participant/ALL/`, { hold: false });
    const aloud = await world.post(`${room}Participant/${c}/`, { coach_mode: false });
    assert.equal(aloud.body.coach_mode, 'MPC: room coach_mode disable succeeded');
    assert.deepEqual(world.hearing(mpc_uuid)?.[one], [two, coach]);

    const { body: read } = await world.get(`${room}Participant/${c}/`);
    assert.deepEqual([read.role, read.coach_mode, read.mute, read.hold], ['supervisor', false, false, false]);
    for (const [path, body] of [
      ['all', { coach_mode: true }],
      [`${a},${c}`, { coach_mode: true }],
      [a, { coach_mode: true }],
      [c, {}],
      [c, { mute: 'maybe' }],
      [c, { hold: 1 }],
      [c, { coach_mode: null }],
    ] as const) {
      const refused = await world.post(`${room}Participant/${path}/`, body);
      assert.equal(refused.status, 400, `${path} ${JSON.stringify(body)}`);
      assert.match(refused.body.error, /mute|hold|coach_mode/);
    }
    for (const path of ['999999', `${a},999999`, 'x', '-1', '1.5', '99999999999999999999', 'all,1', ',']) {
      assert.equal((await world.post(`${room}Participant/${path}/`, { mute: true })).status, 404, path);
      assert.equal((await world.remove(`${room}Participant/${path}/`)).status, 404, path);
      assert.equal((await world.get(`${room}Participant/${path}/`)).status, 404, path);
    }
    assert.equal(
      (await world.get(`${room}Participant/${a}/`)).body.mute,
      false,
      'a refusal changes no member',
    );
  });

  test('Hearing is the matrix of who hears whom, both ways', async () => {
    const world = await openMultipartyWorld(open);
    const legs = [
      await world.join('room', customer),
      await world.join('room'),
      await world.join('room', supervisor),
    ];
    await world.add('room');
    const ids = await Promise.all(legs.map((leg) => world.memberOf('room', leg)));
    const matrix = async () =>
      (await world.get(`${room}Hearing/`)).body.participants.map(
        (each: { hears: string[]; heard_by: string[] }) => [each.hears, each.heard_by],
      );
    const [c, a, s] = ids;
    assert.deepEqual(await matrix(), [
      [[a], [a, s]],
      [
        [c, s],
        [c, s],
      ],
      [[c, a], [a]],
    ]);
    await world.post(`${room}Participant/${a}/`, { hold: true });
    assert.deepEqual(await matrix(), [
      [[], [s]],
      [[], []],
      [[c], []],
    ]);
  });

  test('kicked participants are hung up with 4030 and leave the list; their record stays', async () => {
    const world = await openMultipartyWorld(open);
    const legs = [
      await world.join('room'),
      await world.join('room'),
      await world.join('room'),
      await world.add('room'),
    ];
    const ids = await Promise.all(legs.map((leg) => world.memberOf('room', leg)));
    assert.equal((await world.remove(`${room}Participant/${ids[1]},${ids[3]}/`)).status, 204);
    await world.advance(0);
    for (const leg of [legs[1]!, legs[3]!]) {
      assert.equal(await world.endOf(leg), '4030 Kicked Out Of Multiparty Call, API Request');
    }
    const { body: list } = await world.get(`${room}Participant/`);
    assert.deepEqual(
      list.objects.map((each: { member_id: string }) => each.member_id),
      [ids[0], ids[2]],
    );
    const { body: gone } = await world.get(`${room}Participant/${ids[1]}/`);
    assert.equal(gone.exit_cause, 'Kicked Out of Multiparty Call');
    assert.equal((await world.post(`${room}Participant/${ids[1]}/`, { mute: true })).status, 404);
    const { mpc_uuid } = (await world.get(room)).body;
    assert.equal((await world.remove(`${room}Participant/all/`)).status, 204);
    assert.equal((await world.get(`MultiPartyCall/uuid_${mpc_uuid}/`)).body.termination_cause_code, 1000);
  });

  test('a leg whose record cannot be written ends like a failed leg', async () => {
    const loggedErrors = ['step not saved; it was undone', 'record of a dialled leg not written'];
    const world = await openMultipartyWorld(open, { loggedErrors });
    await world.join('room');
    world.failCommits(1, { after: 1 });
    await world.add('room');
    assert.equal((await world.get(`${room}Participant/`)).body.meta.count, 1);
  });

  test('a notice whose step could not be saved is handled again: no participant stays in a call after leaving it', async () => {
    const loggedErrors = Array(2).fill('step not saved; it was undone');
    const world = await openMultipartyWorld(open, { loggedErrors });
    await world.join('room');
    const second = await world.join('room', customer);
    const { mpc_uuid } = (await world.get(room)).body;
    // The leg saves its end, and then the multiparty call does not.
    world.failCommits(2, { after: 1 });
    world.telephony.leave(second);
    await world.advance(0);
    assert.equal((await world.get(`${room}Participant/`)).body.meta.count, 2);
    await world.advance(2000);
    assert.equal((await world.get(`MultiPartyCall/${mpc_uuid}/`)).body.termination_cause_code, 1010);
  });

  test('an addition that could not be saved creates no call, dials no phone and leaves the name free', async () => {
    const loggedErrors = ['request failed: internal fault'];
    const world = await openMultipartyWorld(open, { loggedErrors });
    await world.advance(0);
    world.failCommits(1);
    await assert.rejects(world.add('room'), /a fault of the server/);
    assert.equal(world.telephony.dialled.length, 0);
    assert.deepEqual(world.node.media.orders.mixes, []);
    assert.equal(world.node.platform.runner.census()['multiparty-call']?.sessions, 0);
    await world.join('room');
    assert.equal((await world.get(room)).body.status, 'Active');
  });
});
