import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Binding, Database } from '@jackfield/ports';
import { createRecordingLog, createVirtualClock, onTwoNodes } from '@jackfield/testkit';
import { sql } from 'kysely';
import { createOutbox, outboxMigrations } from '../../../kernel/outbox.ts';
import { removeEndpoint } from '../commands.ts';
import { sipEndpointsTables } from '../migrations/0001-sip-endpoints.ts';
import { sipEndpointsByApplication } from '../migrations/0002-by-application.ts';
import { sipBindingsFlows } from '../migrations/0003-flows.ts';
import { sipBindingsPermissions } from '../migrations/0004-permissions.ts';
import { sipInstances } from '../migrations/0005-instances.ts';
import { sipBindingsSources } from '../migrations/0006-sources.ts';
import { createEndpointStore } from '../store.ts';
import { createKnownBindings } from './known-bindings.ts';
import { createRegistrationWatch } from './registration-watch.ts';
import { createRegistrations } from './registrations.ts';

const main = 'MA000000000000000000';
const asMain = { authId: main, main, isSubaccount: false } as Parameters<typeof removeEndpoint>[1];
const clock = createVirtualClock({ startAt: 1_000_000 });

function registrarOn(database: Database) {
  const outbox = createOutbox({ database, clock, log: createRecordingLog(), newEventId: () => randomUUID() });
  const known = createKnownBindings(database);
  const watch = createRegistrationWatch({ database, clock, outbox, known });
  const credentialOf = async () => undefined;
  return { watch, registrations: createRegistrations({ database, clock, credentialOf, known, watch }) };
}

const storeOn = (database: Database) => createEndpointStore(database, () => {});

async function prepare(database: Database): Promise<string> {
  const id = randomUUID();
  const row = {
    endpoint_id: id,
    account: main,
    main_account: main,
    username: id,
    base_name: id,
    stamp: 0,
    alias: '',
    application_id: null,
    password_md5_sealed: '',
    ha1_md5: '',
    ha1_sha256: '',
    created_at: 0,
  };
  await database.transact((write) => storeOn(database).insert(write, row));
  return id;
}

const binding = (endpoint: string, contact: string, flow: string): Binding => ({
  contact: `sip:${contact}@192.0.2.1`,
  flow: `${flow}-${endpoint}`,
  q: 0.5,
  expiresAt: clock.now() + 60_000,
  callId: contact,
  cseq: 1,
  userAgent: 'phone',
  registeredAt: clock.now(),
});

/** Registers a phone where none is registered. */
const registerFirst = (contact: string) => (database: Database, endpoint: string) =>
  registrarOn(database).registrations.update(endpoint, (current) => ({
    bindings: current.length === 0 ? [binding(endpoint, contact, 'udp')] : current,
    result: undefined,
  }));

const bindingsOf = async (database: Database, endpoint: string) =>
  (await sql`SELECT 1 FROM sip_bindings WHERE endpoint_id = ${endpoint}`.execute(database.read)).rows.length;

const migrations = [
  ...outboxMigrations,
  sipEndpointsTables,
  sipEndpointsByApplication,
  sipBindingsFlows,
  sipBindingsPermissions,
  sipInstances,
  sipBindingsSources,
];

onTwoNodes('the registrar of two nodes', migrations, ({ race }) => {
  test('two REGISTERs of one endpoint decide one after the other', async () => {
    await race({
      prepare,
      unit: registerFirst('a'),
      rival: registerFirst('b'),
      async check(database, endpoint, { unit, rival }) {
        assert.ok(unit && rival);
        assert.equal(await bindingsOf(database, endpoint), 1);
      },
    });
  });

  test('an endpoint that is deleted leaves no binding of a concurrent REGISTER', async () => {
    const remove = async (database: Database, endpoint: string) => {
      const deps = { database, store: storeOn(database) } as Parameters<typeof removeEndpoint>[0];
      assert.ok((await removeEndpoint(deps, asMain, endpoint)).ok);
    };
    const check = async (database: Database, endpoint: string) =>
      assert.equal(await bindingsOf(database, endpoint), 0);
    await race({ prepare, unit: registerFirst('a'), rival: remove, check });
    await race({ prepare, unit: remove, rival: registerFirst('a'), check });
  });

  test('the last event of an endpoint says whether it is registered, when a flow is lost during a REGISTER', async () => {
    const registered = async (database: Database) => {
      const endpoint = await prepare(database);
      await registrarOn(database).registrations.update(endpoint, () => ({
        bindings: [binding(endpoint, 'a', 'tcp')],
        result: undefined,
      }));
      return endpoint;
    };
    const replace = (database: Database, endpoint: string) =>
      registrarOn(database).registrations.update(endpoint, () => ({
        bindings: [binding(endpoint, 'b', 'udp')],
        result: undefined,
      }));
    const lose = (database: Database, endpoint: string) => {
      const flow = `tcp-${endpoint}`;
      return registrarOn(database).watch.dropFlows(flow, `${flow}\u0001`);
    };
    const check = async (database: Database, endpoint: string) => {
      const { rows } = await sql<{ type: string }>`
        SELECT type FROM outbox WHERE resource = ${`endpoint/${endpoint}`} ORDER BY id DESC LIMIT 1`.execute(
        database.read,
      );
      const isRegistered = (await bindingsOf(database, endpoint)) > 0;
      assert.equal(rows[0]?.type, isRegistered ? 'endpoint.registered' : 'endpoint.unregistered');
    };
    await race({ prepare: registered, unit: lose, rival: replace, check });
    await race({ prepare: registered, unit: replace, rival: lose, check });
  });
});
