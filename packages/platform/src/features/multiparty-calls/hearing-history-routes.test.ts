import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { openMultipartyWorld } from './testing/multiparty-world.ts';
import { customer, supervisor } from './testing/rooms.ts';

const secondOf = (time: string | null) => Math.floor(Date.parse(time ?? '') / 1000);

eachDatabase('History of hearing', (open) => {
  const roles = ['listener_role=customer', 'speaker_role=supervisor'];

  test('the history says who could hear whom from when to when, also after the end, filtered and in pages', async () => {
    const world = await openMultipartyWorld(open);
    const began = world.clock.wallNow();
    const ann = await world.join('desk', { stay_alone: true });
    await world.advance(1000);
    await world.join('desk', customer);
    await world.advance(1000);
    const sue = await world.join('desk', { ...supervisor, coach_mode: true });
    const [annId, sueId] = [await world.memberOf('desk', ann), await world.memberOf('desk', sue)];
    const bobId = (await world.get('MultiPartyCall/name_desk/Participant/')).body.objects.find(
      ({ role }: { role: string }) => role === 'customer',
    ).member_id;
    await world.advance(1500);
    await world.post(`MultiPartyCall/name_desk/Participant/${bobId}/`, { hold: true });
    await world.advance(500);
    const { mpc_uuid: mpc } = (await world.get('MultiPartyCall/name_desk/')).body;
    const names = new Map([
      [annId, 'ann'],
      [bobId, 'bob'],
      [sueId, 'sue'],
    ]);
    const path = `MultiPartyCall/uuid_${mpc}/Hearing/History/`;
    interface Item {
      readonly listener: { readonly member_id: string };
      readonly speaker: { readonly member_id: string };
      readonly coaching: boolean;
      readonly from_ms: number;
      readonly to_ms: number | null;
    }
    const list = async (query = ''): Promise<readonly string[]> => {
      const { status, body } = await world.get(`${path}?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.objects.map(({ listener, speaker, coaching, from_ms, to_ms }: Item) => {
        const times = [from_ms, to_ms].map((at) => (at === null ? '' : at - began)).join('-');
        return `${names.get(listener.member_id)}<${names.get(speaker.member_id)}${coaching ? '!' : ''} ${times}`;
      });
    };
    const all = [
      'ann<bob 1000-3500',
      'bob<ann 1000-3500',
      'ann<sue! 2000-',
      'sue<ann 2000-',
      'sue<bob 2000-3500',
    ];
    assert.deepEqual(await list(), all);
    assert.deepEqual(await list(`listener=${annId}`), [all[0], all[2]]);
    assert.deepEqual(await list(`speaker=${annId}&listener=${bobId}`), [all[1]]);
    assert.deepEqual(await list('coaching=true'), [all[2]]);
    assert.deepEqual(await list(roles.join('&')), []);
    assert.deepEqual(await list('limit=2&offset=1'), [all[1], all[2]]);
    const at = (ms: number) =>
      `at=${encodeURIComponent(new Date(began + ms).toISOString().slice(0, 23).replace('T', ' '))}`;
    assert.deepEqual(await list(at(999)), []);
    assert.deepEqual(await list(at(1000)), all.slice(0, 2));
    assert.deepEqual(await list(at(3499)), all);
    assert.deepEqual(await list(at(3500)), all.slice(2, 4));

    // A coach who leaves coach mode has new edges to the same listeners.
    await world.post(`MultiPartyCall/name_desk/Participant/${sueId}/`, { coach_mode: false });
    await world.post(`MultiPartyCall/name_desk/Participant/${bobId}/`, { hold: false });
    await world.advance(1000);
    await world.remove('MultiPartyCall/name_desk/');
    const ended = await list(`limit=20&speaker=${sueId}`);
    assert.deepEqual(ended, ['ann<sue! 2000-4000', 'ann<sue 4000-5000', 'bob<sue 4000-5000']);
    assert.deepEqual(await list(`${roles.join('&')}&coaching=true`), [], 'no customer ever heard a coach');
    assert.deepEqual(
      (await list('')).filter((each) => each.endsWith('-')),
      [],
    );
  });

  test('the history of a call that was killed ends with the call, not with the restart', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('desk');
    await world.join('desk', customer);
    const { mpc_uuid: mpc } = (await world.get('MultiPartyCall/name_desk/')).body;
    await world.advance(20_000);
    await world.restart({ downMs: 3_600_000 });
    const { end_time: endTime } = (await world.get(`MultiPartyCall/uuid_${mpc}/`)).body;
    const { objects } = (await world.get(`MultiPartyCall/uuid_${mpc}/Hearing/History/`)).body;
    assert.deepEqual(
      objects.map((each: { to_time: string | null }) => secondOf(each.to_time)),
      [secondOf(endTime), secondOf(endTime)],
    );
  });

  test('wrong filters are refused, and other accounts see nothing', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('desk');
    const { mpc_uuid: mpc } = (await world.get('MultiPartyCall/name_desk/')).body;
    const path = `MultiPartyCall/uuid_${mpc}/Hearing/History/`;
    for (const query of ['listener=x', 'speaker=-1', 'listener_role=boss', 'at=yesterday', 'limit=21']) {
      assert.equal((await world.get(`${path}?${query}`)).status, 400, query);
    }
    const branch = await world.subaccount();
    assert.equal((await world.get(path, branch)).status, 404);
  });
});
