import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, eachDatabase, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';

const application = async (world: SimulatedWorld, fields: object = {}, as = world.main): Promise<string> => {
  const body = { app_name: 'ivr', answer_url: 'https://example.com/', ...fields };
  return (await world.call('POST', 'Application/', { body, as })).body.app_id;
};
const endpoint = async (world: SimulatedWorld, fields: object = {}, as = world.main): Promise<string> => {
  const body = { username: 'alice', password: 'secret', alias: 'a', ...fields };
  const answer = await world.call('POST', 'Endpoint/', { body, as });
  assert.equal(answer.status, 201);
  return answer.body.endpoint_id;
};
/** The identifier in `application`, null without one, undefined without the endpoint. */
const attachedTo = async (world: SimulatedWorld, id: string, as = world.main) => {
  const { status, body } = await world.call('GET', `Endpoint/${id}/`, { as });
  if (status === 404) return undefined;
  if (body.application === null) return null;
  return new RegExp(`^/v1/Account/${as.authId}/Application/(\\d+)/$`).exec(body.application)?.[1];
};
const remove = (world: SimulatedWorld, appId: string, body?: object, as = world.main) =>
  world.call('DELETE', `Application/${appId}/`, { as, ...(body === undefined ? {} : { body }) });
const endpointTotal = async (world: SimulatedWorld, as: Caller) =>
  (await world.call('GET', 'Endpoint/', { as })).body.meta.total_count;
const bindings = (world: SimulatedWorld) =>
  world.node.database.read
    .withTables<{ sip_bindings: { endpoint_id: string } }>()
    .selectFrom('sip_bindings')
    .select('endpoint_id')
    .execute();

eachDatabase('Applications and their endpoints', (open) => {
  test('an endpoint without app_id gets the default of its own account; one with app_id what it names', async () => {
    const world = await openSimulatedWorld({ database: open });
    const branch = await world.subaccount();
    const before = await endpoint(world);
    const standard = await application(world, { default_endpoint_app: true });
    const other = await application(world, { default_number_app: true });
    assert.equal(await attachedTo(world, before), null);
    assert.equal(await attachedTo(world, await endpoint(world)), standard);
    assert.equal(await attachedTo(world, await endpoint(world, { app_id: other })), other);
    assert.equal(await attachedTo(world, await endpoint(world, {}, branch), branch), null);
    await world.call('POST', `Endpoint/${before}/`, { body: { alias: 'b' } });
    assert.equal(await attachedTo(world, before), null);
    await world.call('POST', `Application/${standard}/`, { body: { default_endpoint_app: false } });
    assert.equal(await attachedTo(world, await endpoint(world)), null);
  });

  test('only an application that the account sees can be attached', async () => {
    const world = await openSimulatedWorld({ database: open });
    const [one, two] = [await world.subaccount(), await world.subaccount()];
    const [mains, theirs] = [await application(world), await application(world, {}, one)];
    const id = await endpoint(world, {}, one);
    const attach = (app_id: string, as: Caller) =>
      world.call('POST', `Endpoint/${id}/`, { body: { app_id }, as });
    assert.equal((await attach(mains, one)).status, 400);
    assert.equal((await attach(theirs, one)).status, 202);
    assert.equal(await attachedTo(world, id, one), theirs);
    assert.equal((await attach(mains, world.main)).status, 202);
    assert.deepEqual([await attachedTo(world, id), await attachedTo(world, id, one)], [mains, null]);
    const body = { username: 'bob', password: 'secret', alias: 'b', app_id: theirs };
    assert.equal((await world.call('POST', 'Endpoint/', { body, as: two })).status, 400);
    assert.equal(await endpointTotal(world, two), 0);
  });

  test('an account is shown no application that it does not see; its endpoints and numbers keep an application that moves away', async () => {
    const world = await openSimulatedWorld({ database: open });
    const [one, two] = [await world.subaccount(), await world.subaccount()];
    const [moving, own] = [await application(world, {}, one), await application(world, {}, one)];
    await endpoint(world, { app_id: moving }, one);
    await endpoint(world, { app_id: own }, one);
    for (const [number, app_id] of [
      ['+12025550190', moving],
      ['+12025550191', own],
    ]) {
      await world.api('POST', 'Number/', { number, subaccount: one.authId });
      const body = { app_id };
      assert.equal((await world.call('POST', `Number/${number}/`, { body, as: one })).status, 202);
    }
    const move = (to: Caller) => world.api('POST', `Application/${moving}/`, { subaccount: to.authId });
    const none = 'none';
    /** The identifiers in lists, which single objects repeat. */
    const shown = async (as: Caller) => {
      const found: string[] = [];
      for (const list of ['Endpoint/', 'Number/']) {
        const { objects } = (await world.call('GET', list, { as })).body;
        for (const each of objects) {
          const path = each.resource_uri.replace(`/v1/Account/${as.authId}/`, '');
          const single = (await world.call('GET', path, { as })).body;
          assert.equal(single.application, each.application);
          found.push(each.application === null ? none : each.application.split('/').at(-2));
        }
      }
      return found.sort();
    };

    const both = [moving, moving, own, own].sort();
    assert.deepEqual(await shown(one), both);
    assert.equal((await move(two)).status, 202);
    assert.deepEqual(await shown(one), [own, own, none, none].sort());
    assert.deepEqual(await shown(world.main), both);
    assert.equal((await move(one)).status, 202);
    assert.deepEqual(await shown(one), both);
  });

  test('a deletion without cascade keeps the endpoints, without an application', async () => {
    const world = await openSimulatedWorld({ database: open });
    for (const request of [undefined, { cascade: false }, { cascade: 'False' }]) {
      const [gone, kept] = [await application(world), await application(world)];
      const one = await endpoint(world, { app_id: gone });
      const other = await endpoint(world, { app_id: kept });
      assert.equal((await remove(world, gone, request)).status, 204);
      assert.deepEqual([await attachedTo(world, one), await attachedTo(world, other)], [null, kept]);
      assert.equal((await world.call('POST', `Endpoint/${one}/`, { body: { app_id: gone } })).status, 400);
    }
  });

  test('new_endpoint_application gets the endpoints of a deleted application', async () => {
    const world = await openSimulatedWorld({ database: open });
    const branch = await world.subaccount();
    const [gone, next] = [await application(world), await application(world)];
    const theirs = await application(world, {}, branch);
    const id = await endpoint(world, { app_id: gone });
    for (const wrong of [gone, '1', '', 'x', 5, '12345678901234567']) {
      const refused = await remove(world, gone, { new_endpoint_application: wrong });
      assert.equal(refused.status, 400, String(wrong));
      assert.match(refused.body.error, /^new_endpoint_application must be /);
    }
    const contradiction = { new_endpoint_application: next, cascade: true };
    assert.equal((await remove(world, gone, contradiction)).status, 400);
    assert.equal((await remove(world, theirs, { new_endpoint_application: next }, branch)).status, 400);
    assert.equal(await attachedTo(world, id), gone);
    const query = `Application/${gone}/?new_endpoint_application=${next}`;
    assert.equal((await world.call('DELETE', query)).status, 204);
    assert.equal(await attachedTo(world, id), next);
  });

  test('cascade=true, in the query or the body, deletes the endpoints with their registrations', async () => {
    const world = await openSimulatedWorld({ database: open });
    const branch = await world.subaccount();
    const bystander = await endpoint(world);
    for (const way of ['query', 'body'] as const) {
      const appId = await application(world);
      const ids = [await endpoint(world, { app_id: appId }), await endpoint(world, { app_id: appId })];
      const theirs = await endpoint(world, {}, branch);
      await world.call('POST', `Endpoint/${theirs}/`, { body: { app_id: appId } });
      const { registrations } = world.node.ports;
      const binding = {
        contact: 'sip:alice@192.0.2.1',
        flow: 'one',
        q: 1,
        expiresAt: world.clock.now() + 60_000,
        callId: 'a',
        cseq: 1,
        userAgent: 'phone',
        registeredAt: world.clock.now(),
      };
      await registrations.update(ids[0]!, () => ({ bindings: [binding], result: undefined }));
      assert.equal((await bindings(world)).length, 1);
      const path = `Application/${appId}/`;
      const answer =
        way === 'query'
          ? await world.call('DELETE', `${path}?cascade=true`)
          : await remove(world, appId, { cascade: 'true' });
      assert.equal(answer.status, 204);
      for (const id of [...ids, theirs]) assert.equal(await attachedTo(world, id), undefined);
      assert.deepEqual(await bindings(world), []);
      assert.deepEqual([await endpointTotal(world, world.main), await endpointTotal(world, branch)], [1, 0]);
    }
    assert.equal(await attachedTo(world, bystander), null);
  });

  test('a subaccount that deletes its application with cascade deletes no endpoint of its main account', async () => {
    const world = await openSimulatedWorld({ database: open });
    const branch = await world.subaccount();
    const appId = await application(world, {}, branch);
    const mains = await endpoint(world, { app_id: appId });
    const theirs = await endpoint(world, { app_id: appId }, branch);
    assert.equal((await remove(world, appId, { cascade: true }, branch)).status, 204);
    assert.deepEqual([await attachedTo(world, mains), await attachedTo(world, theirs)], [null, undefined]);
  });

  test('a deletion that is refused changes nothing', async () => {
    const world = await openSimulatedWorld({ database: open });
    const appId = await application(world);
    const id = await endpoint(world, { app_id: appId });
    for (const cascade of ['', 'yes', 1, null, [], {}]) {
      const { status, body } = await remove(world, appId, { cascade });
      assert.equal(status, 400);
      assert.match(body.error, /^cascade must be true or false/);
    }
    assert.equal(await attachedTo(world, id), appId);
  });

  test('endpoints that are created while their application is deleted do not stay attached to it', async () => {
    const world = await openSimulatedWorld({ database: open });
    for (let round = 0; round < 5; round += 1) {
      const appId = await application(world, { default_endpoint_app: true });
      const body = { username: `race${round}`, password: 'secret', alias: 'a' };
      const creations = () =>
        [{}, { app_id: appId }].map((fields) =>
          world.call('POST', 'Endpoint/', { body: { ...body, ...fields } }),
        );
      const earlier = creations();
      const removal = remove(world, appId);
      const created = await Promise.all([...earlier, ...creations()]);
      assert.equal((await removal).status, 204);
      for (const { status, body } of created) {
        assert.ok([201, 400].includes(status));
        if (status === 201) assert.equal(await attachedTo(world, body.endpoint_id), null);
      }
    }
  });

  test('the applications of a deleted subaccount pass on without becoming defaults, or are deleted with cascade', async () => {
    const world = await openSimulatedWorld({ database: open });
    const [one, two] = [await world.subaccount(), await world.subaccount()];
    const both = { default_endpoint_app: true, default_number_app: true };
    const mains = await application(world, both);
    const [passed, gone] = [await application(world, both, one), await application(world, both, two)];
    const attached = [await endpoint(world, { app_id: passed }), await endpoint(world, { app_id: gone })];
    assert.equal((await world.call('DELETE', `Subaccount/${one.authId}/`)).status, 204);
    assert.equal((await world.call('DELETE', `Subaccount/${two.authId}/?cascade=true`)).status, 204);

    const { objects, meta } = (await world.call('GET', 'Application/')).body;
    assert.equal(meta.total_count, 2);
    assert.deepEqual(
      objects.map((each: Record<string, unknown>) => [
        each.app_id,
        each.sub_account,
        each.default_app,
        each.default_endpoint_app,
      ]),
      [
        [passed, null, false, false],
        [mains, null, true, true],
      ],
    );
    assert.deepEqual(
      [await attachedTo(world, attached[0]!), await attachedTo(world, attached[1]!)],
      [passed, null],
    );
  });
});
