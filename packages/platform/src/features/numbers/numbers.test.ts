import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { Database } from '@jackfield/ports';
import {
  type Caller,
  createRecordingLog,
  createVirtualClock,
  eachDatabase,
  type OpenDatabase,
  openSimulatedWorld,
} from '@jackfield/testkit';
import { sql } from 'kysely';
import { createTrunks } from '../trunks/index.ts';
import { attachedNumbers, type NumberDestinations } from './index.ts';
import { createDestinations } from './routing/destinations.ts';

const path = 'Number/';
const number = '+442079460100';
const digits = '442079460100';

/** A simulated world, with a word for each part of a number. */
async function openNumbers(open: OpenDatabase) {
  const world = await openSimulatedWorld({ database: open });

  async function create(at: string, body: object, as: Caller = world.main): Promise<string> {
    const answer = await world.call('POST', at, { body, as });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const id = Object.keys(answer.body).find((name) => /_(?:uu)?id$/.test(name) && name !== 'api_id')!;
    return answer.body[id];
  }

  return {
    world,
    call: world.call,
    add: async (body: object = {}) =>
      assert.equal((await world.call('POST', path, { body: { number, ...body } })).status, 201),
    application: (as?: Caller) =>
      create('Application/', { app_name: 'answers', answer_url: 'https://example.com/answer' }, as),
    async inboundTrunk(as?: Caller) {
      const primary_uri_uuid = await create('SipTrunk/URI/', { uri: 'pbx.example.net' }, as);
      return create('SipTrunk/Trunk/', { trunk_direction: 'inbound', primary_uri_uuid }, as);
    },
    async outboundTrunk() {
      const credential_uuid = await create('SipTrunk/Credential/', { username: 'pbx', password: 'secret' });
      return create('SipTrunk/Trunk/', { trunk_direction: 'outbound', credential_uuid });
    },
  };
}

/** Where the stored numbers lead. */
function destinationsOn(database: Database): NumberDestinations {
  const { inbound } = createTrunks({
    database,
    clock: createVirtualClock(),
    log: createRecordingLog(),
    secrets: createSecrets(new Uint8Array(32).fill(7)),
    domains: ['sip.example.com'],
    detachNumbers: attachedNumbers.detachTrunks,
  });
  return createDestinations({
    database,
    inboundTrunks: inbound,
    ifActive: async (owned) => owned,
    operator: () => undefined,
  });
}

eachDatabase('Numbers over HTTP', (open) => {
  test('a short code is refused, because no call is routed to one', async () => {
    const { call } = await openNumbers(open);
    for (const short of ['112', '12345', '+911', '+123456']) {
      const { status, body } = await call('POST', path, { body: { number: short } });
      assert.equal(status, 400, short);
      assert.match(body.error, /^number must be a phone number in E\.164 format with 7 to 15 digits/);
    }
  });

  test('a number is added, read with and without its +, attached to an application or a trunk, and removed', async () => {
    const { world, call, application, inboundTrunk } = await openNumbers(open);
    const trunk_id = await inboundTrunk();
    const created = await call('POST', path, { body: { number, alias: 'Front desk', trunk_id } });
    assert.deepEqual([created.status, created.body.message, created.body.number], [201, 'created', digits]);
    const read = async (at = digits) => {
      const { api_id: _, ...rest } = (await call('GET', `${path}${at}/`)).body;
      return rest;
    };
    const account = `/v1/Account/${world.main.authId}`;
    const shown = {
      number: digits,
      alias: 'Front desk',
      application: null,
      trunk_id,
      sub_account: null,
      added_on: '2026-01-01',
      voice_enabled: true,
      resource_uri: `${account}/Number/${digits}/`,
    };
    assert.deepEqual(await read(), shown);
    assert.deepEqual(await read(`%2B${digits}`), shown);
    const app_id = await application();
    const change = (body: object) => call('POST', `${path}${digits}/`, { body });
    const changed = await change({ app_id });
    assert.deepEqual([changed.status, changed.body.message], [202, 'changed']);
    const application_uri = `${account}/Application/${app_id}/`;
    assert.deepEqual(await read(), { ...shown, trunk_id: null, application: application_uri });
    assert.equal((await change({ trunk_id, alias: '' })).status, 202);
    assert.deepEqual(await read(), { ...shown, alias: '' });
    assert.equal((await change({ trunk_id: null })).status, 202);
    assert.deepEqual(await read(), { ...shown, alias: '', trunk_id: null });
    assert.equal((await call('DELETE', `${path}${digits}/`)).status, 204);
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      assert.equal((await call(method, `${path}${digits}/`, { body: {} })).status, 404);
    }
  });

  test('a number that is missing, wrong, known or of another account is refused', async () => {
    const { world, call, add, application, inboundTrunk, outboundTrunk } = await openNumbers(open);
    const [branch, trunk_id, app_id] = [await world.subaccount(), await inboundTrunk(), await application()];
    for (const [body, status] of [
      [{}, 400],
      [{ number: 'x' }, 400],
      [{ number: '+1234567890123456' }, 400],
      [{ number, app_id: '1' }, 400],
      [{ number, trunk_id: '1' }, 400],
      [{ number, trunk_id: await outboundTrunk() }, 400],
      [{ number, app_id, trunk_id }, 400],
      [{ number, subaccount: 'SAXXXXXXXXXXXXXXXXXX' }, 400],
    ] as const) {
      assert.equal((await call('POST', path, { body })).status, status, JSON.stringify(body));
    }
    assert.equal((await call('POST', path, { body: { number }, as: branch })).status, 400);
    await add();
    const twice = await call('POST', path, { body: { number: digits } });
    assert.deepEqual([twice.status, twice.body.error], [409, `the number ${number} is there already`]);
    assert.equal((await call('GET', `${path}${digits}/`, { as: branch })).status, 404);
    assert.equal((await call('POST', `${path}${digits}/`, { body: { trunk_id: 'x' } })).status, 400);
  });

  test('a path that is no number is not found, for reading, changing and removing', async () => {
    const { call } = await openNumbers(open);
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      const answer = await call(method, `${path}x/`, { body: {} });
      assert.deepEqual([answer.status, answer.body.error_code], [404, 'not-found'], method);
    }
  });

  test('a subaccount attaches a number that it was given, and can neither pass it on nor remove it', async () => {
    const { world, call, add, inboundTrunk } = await openNumbers(open);
    const branch = await world.subaccount();
    await add({ subaccount: branch.authId });
    const one = `${path}${digits}/`;
    const theirs = await inboundTrunk(branch);
    const ours = await inboundTrunk();
    const change = (body: object) => call('POST', one, { body, as: branch });
    assert.equal((await change({ trunk_id: ours })).status, 400);
    assert.equal((await change({ trunk_id: theirs })).status, 202);
    assert.equal((await change({ subaccount: branch.authId })).status, 400);
    assert.equal((await call('DELETE', one, { as: branch })).status, 400);
    const shown = (await call('GET', one)).body;
    assert.deepEqual(
      [shown.sub_account, shown.trunk_id],
      [`/v1/Account/${world.main.authId}/Subaccount/${branch.authId}/`, theirs],
    );
    assert.equal(await world.node.ports.carrierCalls.account(number), branch.authId);
    // The next owner does not see the old destination.
    const other = await world.subaccount('Other');
    assert.equal((await call('POST', one, { body: { subaccount: other.authId } })).status, 202);
    assert.equal((await call('GET', one, { as: other })).body.trunk_id, null);
    const given = { subaccount: branch.authId, trunk_id: theirs };
    assert.equal((await call('POST', one, { body: given })).status, 202);
    assert.equal((await call('GET', one, { as: branch })).body.trunk_id, theirs);
    // The subaccount is deleted with what it owns; the number belongs to the main account.
    assert.equal((await call('DELETE', `Subaccount/${branch.authId}/?cascade=true`)).status, 204);
    const back = (await call('GET', one)).body;
    assert.deepEqual([back.sub_account, back.trunk_id], [null, null]);
    assert.equal((await call('GET', path)).body.meta.total_count, 1);
  });

  test('a list is newest first and is filtered by subaccount, trunk and application', async () => {
    const { world, call, add, application, inboundTrunk } = await openNumbers(open);
    const branch = await world.subaccount();
    const [trunk_id, app_id] = [await inboundTrunk(), await application()];
    await add();
    await add({ number: '+442079460101', trunk_id });
    await add({ number: '+442079460102', app_id });
    await add({ number: '+442079460103', subaccount: branch.authId });
    const listed = async (query: string, as: Caller = world.main) => {
      const { meta, objects } = (await call('GET', `${path}${query}`, { as })).body;
      assert.equal(meta.total_count, objects.length);
      return objects.map((each: { number: string }) => each.number.slice(-1)).join('');
    };
    assert.equal(await listed(''), '3210');
    assert.equal(await listed(`?trunk_id=${trunk_id}`), '1');
    assert.equal(await listed(`?app_id=${app_id}`), '2');
    assert.equal(await listed(`?subaccount=${branch.authId}`), '3');
    assert.equal(await listed('', branch), '3');
    const page = (await call('GET', `${path}?limit=1&offset=1`)).body;
    assert.deepEqual([page.objects[0].number, page.meta.total_count], ['442079460102', 4]);
    assert.equal((await call('GET', `${path}?limit=21`)).status, 400);
  });

  test('the pages of a filtered list lead beyond the 10,000 rows that are counted', async () => {
    const { world, call, add, application } = await openNumbers(open);
    const app_id = await application();
    await add({ app_id });
    await world.node.database.transact((write) =>
      sql`INSERT INTO numbers (number, account, main_account, alias, app_id, created_at)
        WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10004)
        SELECT '+1303' || (2000000 + n), account, main_account, '', app_id, created_at FROM numbers, c`.execute(
        write,
      ),
    );
    const first = (await call('GET', `${path}?app_id=${app_id}&offset=0`)).body;
    assert.equal(first.meta.total_count, 10_000);
    const { meta } = (await call('GET', `${path}?app_id=${app_id}&offset=9980`)).body;
    assert.match(meta.next, /&offset=10000$/);
    const last = (await call('GET', meta.next)).body;
    assert.deepEqual([last.objects.length, last.meta.total_count, last.meta.next], [5, 10_005, null]);
  });

  test('numbers of a deleted trunk or application lead nowhere; a trunk that became outbound accepts no call', async () => {
    const { world, call, add, inboundTrunk } = await openNumbers(open);
    const { database } = world.node;
    const trunk_id = await inboundTrunk();
    await add({ trunk_id });
    const { trunkOf, heldOf } = destinationsOn(database);
    assert.deepEqual(
      (await trunkOf(number))?.targets.map(({ uri }) => uri),
      [`sip:${number}@pbx.example.net`],
    );
    for (const odd of ['', '+1', 'x', `${number}0000000000`]) assert.equal(await heldOf(odd), undefined);
    const ipacl_uuid = (
      await call('POST', 'SipTrunk/IPAccessControlList/', { body: { ip_addresses: ['192.0.2.1'] } })
    ).body.ipacl_uuid;
    await call('POST', `SipTrunk/Trunk/${trunk_id}/`, { body: { trunk_direction: 'outbound', ipacl_uuid } });
    assert.deepEqual((await trunkOf(number))?.targets, []);
    await call('DELETE', `SipTrunk/Trunk/${trunk_id}/`);
    assert.equal((await heldOf(number))?.trunk, null);
    assert.equal(await trunkOf(number), undefined);
    await database.transact((write) => attachedNumbers.detachApplications(write, ['1', '2']));
  });
});
