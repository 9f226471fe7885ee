import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { Binding } from '@jackfield/ports';
import { eachDatabase, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';
import { attachableApplications } from '../../applications/index.ts';
import { createSipEndpoints } from '../index.ts';
import type { EndpointRegistrations } from './registrations.ts';

async function phone(world: SimulatedWorld, as = world.main) {
  const body = { username: 'alice', password: 'secret', alias: 'a' };
  const created = await world.call('POST', 'Endpoint/', { body, as });
  const endpoint: string = created.body.endpoint_id;
  const { registrations } = world.node.ports;
  return {
    endpoint,
    username: created.body.username as string,
    binding: (contact: string, fields: Partial<Binding> = {}): Binding => ({
      contact: `sip:${contact}@192.0.2.1:5062;ob`,
      flow: 'udp:1',
      q: 0.5,
      expiresAt: world.clock.now() + 60_000,
      callId: 'call-1',
      cseq: 4_294_967_295,
      userAgent: 'phone 1.0',
      registeredAt: world.clock.now(),
      ...fields,
    }),
    set: (bindings: readonly Binding[]) =>
      registrations.update(endpoint, () => ({ bindings, result: undefined })),
    live: () => registrations.bindingsOf(endpoint),
    seen: async () => (await world.call('GET', `Endpoint/${endpoint}/`)).body,
  };
}

eachDatabase('Registrations', (open) => {
  test('bindings are read as they were written, newest first, also after a restart', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { binding, set, live, endpoint } = await phone(world);
    const older = binding('a');
    await set([older]);
    await world.clock.advance(1000);
    const newer = binding('b', { flow: 'tcp:2', q: 1, userAgent: '' });
    await set([...(await live()), newer]);
    assert.deepEqual(await live(), [newer, older]);
    await world.restart();
    assert.deepEqual(await world.node.ports.registrations.bindingsOf(endpoint), [newer, older]);
  });

  test('a REGISTER that mostly changes nothing begins no unit on a shared database, unless it changes something', async () => {
    let units = 0;
    let isShared = false;
    const counting = async (...asked: Parameters<typeof open>) => {
      const database = await open(...asked);
      isShared = database.dialect === 'postgres';
      const transact: typeof database.transact = (...unit) => {
        units++;
        return database.transact(...unit);
      };
      return { ...database, transact };
    };
    const world = await openSimulatedWorld({ database: Object.assign(counting, open) });
    const { binding, set, live, endpoint } = await phone(world);
    await set([binding('a')]);
    const { registrations } = world.node.ports;
    const unitsOf = async (decide: (current: readonly Binding[]) => readonly Binding[]) => {
      const before = units;
      const decided = await registrations.update(
        endpoint,
        (current) => ({ bindings: decide(current), result: current.length }),
        { mostlySame: true },
      );
      return { decided, units: units - before };
    };
    assert.deepEqual(await unitsOf((current) => current), { decided: 1, units: isShared ? 0 : 1 });
    assert.deepEqual(await unitsOf((current) => [binding('b'), ...current]), { decided: 1, units: 1 });
    assert.equal((await live()).length, 2);
    await world.call('DELETE', `Endpoint/${endpoint}/`);
    await assert.rejects(
      unitsOf((current) => current),
      /has been deleted/,
    );
  });

  test('the devices of an endpoint are listed, the newest first, for its account alone', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { binding, set, endpoint } = await phone(world);
    const list = (as = world.main) => world.call('GET', `Endpoint/${endpoint}/Registration/`, { as });
    assert.deepEqual((await list()).body.objects, []);
    const browser = { transport: 'wss', source: '192.0.2.7:50412', instance: '<urn:uuid:1>', regId: 1 };
    const later = { ...browser, registeredAt: world.clock.now() + 1, expiresAt: world.clock.now() + 90_000 };
    await set([binding('desk'), binding('page', later)]);
    const { status, body } = await list();
    assert.equal(status, 200);
    assert.deepEqual(body.objects, [
      {
        contact: 'sip:page@192.0.2.1:5062;ob',
        transport: 'wss',
        source: '192.0.2.7:50412',
        user_agent: 'phone 1.0',
        instance: 'urn:uuid:1',
        registered: '2026-01-01 00:00:00',
        expires: '2026-01-01 00:01:30',
      },
      {
        contact: 'sip:desk@192.0.2.1:5062;ob',
        transport: null,
        source: null,
        user_agent: 'phone 1.0',
        instance: null,
        registered: '2026-01-01 00:00:00',
        expires: '2026-01-01 00:01:00',
      },
    ]);
    await world.clock.advance(61_000);
    assert.deepEqual(
      (await list()).body.objects.map(({ transport }: { transport: string }) => transport),
      ['wss'],
    );
    assert.equal((await world.call('GET', 'Endpoint/12345678901234/Registration/')).status, 404);
  });

  test('flows of one phone with the same contact are separate bindings, each with its Path, and the loss of a flow keeps the others', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { binding, set, live } = await phone(world);
    const flow = { instance: '<urn:uuid:1>', registeredAt: world.clock.now() };
    const path = ['<sip:token@edge.example.com;lr;ob>'];
    const [first, second] = [
      binding('a', { ...flow, regId: 1, flow: 'tcp-1', path }),
      binding('a', { ...flow, regId: 2, flow: 'tcp-2', registeredAt: world.clock.now() + 1 }),
    ];
    await set([first]);
    await set([second, first]);
    assert.deepEqual(await live(), [second, first]);
    await world.node.ports.registrations.dropFlow('tcp-2');
    assert.deepEqual(await live(), [first]);
    await set([{ ...first, flow: 'tcp-3', path: [] }]);
    assert.deepEqual(await live(), [{ ...first, flow: 'tcp-3', path: [] }]);
    await set([]);
    assert.deepEqual(await live(), []);
  });

  test('the permission of a token stays with its binding until another token refreshes it', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { binding, set, endpoint } = await phone(world);
    await set([binding('a', { mayCall: false })]);
    await world.restart();
    const { registrations } = world.node.ports;
    assert.deepEqual(await registrations.bindingsOf(endpoint), [binding('a', { mayCall: false })]);
    await registrations.update(endpoint, () => ({ bindings: [binding('a')], result: undefined }));
    assert.deepEqual(await registrations.bindingsOf(endpoint), [binding('a')]);
  });

  test('the latest 32 instances of an endpoint are remembered without a registration, and deleted with the endpoint', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { binding, set, endpoint } = await phone(world);
    const { registrations } = world.node.ports;
    const named = (n: number) => `<urn:uuid:${n}>`;
    const known = (n: number) => registrations.knowsInstance(endpoint, named(n));
    assert.equal(await known(1), false);
    await set([binding('a', { instance: named(1), refreshedAt: world.clock.now() })]);
    await set([]);
    assert.equal(await known(1), true);
    assert.equal(await registrations.knowsInstance('another', named(1)), false);
    for (let n = 2; n <= 33; n++) {
      await world.clock.advance(1);
      await set([binding('a', { instance: named(n) })]);
    }
    assert.deepEqual([await known(1), await known(2), await known(33)], [false, true, true]);
    assert.equal((await world.call('DELETE', `Endpoint/${endpoint}/`)).status, 204);
    assert.equal(await known(33), false);
  });

  test('the API shows the newest live binding, and none after the last has expired', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { binding, set, seen, endpoint } = await phone(world);
    await set([binding('a', { expiresAt: world.clock.now() + 90_000 })]);
    await world.clock.advance(1000);
    await set([binding('b', { userAgent: 'newer' }), binding('a', { registeredAt: world.clock.now() - 1 })]);
    const { sip_registered, sip_contact, sip_expires, sip_user_agent } = await seen();
    assert.deepEqual(
      [sip_registered, sip_contact, sip_expires, sip_user_agent],
      ['true', 'sip:b@192.0.2.1:5062;ob', '2026-01-01 00:01:01', 'newer'],
    );
    assert.equal((await world.call('GET', 'Endpoint/')).body.objects[0].sip_user_agent, 'newer');
    await world.clock.advance(60_000);
    for (const object of [await seen(), (await world.call('GET', 'Endpoint/')).body.objects[0]]) {
      assert.equal(object.endpoint_id, endpoint);
      assert.equal(object.sip_registered, 'false');
      assert.deepEqual(
        Object.keys(object).filter((name) => /contact|expires|agent/.test(name)),
        [],
      );
    }
  });

  test('update reads live bindings only, writes changed ones and leaves equal ones', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { binding, set, live, endpoint } = await phone(world);
    const { registrations } = world.node.ports;
    await set([binding('short', { expiresAt: world.clock.now() + 1 }), binding('long')]);
    await world.clock.advance(1);
    const seen = await registrations.update(endpoint, (current) => ({
      bindings: current,
      result: current.map(({ contact }) => contact),
    }));
    assert.deepEqual(seen, ['sip:long@192.0.2.1:5062;ob']);
    const refreshed = binding('long', { cseq: 2, callId: 'call-2', flow: 'udp:9', q: 0 });
    await set([refreshed, binding('short')]);
    assert.equal((await live()).length, 2);
    assert.deepEqual(
      (await live()).find(({ contact }) => contact === refreshed.contact),
      refreshed,
    );
    await set([]);
    assert.deepEqual(await live(), []);
  });

  test('concurrent updates lose no binding', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { binding, endpoint, live } = await phone(world);
    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        world.node.ports.registrations.update(endpoint, (current) => ({
          bindings: [...current, binding(`phone-${at}`)],
          result: at,
        })),
      ),
    );
    assert.equal((await live()).length, 20);
  });

  test('a decision that throws writes nothing', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { endpoint, live } = await phone(world);
    const broken = world.node.ports.registrations.update(endpoint, () => {
      throw new RangeError('broken decision');
    });
    await assert.rejects(broken, RangeError);
    assert.deepEqual(await live(), []);
  });

  test('a lost flow removes its bindings and no others', async () => {
    const world = await openSimulatedWorld({ database: open });
    const [one, two] = [await phone(world), await phone(world)];
    await one.set([one.binding('a', { flow: 'tcp:1' }), one.binding('b', { flow: 'tcp:2' })]);
    await two.set([two.binding('c', { flow: 'tcp:1' })]);
    await world.node.ports.registrations.dropFlow('tcp:1');
    assert.deepEqual(
      (await one.live()).map(({ flow }) => flow),
      ['tcp:2'],
    );
    assert.deepEqual(await two.live(), []);
    assert.equal((await two.seen()).sip_registered, 'false');
  });

  test('a restart removes the bindings of all connections, and keeps the bindings over UDP', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { binding, set, live } = await phone(world);
    await set([
      binding('a', { flow: 'tcp-x1-1' }),
      binding('b', { flow: 'tcp-Z9-20' }),
      binding('c', { flow: 'udp-192.0.2.1-5060' }),
      binding('d', { flow: 'tcq' }),
    ]);
    await (world.node.ports.registrations as EndpointRegistrations).dropFlowsFrom('tcp-');
    assert.deepEqual((await live()).map(({ flow }) => flow).sort(), ['tcq', 'udp-192.0.2.1-5060']);
  });

  test('a deleted endpoint has no credential and no bindings, and none can be written', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { endpoint, username, binding, set, live } = await phone(world);
    await set([binding('a')]);
    await world.call('DELETE', `Endpoint/${endpoint}/`);
    assert.equal(await world.node.ports.registrations.credentialOf(username), undefined);
    assert.deepEqual(await live(), []);
    await assert.rejects(set([binding('a')]), /deleted/);
  });

  test('the deletion of a subaccount deletes its endpoints, or passes them to the main account', async () => {
    const world = await openSimulatedWorld({ database: open });
    const [gone, left] = [await world.subaccount(), await world.subaccount()];
    const [lost, kept] = [await phone(world, gone), await phone(world, left)];
    await lost.set([lost.binding('a')]);
    await kept.set([kept.binding('b')]);
    assert.equal(
      (await world.call('DELETE', `Subaccount/${gone.authId}/`, { body: { cascade: 'true' } })).status,
      204,
    );
    assert.equal((await world.call('DELETE', `Subaccount/${left.authId}/`)).status, 204);
    assert.deepEqual(await lost.live(), []);
    assert.equal(await world.node.ports.registrations.credentialOf(lost.username), undefined);
    const list = (await world.call('GET', 'Endpoint/')).body;
    assert.deepEqual([list.meta.total_count, list.objects.length], [1, 1]);
    assert.deepEqual([(await kept.seen()).sub_account, (await kept.seen()).sip_registered], [null, 'true']);
  });

  test('the next registration of any endpoint removes expired bindings, a batch at a time', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { binding, set, endpoint } = await phone(world);
    const other = await phone(world);
    await set(Array.from({ length: 501 }, (_, at) => binding(`phone-${at}`)));
    // The world's clock stands still, so that its timers sweep nothing: the registrations come to a process that is a minute ahead.
    const { database } = world.node;
    const { registrations } = createSipEndpoints({
      database,
      clock: { ...world.clock, now: () => world.clock.now() + 60_000 },
      secrets: createSecrets(new Uint8Array(32)),
      domains: ['sip.example.com'],
      applications: attachableApplications(database),
    });
    const register = () => registrations.update(other.endpoint, () => ({ bindings: [], result: undefined }));
    const rows = async () =>
      (
        await database.read
          .withTables<{ sip_bindings: { endpoint_id: string } }>()
          .selectFrom('sip_bindings')
          .select('endpoint_id')
          .where('endpoint_id', '=', endpoint)
          .execute()
      ).length;
    assert.equal(await rows(), 501);
    await register();
    assert.equal(await rows(), 1);
    await register();
    assert.equal(await rows(), 0);
  });

  test('a malformed user name has no credential, and a User-Agent is shown without control characters', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { registrations } = world.node.ports;
    for (const user of [
      '',
      'alice',
      "' OR 1=1 --",
      '\0',
      'a'.repeat(100_000),
      'alice\ud800260101000000',
      '😀',
    ]) {
      assert.equal(await registrations.credentialOf(user), undefined);
    }
    const { binding, set, seen } = await phone(world);
    await set([binding('a', { callId: 'c\0', userAgent: `x\0y\r\n\ud800${'z'.repeat(1000)}` })]);
    assert.equal((await seen()).sip_user_agent, `xy${'z'.repeat(253)}`);
  });
});
