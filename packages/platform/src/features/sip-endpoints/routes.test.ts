import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { eachDatabase, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';

const valid = { username: 'alice', password: 'secret', alias: 'Alice-1_x' };
const create = async (world: SimulatedWorld, fields: object = {}) => {
  const answer = await world.call('POST', 'Endpoint/', { body: { ...valid, ...fields } });
  assert.equal(answer.status, 201);
  return answer.body as { endpoint_id: string; username: string; alias: string };
};

eachDatabase('SIP endpoints over HTTP', (open) => {
  test('an endpoint is created with 12 appended digits, read, changed and deleted', async () => {
    const world = await openSimulatedWorld({ database: open });
    const created = await world.call('POST', 'Endpoint/', { body: valid });
    assert.equal(created.status, 201);
    assert.deepEqual(Object.keys(created.body), ['api_id', 'message', 'endpoint_id', 'username', 'alias']);
    assert.equal(created.body.message, 'created');
    assert.match(created.body.endpoint_id, /^\d{14}$/);
    assert.equal(created.body.username, 'alice260101000000');

    const path = `Endpoint/${created.body.endpoint_id}/`;
    const read = await world.call('GET', path);
    assert.deepEqual(
      { ...read.body, api_id: 0 },
      {
        api_id: 0,
        endpoint_id: created.body.endpoint_id,
        username: 'alice260101000000',
        alias: 'Alice-1_x',
        sip_uri: 'sip:alice260101000000@sip.example.com',
        sip_registered: 'false',
        application: null,
        sub_account: null,
        resource_uri: `/v1/Account/${world.main.authId}/${path}`,
        password: createHash('md5').update('secret').digest('hex'),
      },
    );

    const changed = await world.call('POST', path, { body: { alias: 'Bob', username: 'ignored' } });
    assert.deepEqual([changed.status, changed.body.message], [202, 'changed']);
    assert.equal((await world.call('GET', path)).body.alias, 'Bob');

    const removed = await world.call('DELETE', path);
    assert.deepEqual([removed.status, removed.body], [204, undefined]);
    for (const method of ['GET', 'DELETE', 'POST'] as const) {
      assert.equal((await world.call(method, path)).status, 404);
    }
  });

  test('a new password changes the HA1 of the endpoint, and is never stored itself', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { endpoint_id, username } = await create(world);
    const ha1 = (password: string, algorithm: string) =>
      createHash(algorithm).update(`${username}:sip.example.com:${password}`).digest('hex');
    const { registrations } = world.node.ports;
    const before = await registrations.credentialOf(username);
    assert.deepEqual(before?.ha1, { md5: ha1('secret', 'md5'), sha256: ha1('secret', 'sha256') });
    await world.call('POST', `Endpoint/${endpoint_id}/`, { body: { password: 'pässword 2' } });
    const after = await registrations.credentialOf(username);
    assert.deepEqual(after?.ha1, { md5: ha1('pässword 2', 'md5'), sha256: ha1('pässword 2', 'sha256') });
    assert.deepEqual([after?.account, after?.endpoint], [world.main.authId, endpoint_id]);
  });

  test('a second endpoint with the same name in the same second gets the stamp of the next second', async () => {
    const world = await openSimulatedWorld({ database: open });
    const names = await Promise.all(Array.from({ length: 20 }, async () => (await create(world)).username));
    assert.deepEqual(
      [...names].sort(),
      Array.from({ length: 20 }, (_, second) => `alice2601010000${String(second).padStart(2, '0')}`),
    );
    assert.equal((await create(world, { username: 'alice2' })).username, 'alice2260101000000');
  });

  test('an unknown app_id is refused; a known one is shown as a path', async () => {
    const world = await openSimulatedWorld({ database: open });
    for (const app_id of ['12345678901234567', '', 'x', 5, null, '1'.repeat(33)]) {
      const refused = await world.call('POST', 'Endpoint/', { body: { ...valid, app_id } });
      assert.equal(refused.status, 400, String(app_id));
      assert.match(refused.body.error, /^app_id must be the identifier of one of your applications, not /);
    }
    const { endpoint_id } = await create(world);
    const path = `Endpoint/${endpoint_id}/`;
    assert.equal((await world.call('POST', path, { body: { app_id: '1', alias: 'b' } })).status, 400);
    assert.equal((await world.call('GET', path)).body.alias, valid.alias);
    const body = { app_name: 'ivr', answer_url: 'https://example.com/' };
    const { app_id } = (await world.call('POST', 'Application/', { body })).body;
    await world.call('POST', path, { body: { app_id } });
    const { application } = (await world.call('GET', path)).body;
    assert.equal(application, `/v1/Account/${world.main.authId}/Application/${app_id}/`);
    for (const none of [null, '']) {
      await world.call('POST', path, { body: { app_id } });
      assert.equal((await world.call('POST', path, { body: { app_id: none } })).status, 202);
      assert.equal((await world.call('GET', path)).body.application, null);
    }
  });

  test('a list keeps its pages while endpoints are added, and links to the next and the previous page', async () => {
    const world = await openSimulatedWorld({ database: open });
    const ids: string[] = [];
    for (let at = 0; at < 7; at += 1) ids.push((await create(world)).endpoint_id);
    const page = async (query: string) => (await world.call('GET', `Endpoint/${query}`)).body;
    const idsOf = (list: { objects: { endpoint_id: string }[] }) =>
      list.objects.map((each) => each.endpoint_id);

    const first = await page('?limit=3');
    await create(world);
    const second = await page(`?limit=3&offset=3`);
    assert.deepEqual([...idsOf(first), ...idsOf(second)], ids.slice(0, 6));
    const list = `/v1/Account/${world.main.authId}/Endpoint/`;
    assert.deepEqual(second.meta, {
      limit: 3,
      offset: 3,
      count: 8,
      total_count: 8,
      next: `${list}?limit=3&offset=6`,
      previous: `${list}?limit=3&offset=0`,
    });
    assert.deepEqual(idsOf((await world.call('GET', second.meta.next)).body), [
      ids[6],
      idsOf(await page('?offset=7'))[0],
    ]);
    const all = await page('');
    assert.deepEqual(
      [all.meta.limit, all.meta.offset, all.meta.next, all.meta.previous],
      [20, 0, null, null],
    );
    assert.equal(all.objects.length, 8);
    assert.ok(!('password' in all.objects[0]));
    assert.deepEqual(idsOf(await page('?offset=1000000000')), []);
  });

  test('a subaccount sees its own endpoints, the main account the endpoints of all', async () => {
    const world = await openSimulatedWorld({ database: open });
    const [one, two] = [await world.subaccount(), await world.subaccount()];
    const own = await create(world);
    const theirs = (await world.call('POST', 'Endpoint/', { body: valid, as: one })).body;
    const path = `Endpoint/${theirs.endpoint_id}/`;

    assert.equal(
      (await world.call('GET', path)).body.sub_account,
      `/v1/Account/${world.main.authId}/Subaccount/${one.authId}/`,
    );
    const seen = (await world.call('GET', path, { as: one })).body;
    assert.equal(seen.resource_uri, `/v1/Account/${one.authId}/${path}`);
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      assert.equal((await world.call(method, path, { as: two })).status, 404);
      assert.equal((await world.call(method, `Endpoint/${own.endpoint_id}/`, { as: two })).status, 404);
    }
    const totals = [];
    for (const as of [world.main, one, two]) {
      const { meta, objects } = (await world.call('GET', 'Endpoint/', { as })).body;
      totals.push([meta.total_count, objects.length]);
    }
    assert.deepEqual(totals, [
      [2, 2],
      [1, 1],
      [0, 0],
    ]);
    // The main account may use the subaccount's path.
    const acting = `/v1/Account/${one.authId}/Endpoint/`;
    assert.equal((await world.call('POST', acting, { body: valid })).status, 201);
    assert.equal((await world.call('GET', 'Endpoint/', { as: one })).body.meta.total_count, 2);
    assert.equal((await world.call('DELETE', path)).status, 204);
    assert.equal((await world.call('GET', 'Endpoint/', { as: one })).body.meta.total_count, 1);
    assert.equal((await world.call('GET', 'Endpoint/')).body.meta.total_count, 2);
  });

  test('endpoints survive a restart', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { endpoint_id } = await create(world);
    const before = (await world.call('GET', `Endpoint/${endpoint_id}/`)).body;
    await world.restart();
    assert.deepEqual(world.main, world.main);
    const after = (await world.call('GET', `Endpoint/${endpoint_id}/`)).body;
    assert.deepEqual({ ...after, api_id: 0 }, { ...before, api_id: 0 });
  });
});
