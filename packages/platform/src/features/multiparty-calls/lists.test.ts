import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { type MultipartyWorld, openMultipartyWorld } from './testing/multiparty-world.ts';
import { customer } from './testing/rooms.ts';

interface Item {
  readonly friendly_name: string;
  readonly mpc_uuid: string;
}

async function names(world: MultipartyWorld, query: string): Promise<string> {
  const { body } = await world.get(`MultiPartyCall/?${query}`);
  assert.equal(body.meta.count, body.objects.length, 'no filter here reaches a second page');
  return body.objects.map((each: Item) => each.friendly_name).join(' ');
}

/** One call a minute: a (ended, 3000) · b (ended, 1000) · c (active) · d (initialized) · a again (active). */
async function fiveCalls(open: Parameters<typeof openMultipartyWorld>[0]): Promise<MultipartyWorld> {
  const world = await openMultipartyWorld(open);
  await world.join('a');
  await world.advance(60_500);
  const leg = await world.join('b');
  await world.advance(60_000);
  await world.remove('MultiPartyCall/name_a/');
  await world.join('c');
  await world.advance(60_000);
  world.telephony.leave(leg);
  await world.join('d', { start_mpc_on_enter: false });
  await world.advance(60_000);
  await world.join('a');
  return world;
}

eachDatabase('Lists of multiparty calls', (open) => {
  test('newest first, by every filter, alone and together', async () => {
    const world = await fiveCalls(open);
    // Created at 00:00:00.0, 00:01:00.5, 00:02:00.5, 00:03:00.5 and 00:04:00.5; ended a at 00:02:00.5, b at 00:03:00.5.
    const day = '2026-01-01';
    const rows: readonly (readonly [query: string, expected: string])[] = [
      ['', 'a d c b a'],
      ['friendly_name=a', 'a a'],
      ['friendly_name=unknown', ''],
      ['status=active', 'a c'],
      ['status=Initialized', 'd'],
      ['status=ENDED', 'b a'],
      ['termination_cause_code=1000', 'b'],
      ['termination_cause_code=3000', 'a'],
      ['termination_cause_code=2000', ''],
      ['friendly_name=a&status=ended', 'a'],
      // Compared as they are shown: in whole seconds.
      [`creation_time__gt=${day} 00:01:00`, 'a d c'],
      [`creation_time__gte=${day} 00:01:00`, 'a d c b'],
      [`creation_time__lt=${day} 00:01:00`, 'a'],
      [`creation_time__lte=${day} 00:01:00`, 'b a'],
      [`creation_time=${day} 00:01:00`, 'b'],
      [`creation_time=${day} 00:01`, 'b'],
      [`creation_time__gt=${day} 00:01:00.400`, 'a d c b'],
      [`creation_time__gt=${day} 00:01:00.500000`, 'a d c'],
      [`creation_time_gte=${day} 00:02&creation_time_lt=${day} 00:03`, 'c'],
      [`creation_time__gte=${day} 00:02&creation_time__lt=${day} 00:03`, 'c'],
      [`end_time__gt=${day} 00:02:00`, 'b'],
      [`end_time__gte=${day} 00:02:00`, 'b a'],
      [`end_time_lte=${day} 00:02:00`, 'a'],
      [`end_time__lt=2027-01-01 00:00`, 'b a'],
      [`end_time__gt=2027-01-01 00:00`, ''],
      // As objects show it, with the sign of the offset escaped or not.
      [`creation_time=${day} 00:01:00%2B00:00`, 'b'],
      [`creation_time=${day}+00:01:00+00:00`, 'b'],
    ];
    for (const [query, expected] of rows) {
      assert.equal(await names(world, query.replaceAll(' ', '%20')), expected, query);
    }
  });

  test('pages are stable, and their links keep the filters', async () => {
    const world = await fiveCalls(open);
    const first = (await world.get('MultiPartyCall/?limit=2&status=active')).body;
    assert.deepEqual([first.meta.count, first.meta.next, first.meta.previous], [2, null, null]);
    const page = (await world.get('MultiPartyCall/?limit=2')).body;
    assert.deepEqual(
      { ...page.meta, next: new URL(page.meta.next, 'http://x').searchParams.toString() },
      { limit: 2, offset: 0, count: 5, total_count: 5, next: 'limit=2&offset=2', previous: null },
    );
    const rest: Item[] = [];
    for (let next = page.meta.next; next !== null; ) {
      const { body } = await world.get(next);
      rest.push(...body.objects);
      next = body.meta.next;
    }
    const all = (await world.get('MultiPartyCall/')).body.objects.map((each: Item) => each.mpc_uuid);
    assert.deepEqual(
      [...page.objects, ...rest].map((each: Item) => each.mpc_uuid),
      all,
    );
    const filtered = (await world.get('MultiPartyCall/?limit=1&friendly_name=a')).body.meta.next;
    assert.equal((await world.get(filtered)).body.objects[0].friendly_name, 'a');
  });

  test('an item has the fields of the interface', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room');
    const [item] = (await world.get('MultiPartyCall/')).body.objects;
    assert.deepEqual(
      Object.keys(item).sort(),
      'billed_amount billed_duration creation_time duration end_time friendly_name mpc_uuid status termination_cause termination_cause_code'.split(
        ' ',
      ),
    );
    const [member] = (await world.get('MultiPartyCall/room/Participant/')).body.objects;
    for (const field of 'call_uuid coach_mode hold member_id mpc_uuid mute role'.split(' ')) {
      assert.ok(field in member, field);
    }
  });

  test('filters and pages that cannot be meant are refused with what is allowed', async () => {
    const world = await openMultipartyWorld(open);
    const bad: Readonly<Record<string, readonly string[]>> = {
      limit: ['0', '21', '-1', 'x', '1.5', ''],
      offset: ['-1', 'x', '1e3'],
      status: ['', 'live', 'active,ended'],
      termination_cause_code: ['', '1001', 'x'],
      friendly_name: ['', 'a'.repeat(101), 'a%0A'],
      creation_time: ['', 'yesterday', '2026-02-30 00:00', '2026-01-01 25:00', '2026-01-01 00:00:61', '1'],
      end_time__gte: ['', '2026-13-01 00:00', 'x'.repeat(50)],
      end_time_lt: ['2026-01-01 00:00:00 01:00'],
    };
    for (const [parameter, values] of Object.entries(bad)) {
      for (const value of values) {
        const { status, body } = await world.get(`MultiPartyCall/?${parameter}=${value}`);
        assert.equal(status, 400, `${parameter}=${value}`);
        assert.ok(body.error.startsWith(`${parameter} must be `), body.error);
      }
    }
    const twice = await world.get('MultiPartyCall/?status=active&status=ended');
    assert.equal(twice.status, 400);
  });

  test('participants: of a live call those dialled or present, by call_uuid, in pages', async () => {
    const world = await openMultipartyWorld(open);
    const legs = [
      await world.join('room'),
      await world.join('room', customer),
      await world.add('room', customer),
    ];
    const list = async (query: string) => (await world.get(`MultiPartyCall/room/Participant/?${query}`)).body;
    assert.deepEqual(
      (await list('')).objects.map((each: { call_uuid: string; status: string }) => [
        each.call_uuid,
        each.status,
      ]),
      [
        [legs[0], 'joined'],
        [legs[1], 'joined'],
        [legs[2], 'dialling'],
      ],
    );
    const page = await list('limit=1&offset=1');
    assert.equal(page.objects[0].call_uuid, legs[1]);
    assert.equal(page.meta.total_count, 3);
    assert.equal((await world.get(page.meta.next)).body.objects[0].call_uuid, legs[2]);
    assert.equal((await list(`call_uuid=${legs[1]!.toUpperCase()}`)).meta.count, 1);
    assert.equal((await list('call_uuid=unknown')).meta.count, 0);
  });
});
