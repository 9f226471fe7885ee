import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { Database } from '@jackfield/ports';
import {
  type Caller,
  createRecordingLog,
  createVirtualClock,
  eachDatabase,
  openSimulatedWorld,
} from '@jackfield/testkit';
import { createAccounts } from './index.ts';

const secrets = createSecrets(new Uint8Array(32).fill(7));
const featureOn = (database: Database) =>
  createAccounts({
    database,
    clock: createVirtualClock(),
    secrets,
    log: createRecordingLog(),
    resources: [],
  });

eachDatabase('Accounts over HTTP', (open) => {
  test('the first account is made once, kept, and follows the settings of the operator', async () => {
    const database = await open();
    const accounts = featureOn(database);
    await database.migrate(accounts.migrations);
    const outcome = async (caller: Caller) => (await accounts.authenticate(caller, caller.authId)).outcome;
    const { isNew, ...main } = await accounts.ensureFirstAccount();
    assert.equal(isNew, true);
    assert.match(main.authId, /^MA[A-Z0-9]{18}$/);
    assert.match(main.authToken, /^[A-Za-z0-9+/=]{40}$/);
    assert.deepEqual(await accounts.ensureFirstAccount(), { ...main, isNew: false });
    const operators = { authId: 'MAAAAAAAAAAAAAAAAAAA', authToken: 'chosen by the operator' };
    assert.deepEqual(await accounts.ensureFirstAccount(operators), { ...operators, isNew: true });
    assert.equal(await outcome(operators), 'accepted');
    const changed = { ...operators, authToken: 'changed' };
    assert.deepEqual(await accounts.ensureFirstAccount(changed), { ...changed, isNew: false });
    assert.equal(await outcome(operators), 'wrong-credentials');
    assert.equal(await outcome(changed), 'accepted');
    // Without a token in the configuration the token in the database stays.
    const kept = await accounts.ensureFirstAccount({ authId: operators.authId });
    assert.deepEqual(kept, { ...changed, isNew: false });
  });

  test('an account is read and changed', async () => {
    const world = await openSimulatedWorld({ database: open });
    const changes = { name: 'Ünïcode & Co', city: 'Lisboa', address: '', timezone: 'Europe/Lisbon' };
    const changed = await world.call('POST', '', { body: changes });
    assert.deepEqual([changed.status, changed.body.message], [202, 'changed']);
    const { body } = await world.call('GET', '');
    assert.deepEqual(
      { ...body, api_id: 0 },
      {
        api_id: 0,
        account_type: 'standard',
        auth_id: world.main.authId,
        auto_recharge: false,
        billing_mode: 'prepaid',
        cash_credits: '0.00000',
        state: '',
        resource_uri: `/v1/Account/${world.main.authId}/`,
        ...changes,
      },
    );
    assert.equal((await world.call('POST', '', {})).status, 202);
  });

  test('parameters of accounts and subaccounts with wrong types, lengths and characters are refused', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { authId } = await world.subaccount();
    const bad: Record<string, readonly unknown[]> = {
      name: ['', 'a'.repeat(101), 'a\0', 'a\n', '\ud800', 1, null, [], {}, true],
      city: ['a'.repeat(101), 1, null],
      address: ['a'.repeat(201), '\0', {}],
      timezone: ['', 'Mars/Base', 'a b', 'x'.repeat(65), 5],
    };
    for (const [parameter, values] of Object.entries(bad)) {
      for (const value of values) {
        const paths = parameter === 'name' ? ['', 'Subaccount/', `Subaccount/${authId}/`] : [''];
        for (const path of paths) {
          const { status, body } = await world.call('POST', path, { body: { [parameter]: value } });
          assert.equal(status, 400, `${path} ${JSON.stringify({ [parameter]: value })}`);
          assert.ok(body.error.startsWith(`${parameter} must be `), body.error);
        }
      }
    }
    for (const enabled of ['yes', 1, 0, '', null, 'tru', []]) {
      const body = { name: 'x', enabled };
      assert.equal((await world.call('POST', 'Subaccount/', { body })).status, 400);
      assert.equal((await world.call('POST', `Subaccount/${authId}/`, { body })).status, 400);
    }
    assert.equal(
      (await world.call('POST', 'Subaccount/', { body: {} })).body.error,
      'name parameter is missing',
    );
    assert.equal((await world.call('DELETE', `Subaccount/${authId}/?cascade=maybe`)).status, 400);
  });

  test('a subaccount is created, listed, read, changed and deleted', async () => {
    const world = await openSimulatedWorld({ database: open });
    const created = await world.call('POST', 'Subaccount/', { body: { name: 'Branch', enabled: 'TRUE' } });
    assert.match(created.body.auth_id, /^SA[A-Z0-9]{18}$/);
    const branch = { authId: created.body.auth_id, authToken: created.body.auth_token };
    const path = `Subaccount/${branch.authId}/`;
    const expected = {
      account: `/v1/Account/${world.main.authId}/`,
      auth_id: branch.authId,
      auth_token: branch.authToken,
      new_auth_token: null,
      created: '2026-01-01',
      modified: null as string | null,
      enabled: true,
      name: 'Branch',
      resource_uri: `/v1/Account/${world.main.authId}/${path}`,
    };
    const { api_id: _, ...read } = (await world.call('GET', path)).body;
    assert.deepEqual(read, expected);
    const list = (await world.call('GET', 'Subaccount/')).body;
    assert.deepEqual([list.meta.total_count, list.objects], [1, [expected]]);

    await world.clock.leap(24 * 60 * 60 * 1000);
    assert.equal((await world.call('POST', path, { body: { name: 'Twig' } })).status, 202);
    const changed = (await world.call('GET', path)).body;
    assert.deepEqual([changed.name, changed.enabled, changed.modified], ['Twig', true, '2026-01-02']);

    assert.equal((await world.call('GET', '', { as: branch })).body.account_type, 'subaccount');
    assert.equal((await world.call('DELETE', path)).status, 204);
    assert.equal((await world.call('GET', '', { as: branch })).status, 401);
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      assert.equal((await world.call(method, path)).status, 404);
    }
    assert.equal((await world.call('GET', 'Subaccount/')).body.meta.total_count, 0);
  });

  test('a disabled subaccount cannot authenticate, from the next request on; its main account still acts for it', async () => {
    const world = await openSimulatedWorld({ database: open });
    const branch = await world.subaccount();
    const enable = (enabled: unknown) =>
      world.call('POST', `Subaccount/${branch.authId}/`, { body: { enabled } });
    assert.equal((await world.call('GET', '', { as: branch })).status, 200);
    await enable('false');
    assert.equal((await world.call('GET', '', { as: branch })).status, 401);
    assert.equal((await world.call('GET', `/v1/Account/${branch.authId}/`)).status, 200);
    await enable(true);
    assert.equal((await world.call('GET', '', { as: branch })).status, 200);
    const born = await world.call('POST', 'Subaccount/', { body: { name: 'x', enabled: false } });
    const disabled = { authId: born.body.auth_id, authToken: born.body.auth_token };
    assert.equal((await world.call('GET', '', { as: disabled })).status, 401);
  });

  test('subaccounts have no subaccounts, and see neither each other nor the main account', async () => {
    const world = await openSimulatedWorld({ database: open });
    const [one, two] = [await world.subaccount(), await world.subaccount()];
    assert.equal((await world.call('POST', 'Subaccount/', { body: { name: 'x' }, as: one })).status, 400);
    assert.equal((await world.call('GET', 'Subaccount/', { as: one })).body.meta.total_count, 0);
    assert.equal((await world.call('GET', `Subaccount/${two.authId}/`, { as: one })).status, 404);
    assert.equal((await world.call('DELETE', `Subaccount/${one.authId}/`, { as: one })).status, 404);
    const foreign = [two.authId, world.main.authId, 'MAXXXXXXXXXXXXXXXXXX', 'SAXXXXXXXXXXXXXXXXXX', 'x'];
    for (const authId of foreign) {
      const { status } = await world.call('GET', `/v1/Account/${authId}/`, { as: one });
      assert.equal(status, 401, authId);
    }
    const accounts = featureOn(world.node.database);
    assert.equal(await accounts.isWithin(one.authId, world.main.authId), true);
    assert.equal(await accounts.isWithin(one.authId, two.authId), false);
    assert.equal(await accounts.isWithin(one.authId, one.authId), true);
    assert.equal(await accounts.authTokenOf(one.authId), one.authToken);
  });
});
