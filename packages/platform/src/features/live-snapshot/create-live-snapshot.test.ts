import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, eachDatabase, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';

interface Member {
  readonly member_id: string;
  readonly call_uuid: string;
  readonly role: string;
  readonly mute: boolean;
  readonly hears: readonly string[];
}

async function addTo(world: SimulatedWorld, room: string, role: string, as: Caller = world.main) {
  const body = { role, from: '+12025550000', to: '+12025550101', stay_alone: true };
  const added = await world.call('POST', `MultiPartyCall/name_${room}/Participant/`, { body, as });
  assert.equal(added.status, 201, JSON.stringify(added.body));
  const leg: string = added.body.calls[0].call_uuid;
  await world.advance(20);
  world.telephony.pickUp(leg);
  await world.advance(20);
  return leg;
}

const worldOn = (database: Parameters<Parameters<typeof eachDatabase>[1]>[0]) =>
  openSimulatedWorld({ database, phones: 'none' });

eachDatabase('The snapshot of everything live', (open) => {
  test('shows members, switches and who hears whom, and calls; an ended one is gone', async () => {
    const world = await worldOn(open);
    const agent = await addTo(world, 'demo', 'agent');
    const customer = await addTo(world, 'demo', 'customer');
    const { body } = await world.call('GET', 'Live/');
    assert.equal(body.meta.next, null);
    const [room] = body.multiparty_calls;
    assert.deepEqual(
      [room.friendly_name, room.status, room.account, room.are_members_cut],
      ['demo', 'Active', world.main.authId, false],
    );
    const [first, second] = room.members as readonly [Member, Member];
    assert.deepEqual([first.call_uuid, second.call_uuid], [agent, customer]);
    assert.deepEqual([first.hears, second.hears], [[second.member_id], [first.member_id]]);
    assert.deepEqual(
      body.calls.map((each: { call_uuid: string; status: string }) => [each.call_uuid, each.status]).sort(),
      [
        [agent, 'in-progress'],
        [customer, 'in-progress'],
      ].sort(),
    );
    await world.api('POST', `MultiPartyCall/name_demo/Participant/${second.member_id}/`, { mute: true });
    const muted = (await world.call('GET', 'Live/')).body.multiparty_calls[0].members as readonly Member[];
    assert.deepEqual([muted[0]!.hears, muted[1]!.mute, muted[1]!.hears], [[], true, [first.member_id]]);
    await world.api('DELETE', 'MultiPartyCall/name_demo/');
    for (const leg of [agent, customer]) world.telephony.leave(leg);
    await world.advance(100);
    const after = (await world.call('GET', 'Live/')).body;
    assert.deepEqual([after.multiparty_calls, after.calls], [[], []]);
  });

  test('a reader that goes on at its position sees each later change of who hears whom', async () => {
    const world = await worldOn(open);
    await addTo(world, 'demo', 'agent');
    const { meta } = (await world.call('GET', 'Live/')).body;
    await addTo(world, 'demo', 'customer');
    const { mpc_uuid, members } = (await world.call('GET', 'Live/')).body.multiparty_calls[0];
    const [agent, customer] = members.map(({ member_id }: Member) => member_id);
    const filter = `after=${meta.after}&type=multiparty-call.hearing-changed&resource=multiparty-call/${mpc_uuid}`;
    const read = async () => (await world.call('GET', `Event/?${filter}`)).body.objects;
    const [opened] = await read();
    assert.deepEqual(opened.data.Opened, [
      { Listener: agent, Speaker: customer, Coaching: false },
      { Listener: customer, Speaker: agent, Coaching: false },
    ]);
    await world.api('POST', `MultiPartyCall/name_demo/Participant/${customer}/`, { hold: true });
    const held = (await read()).at(-1).data;
    assert.deepEqual([held.Opened, held.Closed.length, held.IsCut], [[], 2, false]);
  });

  test('pages show each object once, whatever their size', async () => {
    const world = await worldOn(open);
    for (const room of ['one', 'two', 'three']) {
      await addTo(world, room, 'agent');
      await addTo(world, room, 'customer');
    }
    const whole = (await world.call('GET', 'Live/')).body;
    const rooms = whole.multiparty_calls.map((each: { mpc_uuid: string }) => each.mpc_uuid);
    const calls = whole.calls.map((each: { call_uuid: string }) => each.call_uuid);
    assert.deepEqual([rooms.length, calls.length], [3, 6]);
    for (const limit of [1, 2, 3, 4, 7]) {
      const seen: string[] = [];
      let path: string | null = `Live/?limit=${limit}`;
      while (path !== null) {
        const { body }: { body: typeof whole } = await world.call('GET', path);
        const ids = [
          ...body.multiparty_calls.map((each: { mpc_uuid: string }) => each.mpc_uuid),
          ...body.calls.map((each: { call_uuid: string }) => each.call_uuid),
        ];
        assert.ok(ids.length <= limit);
        seen.push(...ids);
        path = body.meta.next;
      }
      assert.deepEqual(seen, [...rooms, ...calls], `limit ${limit}`);
    }
    for (const wrong of ['limit=0', 'limit=201', 'position=x', 'position=call']) {
      assert.equal((await world.call('GET', `Live/?${wrong}`)).status, 400, wrong);
    }
  });

  test('a subaccount sees its own, its main account that as well, another subaccount nothing', async () => {
    const world = await worldOn(open);
    const [sub, other] = [await world.subaccount(), await world.subaccount()];
    const leg = await addTo(world, 'theirs', 'agent', sub);
    for (const [as, count] of [
      [sub, 1],
      [world.main, 1],
      [other, 0],
    ] as const) {
      const { body } = await world.call('GET', 'Live/', { as });
      assert.equal(body.multiparty_calls.length, count);
      assert.deepEqual(
        body.calls.map((each: { call_uuid: string }) => each.call_uuid),
        count === 0 ? [] : [leg],
      );
    }
  });
});
