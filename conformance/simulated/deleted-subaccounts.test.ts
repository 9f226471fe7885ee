import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '@jackfield/ports';
import { openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';
import { sql } from 'kysely';

/** What a subaccount creates by a request, by its table. A table that is missing here fails the first test. */
const creates: Readonly<Record<string, { readonly path: string; readonly body: object }>> = {
  applications: {
    path: 'Application/',
    body: { app_name: 'menu', answer_url: 'http://10.0.1.9/answer' },
  },
  sip_endpoints: {
    path: 'Endpoint/',
    body: { username: 'ann', password: 'a-good-password', alias: 'ann' },
  },
  trunk_credentials: {
    path: 'SipTrunk/Credential/',
    body: { name: 'pbx', username: 'pbx', password: 'a-good-password' },
  },
  trunk_address_lists: {
    path: 'SipTrunk/IPAccessControlList/',
    body: { name: 'pbx', ip_addresses: ['192.0.2.1'] },
  },
  trunk_origination_uris: { path: 'SipTrunk/URI/', body: { name: 'pbx', uri: 'pbx.example.net' } },
  verify_apps: { path: 'Verify/App/', body: { alias: 'login' } },
  verify_sessions: { path: 'Verify/Session/', body: { recipient: '+14155552671' } },
  calls: {
    path: 'Call/',
    body: { from: '+12025550000', to: '+12025550001', answer_url: 'http://10.0.1.9/answer' },
  },
  multiparty_calls: {
    path: 'MultiPartyCall/name_room/Participant/',
    body: { role: 'agent', from: '+12025550000', to: '+12025550001' },
  },
};

/** Created from other resources: a trunk from its parts, a number by the main account, the rest while a call lives. */
const made: Readonly<Record<string, string>> = {
  trunks: 'an outbound trunk needs a credential of its account',
  numbers: 'a main account alone adds numbers',
  sip_traces: 'a trace needs an endpoint or a call of its account',
  recordings: 'of a live call',
  streams: 'of a live call',
  callbacks: 'of events of a live call',
};

/** Kept for a time, also after the account: the event stream, answers to repeated requests, and the inbox of the sandbox. */
const keptByTime = ['outbox', 'idempotency_records', 'sandbox_messages'];

/** A world in which a test can act just before the next transaction: after a request was admitted. */
async function withSubaccount(
  run: (
    world: SimulatedWorld,
    subaccount: string,
    between: (what: () => Promise<void>) => void,
  ) => Promise<void>,
): Promise<void> {
  let next: (() => Promise<void>) | undefined;
  const world = await openSimulatedWorld({
    interpose(database: Database): Database {
      const transact: Database['transact'] = async (work, unit) => {
        const before = next;
        next = undefined;
        await before?.();
        return database.transact(work, unit);
      };
      return Object.create(database, { transact: { value: transact } });
    },
  });
  try {
    const { body } = await world.api('POST', 'Subaccount/', { name: 'Branch' });
    await run(world, body.auth_id, (what) => {
      next = what;
    });
  } finally {
    await world.close();
  }
}

const authorization = (world: SimulatedWorld) => {
  const { authId, authToken } = world.node.platform.account;
  return `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
};

/** Without waiting for the world to settle, which waits for the transaction that this happens in. */
async function deleted(world: SimulatedWorld, subaccount: string, cascade: boolean): Promise<void> {
  const { statusCode } = await world.node.platform.http.inject({
    method: 'DELETE',
    url: `/v1/Account/${world.node.platform.account.authId}/Subaccount/${subaccount}/?cascade=${cascade}`,
    headers: { authorization: authorization(world) },
  });
  assert.equal(statusCode, 204);
}

async function tablesWith(world: SimulatedWorld, column: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
    WHERE m.type = 'table' AND c.name = ${column} ORDER BY m.name`.execute(world.node.database.read);
  return rows.map(({ name }) => name);
}

/** Tables with rows of the account. */
async function leftOf(world: SimulatedWorld, account: string): Promise<readonly string[]> {
  const left: string[] = [];
  for (const table of await tablesWith(world, 'account')) {
    if (keptByTime.includes(table)) continue;
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM ${sql.table(table)} WHERE account = ${account}`.execute(
      world.node.database.read,
    );
    if (rows[0]!.count > 0) left.push(table);
  }
  return left;
}

describe('a subaccount that is deleted', () => {
  it('owns rows in tables that this test knows', () =>
    withSubaccount(async (world) => {
      const known = [...Object.keys(creates), ...Object.keys(made), ...keptByTime];
      const owned = (await tablesWith(world, 'main_account')).filter((table) => !known.includes(table));
      assert.deepEqual(owned, [], 'add each to this test, with the request that creates it');
    }));

  for (const [table, { path, body }] of Object.entries(creates)) {
    it(`leaves nothing in ${table} that a request creates while it goes`, async () => {
      for (const cascade of [true, false]) {
        await withSubaccount(async (world, subaccount, between) => {
          between(() => deleted(world, subaccount, cascade));
          const { status } = await world.api('POST', `/v1/Account/${subaccount}/${path}`, body);
          assert.equal(status, 401, `cascade ${cascade}`);
          await world.advance(40_000);
          assert.deepEqual(await leftOf(world, subaccount), []);
        });
      }
    });
  }

  it('leaves no trace of its endpoint that a request begins while it goes', async () => {
    await withSubaccount(async (world, subaccount, between) => {
      const account = `/v1/Account/${subaccount}`;
      const endpoint = { username: 'ann', password: 'a-good-password', alias: 'ann' };
      const { body } = await world.api('POST', `${account}/Endpoint/`, endpoint);
      between(() => deleted(world, subaccount, true));
      const answer = await world.api('POST', `${account}/Trace/`, { endpoint_id: body.endpoint_id });
      assert.equal(answer.status, 401, JSON.stringify(answer));
      assert.deepEqual(await leftOf(world, subaccount), []);
    });
  });

  it('leaves no trunk and no number that a request gives it while it goes', async () => {
    await withSubaccount(async (world, subaccount, between) => {
      const credential = { name: 'pbx', username: 'pbx', password: 'a-good-password' };
      const { body } = await world.api('POST', `/v1/Account/${subaccount}/SipTrunk/Credential/`, credential);
      between(() => deleted(world, subaccount, true));
      const trunk = { name: 'pbx', trunk_direction: 'outbound', credential_uuid: body.credential_uuid };
      const answer = await world.api('POST', `/v1/Account/${subaccount}/SipTrunk/Trunk/`, trunk);
      // Its credential is gone as well, or the main account's.
      assert.ok([400, 401].includes(answer.status), JSON.stringify(answer));
      assert.deepEqual(await leftOf(world, subaccount), []);
    });
    for (const [path, body] of [
      ['Number/', { number: '+12025550111' }],
      ['Number/+12025550112/', {}],
    ] as const) {
      await withSubaccount(async (world, subaccount, between) => {
        await world.api('POST', 'Number/', { number: '+12025550112' });
        between(() => deleted(world, subaccount, false));
        assert.equal((await world.api('POST', path, { ...body, subaccount })).status, 401);
        assert.deepEqual(await leftOf(world, subaccount), []);
      });
    }
  });

  for (const cascade of [true, false]) {
    it(`leaves what lives, and what that makes, to the main account: cascade ${cascade}`, () =>
      withSubaccount(async (world, subaccount) => {
        const phone = await world.phone('ann', { subaccount });
        const other = await world.phone('bob', { subaccount });
        const room = `/v1/Account/${subaccount}/MultiPartyCall/name_room/`;
        const body = {
          role: 'agent',
          from: '+12025550000',
          to: phone.username,
          record: true,
          status_callback_url: 'http://10.0.1.9/status',
          stay_alone: true,
        };
        const added = await world.api('POST', `${room}Participant/`, body);
        assert.equal(added.status, 201, JSON.stringify(added.body));
        await world.until('the phone is in', () => phone.call?.isUp, 20_000);
        await world.advance(1_000);
        await deleted(world, subaccount, cascade);
        await world.advance(1_000);
        // Without cascade it goes on until its end, and calls phones that were those of the subaccount.
        assert.equal(phone.call?.isUp, !cascade);
        if (!cascade) {
          const [{ mpc_uuid }] = (await world.api('GET', 'MultiPartyCall/')).body.objects;
          const path = `MultiPartyCall/uuid_${mpc_uuid}/Participant/`;
          await world.api('POST', path, { role: 'customer', from: '+12025550000', to: other.username });
          await world.until('the other phone is in', () => other.call?.isUp, 20_000);
          other.hangUp();
        }
        phone.hangUp();
        await world.advance(40_000);
        assert.deepEqual(await leftOf(world, subaccount), []);
      }));
  }
});
