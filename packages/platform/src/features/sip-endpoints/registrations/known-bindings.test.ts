import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Binding, Database, Registrations } from '@jackfield/ports';
import { onEmbeddedDatabase, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';
import { createKnownBindings } from './known-bindings.ts';
import { createRegistrations } from './registrations.ts';

/** A registrar on the database of the world, which counts the statements that read in its units. */
function countingRegistrar({ node, clock }: SimulatedWorld) {
  const work = { reads: 0 };
  const transact: Database['transact'] = (unit, options) =>
    node.database.transact((write) => {
      const executeQuery = write.executeQuery.bind(write);
      Object.defineProperty(write, 'executeQuery', {
        value: (...given: Parameters<typeof executeQuery>) => {
          if ('sql' in given[0] && /^\s*select\b/i.test(given[0].sql)) work.reads += 1;
          return executeQuery(...given);
        },
      });
      return unit(write);
    }, options);
  const database: Database = Object.create(node.database, { transact: { value: transact } });
  const credentialOf = async () => undefined;
  const known = createKnownBindings(database);
  return { work, registrations: createRegistrations({ database, clock, credentialOf, known }) };
}

async function phone(
  world: SimulatedWorld,
  { registrations }: { readonly registrations: Registrations } = world.node.ports,
) {
  const body = { username: 'alice', password: 'secret', alias: 'a' };
  const endpoint: string = (await world.call('POST', 'Endpoint/', { body })).body.endpoint_id;
  let cseq = 0;
  const binding = (fields: Partial<Binding> = {}): Binding => ({
    contact: 'sip:a@192.0.2.1',
    flow: 'tcp:1',
    q: 1,
    expiresAt: world.clock.now() + 60_000,
    callId: 'c',
    cseq: ++cseq,
    userAgent: 'phone',
    registeredAt: 1,
    refreshedAt: world.clock.now(),
    ...fields,
  });
  return {
    endpoint,
    binding,
    live: () => registrations.bindingsOf(endpoint),
    register: (...bindings: readonly Binding[]) => registered(registrations, endpoint, bindings),
  };
}

/** Resolves with the bindings that the decision was about. */
function registered(registrations: Registrations, endpoint: string, bindings: readonly Binding[]) {
  return registrations.update(endpoint, (current) => ({ bindings, result: current }));
}

onEmbeddedDatabase('Known bindings', (open) => {
  test('a refresh after a refresh reads nothing, and what was refreshed is what the database has', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { work, registrations } = countingRegistrar(world);
    const { register, binding, live, endpoint } = await phone(world, { registrations });
    await register(binding());
    await register(binding());
    work.reads = 0;
    await register(binding());
    const last = binding({ expiresAt: world.clock.now() + 90_000 });
    await register(last);
    assert.equal(work.reads, 0);
    assert.deepEqual(await live(), [last]);
    await world.restart();
    assert.deepEqual(await world.node.ports.registrations.bindingsOf(endpoint), [last]);
  });

  test('any other change is read again, and so are the bindings after it', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { work, registrations } = countingRegistrar(world);
    const { register, binding, live } = await phone(world, { registrations });
    await register(binding());
    await register(binding());
    const moved = binding({ flow: 'tcp:2' });
    await register(moved);
    work.reads = 0;
    assert.deepEqual(await register(moved), [moved]);
    assert.equal(work.reads, 1);
    assert.deepEqual(await live(), [moved]);
  });

  test('of two REGISTERs of one commit the second decides about what the first has bound', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { register, binding } = await phone(world);
    await register(binding());
    await register(binding());
    const [first, second] = [binding(), binding()];
    const [, seen] = await Promise.all([register(first), register(second)]);
    assert.deepEqual(seen, [first]);
    assert.deepEqual(await register(binding()), [second]);
  });

  test('a REGISTER that runs again, because another unit of its commit failed, decides about the same bindings', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { register, binding, endpoint } = await phone(world);
    const before = binding();
    await register(binding());
    await register(before);
    const { database, ports } = world.node;
    const seen: (readonly Binding[])[] = [];
    const next = binding();
    const [done, failed] = await Promise.allSettled([
      ports.registrations.update(endpoint, (current) => {
        seen.push(current);
        return { bindings: [next], result: undefined };
      }),
      database.transact(async (write) => {
        await write
          .withTables<{ sip_instances: { endpoint_id: string } }>()
          .deleteFrom('sip_instances')
          .execute();
        throw new Error('planted');
      }),
    ]);
    assert.deepEqual([done.status, failed.status], ['fulfilled', 'rejected']);
    assert.deepEqual(seen, [[before], [before]]);
    assert.deepEqual(await register(binding()), [next]);
  });

  test('a flow that ends in the commit of a refresh leaves no binding behind', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { register, binding, live } = await phone(world);
    await register(binding());
    await register(binding());
    await Promise.all([register(binding()), world.node.ports.registrations.dropFlow('tcp:1')]);
    assert.deepEqual(await live(), []);
    assert.deepEqual(await register(), []);
  });

  test('an endpoint that was deleted in the commit of a refresh has no binding, and takes none', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { register, binding, live, endpoint } = await phone(world);
    await register(binding());
    await register(binding());
    await Promise.all([register(binding()), world.call('DELETE', `Endpoint/${endpoint}/`)]);
    assert.deepEqual(await live(), []);
    await assert.rejects(register(binding()), /has been deleted/);
  });

  test('an expired binding is not live, and the next REGISTER does not see it', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { register, binding, live } = await phone(world);
    await register(binding());
    await register(binding());
    await world.clock.advance(60_000);
    assert.deepEqual(await live(), []);
    assert.deepEqual(await register(binding()), []);
  });

  test('beyond its limit the memory forgets the oldest entry', async () => {
    const world = await openSimulatedWorld({ database: open });
    const known = createKnownBindings(world.node.database, { maxRemembered: 1 });
    for (const endpoint of ['one', 'two']) {
      known.end(known.begin(endpoint), []);
    }
    assert.equal(known.of('one', 0), undefined);
    assert.deepEqual(known.of('two', 0), []);
  });
});
