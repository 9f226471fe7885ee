import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';

const valid = { app_name: 'ivr', answer_url: 'https://example.com/answer' };
const create = async (world: SimulatedWorld, fields: object = {}, as = world.main) => {
  const answer = await world.call('POST', 'Application/', { body: { ...valid, ...fields }, as });
  assert.equal(answer.status, 201);
  return answer.body.app_id as string;
};
const read = async (world: SimulatedWorld, appId: string, as = world.main) =>
  (await world.call('GET', `Application/${appId}/`, { as })).body;
const list = async (world: SimulatedWorld, query = '', as = world.main) => {
  const { body } = await world.call('GET', `Application/${query}`, { as });
  return {
    meta: body.meta,
    ids: body.objects.map((each: { app_id: string }) => each.app_id) as string[],
  };
};

eachDatabase('Applications over HTTP', (open) => {
  test('an application is created with 17 digits, read back, changed and deleted for good', async () => {
    const world = await openSimulatedWorld({ database: open });
    const created = await world.call('POST', 'Application/', { body: valid });
    assert.equal(created.status, 201);
    assert.deepEqual(Object.keys(created.body), ['api_id', 'app_id', 'message']);
    const { app_id } = created.body;
    assert.match(app_id, /^[1-9]\d{16}$/);
    const initial = {
      api_id: 0,
      app_id,
      app_name: 'ivr',
      answer_url: valid.answer_url,
      answer_method: 'POST',
      hangup_url: valid.answer_url,
      hangup_method: 'POST',
      fallback_answer_url: '',
      fallback_method: 'POST',
      message_url: '',
      message_method: 'POST',
      default_app: false,
      default_endpoint_app: false,
      public_uri: false,
      enabled: true,
      log_incoming_messages: true,
      sip_uri: `sip:${app_id}@app.sip.example.com`,
      sub_account: null,
      resource_uri: `/v1/Account/${world.main.authId}/Application/${app_id}/`,
    };
    assert.deepEqual({ ...(await read(world, app_id)), api_id: 0 }, initial);

    const changes = {
      app_name: 'Other-1_x',
      answer_url: 'http://example.org/a?b=c#rc=2',
      answer_method: 'get',
      hangup_url: 'https://example.org/h',
      hangup_method: 'GET',
      fallback_answer_url: 'https://example.org/f',
      fallback_method: 'GET',
      message_url: 'https://example.org/m',
      message_method: 'GET',
      default_endpoint_app: 'true',
      public_uri: true,
      log_incoming_messages: 'false',
    };
    const body = { ...changes, default_number_app: true, app_id: 'ignored' };
    const changed = await world.call('POST', `Application/${app_id}/`, { body });
    assert.deepEqual([changed.status, changed.body.message], [202, 'changed']);
    const after = {
      ...initial,
      ...changes,
      answer_method: 'GET',
      default_app: true,
      default_endpoint_app: true,
      log_incoming_messages: false,
    };
    assert.deepEqual({ ...(await read(world, app_id)), api_id: 0 }, after);
    assert.equal((await world.call('POST', `Application/${app_id}/`, { body: {} })).status, 202);
    assert.deepEqual({ ...(await read(world, app_id)), api_id: 0 }, after);
    await world.restart();
    assert.deepEqual({ ...(await read(world, app_id)), api_id: 0 }, after);

    const removed = await world.call('DELETE', `Application/${app_id}/`);
    assert.deepEqual([removed.status, removed.body], [204, undefined]);
    for (const method of ['GET', 'DELETE', 'POST'] as const) {
      assert.equal((await world.call(method, `Application/${app_id}/`)).status, 404);
    }
    assert.deepEqual((await list(world)).ids, []);
  });

  test('hangup_url follows answer_url until one is given, and again when it is removed', async () => {
    const world = await openSimulatedWorld({ database: open });
    const appId = await create(world, { hangup_url: '' });
    const after = async (body: object) => {
      await world.call('POST', `Application/${appId}/`, { body });
      const { hangup_url, fallback_answer_url, message_url } = await read(world, appId);
      return [hangup_url, fallback_answer_url, message_url];
    };
    const [other, own] = ['https://example.com/2', 'https://example.com/own'];
    assert.deepEqual(await after({ answer_url: other }), [other, '', '']);
    const all = { hangup_url: own, fallback_answer_url: own, message_url: own };
    assert.deepEqual(await after(all), [own, own, own]);
    assert.deepEqual(await after({ answer_url: valid.answer_url }), [own, own, own]);
    const none = { hangup_url: '', fallback_answer_url: '', message_url: '' };
    assert.deepEqual(await after(none), [valid.answer_url, '', '']);
  });

  test('a list is newest first, in pages, and is filtered by the beginning of the name, case-sensitively', async () => {
    const world = await openSimulatedWorld({ database: open });
    const names = ['a', 'ab', 'aB', 'a_b', 'a-b', 'b', 'ab', 'zz', 'a0'];
    const ids: string[] = [];
    for (const app_name of names) ids.unshift(await create(world, { app_name }));
    const newest = [...names].reverse();
    for (const prefix of ['a', 'ab', 'a_', 'a-', 'z', 'zz', 'zzz', 'A', '0', 'aB']) {
      const expected = ids.filter((_, at) => newest[at]!.startsWith(prefix));
      const { meta, ids: found } = await list(world, `?app_name=${prefix}`);
      assert.deepEqual(found, expected, prefix);
      assert.deepEqual([meta.total_count, meta.count], [expected.length, expected.length], prefix);
    }
    const path = `/v1/Account/${world.main.authId}/Application/`;
    const { meta, ids: page } = await list(world, '?app_name=a&limit=2&offset=2');
    assert.deepEqual(page, ids.filter((_, at) => newest[at]!.startsWith('a')).slice(2, 4));
    assert.deepEqual(meta, {
      limit: 2,
      offset: 2,
      count: 7,
      total_count: 7,
      next: `${path}?app_name=a&limit=2&offset=4`,
      previous: `${path}?app_name=a&limit=2&offset=0`,
    });
    assert.equal((await world.call('GET', meta.next)).body.objects.length, 2);
    const all = await list(world);
    assert.deepEqual([all.ids, all.meta.total_count, all.meta.next], [ids, 9, null]);
    assert.deepEqual((await list(world, '?offset=1000000000')).ids, []);
  });

  test('a subaccount sees its own applications, the main account those of all subaccounts, also by subaccount', async () => {
    const world = await openSimulatedWorld({ database: open });
    const [one, two] = [await world.subaccount(), await world.subaccount()];
    const uriOf = ({ authId }: { authId: string }) =>
      `/v1/Account/${world.main.authId}/Subaccount/${authId}/`;
    const own = await create(world);
    const theirs = await create(world, { app_name: 'branch' }, one);
    const given = await create(world, { subaccount: two.authId });

    assert.equal((await read(world, theirs)).sub_account, uriOf(one));
    const { resource_uri, sub_account } = await read(world, theirs, one);
    assert.equal(resource_uri, `/v1/Account/${one.authId}/Application/${theirs}/`);
    assert.equal(sub_account, uriOf(one));
    for (const [as, id] of [
      [one, own],
      [one, given],
      [two, theirs],
    ] as const) {
      for (const method of ['GET', 'POST', 'DELETE'] as const) {
        assert.equal((await world.call(method, `Application/${id}/`, { as })).status, 404);
      }
    }
    const seen = async (query: string, as = world.main) => {
      const { meta, ids } = await list(world, query, as);
      assert.equal(meta.total_count, ids.length);
      return ids;
    };
    assert.deepEqual(await seen(''), [given, theirs, own]);
    assert.deepEqual(await seen('', one), [theirs]);
    assert.deepEqual(await seen('', two), [given]);
    assert.deepEqual(await seen(`?subaccount=${one.authId}`), [theirs]);
    assert.deepEqual(await seen(`?subaccount=${one.authId}&app_name=branc`), [theirs]);
    assert.deepEqual(await seen(`?subaccount=${two.authId}&app_name=branc`), []);
    assert.deepEqual(await seen(`?subaccount=${one.authId}`, two), []);
    assert.deepEqual(await seen('?subaccount=SAXXXXXXXXXXXXXXXXXX'), []);
    assert.deepEqual(await seen('?app_name=branch', two), []);
  });

  test('an application moves to a subaccount of the account and to no other', async () => {
    const world = await openSimulatedWorld({ database: open });
    const [one, two] = [await world.subaccount(), await world.subaccount()];
    const stays = await create(world, { default_endpoint_app: true }, one);
    const moved = await create(world, { default_endpoint_app: true });
    const strangers = ['SAXXXXXXXXXXXXXXXXXX', 'MAXXXXXXXXXXXXXXXXXX', world.main.authId];
    for (const subaccount of strangers) {
      for (const path of ['Application/', `Application/${moved}/`]) {
        const { status, body } = await world.call('POST', path, { body: { ...valid, subaccount } });
        assert.equal(status, 400);
        assert.match(body.error, /^subaccount must be the auth_id of one of your subaccounts, not "/);
      }
    }
    const body = { ...valid, subaccount: two.authId };
    assert.equal((await world.call('POST', 'Application/', { body, as: one })).status, 400);

    await world.call('POST', `Application/${moved}/`, { body: { subaccount: one.authId } });
    assert.equal((await read(world, moved, one)).default_endpoint_app, false);
    assert.equal((await read(world, stays, one)).default_endpoint_app, true);
    await world.call('POST', `Application/${moved}/`, {
      body: { subaccount: two.authId, default_endpoint_app: true },
    });
    assert.equal((await read(world, moved, two)).default_endpoint_app, true);
    const totals = [];
    for (const as of [world.main, one, two]) totals.push((await list(world, '', as)).meta.total_count);
    assert.deepEqual(totals, [2, 1, 1]);
  });

  test('an account has one default of each kind: the last that was set', async () => {
    const world = await openSimulatedWorld({ database: open });
    const branch = await world.subaccount();
    const theirs = await create(world, { default_endpoint_app: true, default_number_app: true }, branch);
    const both = { default_endpoint_app: true, default_number_app: true };
    const ids = await Promise.all(Array.from({ length: 6 }, () => create(world, both)));
    const defaults = async (field: string) => {
      const objects = await Promise.all(ids.map((id) => read(world, id)));
      return ids.filter((_, at) => objects[at][field]);
    };
    assert.equal((await defaults('default_app')).length, 1);
    assert.equal((await defaults('default_endpoint_app')).length, 1);
    for (const id of ids) {
      const body = { default_endpoint_app: true };
      assert.equal((await world.call('POST', `Application/${id}/`, { body })).status, 202);
      assert.deepEqual(await defaults('default_endpoint_app'), [id]);
    }
    await Promise.all(ids.map((id) => world.call('POST', `Application/${id}/`, { body: both })));
    assert.equal((await defaults('default_endpoint_app')).length, 1);
    assert.equal((await read(world, theirs)).default_endpoint_app, true);
  });
});
