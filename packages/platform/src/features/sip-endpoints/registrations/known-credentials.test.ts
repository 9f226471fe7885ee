import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '@jackfield/ports';
import { onEmbeddedDatabase, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';
import { createEndpointStore } from '../store.ts';
import { createKnownCredentials } from './known-credentials.ts';

/** Counts the reads of a database. */
function counted({ read }: Pick<Database, 'read'>) {
  const work = { reads: 0 };
  const executeQuery = read.executeQuery.bind(read);
  Object.defineProperty(read, 'executeQuery', {
    value: (...given: Parameters<typeof executeQuery>) => {
      work.reads += 1;
      return executeQuery(...given);
    },
  });
  return work;
}

async function endpoint(world: SimulatedWorld): Promise<{ id: string; username: string }> {
  const body = { username: 'alice', password: 'secret', alias: 'a' };
  const { endpoint_id: id, username } = (await world.call('POST', 'Endpoint/', { body })).body;
  return { id, username };
}

const unknown = 'mallory261121120000';

onEmbeddedDatabase('Known credentials', (open) => {
  test('Look-ups of a known and an unknown user read alike: until the memory is complete, from it, and while a change is open', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { username } = await endpoint(world);
    const { database } = world.node;
    const work = counted(database);
    const costOf = async (user: string, credentials = createKnownCredentials(database)) => {
      work.reads = 0;
      await credentials.credentialOf(user);
      return work.reads;
    };
    assert.ok((await costOf(username)) > 0);
    assert.equal(await costOf(username), await costOf(unknown));
    const credentials = createKnownCredentials(database);
    await credentials.credentialOf(unknown);
    assert.deepEqual([await costOf(username, credentials), await costOf(unknown, credentials)], [0, 0]);
    credentials.changed([username]);
    assert.deepEqual([await costOf(username, credentials), await costOf(unknown, credentials)], [1, 1]);
    await world.node.database.transact(async () => {});
    await world.node.database.transact(async () => {});
    assert.deepEqual([await costOf(username, credentials), await costOf(unknown, credentials)], [0, 0]);
  });

  test('A look-up sees a change as soon as it is committed, and none that was rolled back', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { id, username } = await endpoint(world);
    const { database } = world.node;
    const credentials = createKnownCredentials(database);
    const store = createEndpointStore(database, credentials.changed);
    const ha1 = async () => (await credentials.credentialOf(username))?.ha1.md5;
    const first = await ha1();
    const change = (ha1_md5: string) => database.transact((write) => store.change(write, id, { ha1_md5 }));
    await change('second');
    assert.equal(await ha1(), 'second');
    const third = change('third');
    const during: (string | undefined)[] = [];
    const watching = third.then(async () => during.push(await ha1()));
    during.push(await ha1());
    await watching;
    assert.deepEqual(during, ['second', 'third']);
    const failed = database.transact(async (write) => {
      await store.change(write, id, { ha1_md5: 'fourth' });
      throw new RangeError('rolled back');
    });
    await assert.rejects(failed, RangeError);
    assert.equal(await ha1(), 'third');
    await database.transact(async () => {});
    await database.transact(async () => {});
    assert.equal(await ha1(), 'third');
    assert.notEqual(first, 'third');
  });

  test('Endpoints that are created, deleted or passed on are known so at once', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { registrations } = world.node.ports;
    assert.equal(await registrations.credentialOf(unknown), undefined);
    const { id, username } = await endpoint(world);
    assert.equal((await registrations.credentialOf(username))?.endpoint, id);
    assert.equal((await registrations.credentialOf(username))?.account, world.main.authId);
    assert.equal((await world.call('DELETE', `Endpoint/${id}/`)).status, 204);
    assert.equal(await registrations.credentialOf(username), undefined);
  });

  test('With more endpoints than the memory may hold, each look-up reads the database', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { username } = await endpoint(world);
    await endpoint(world);
    const { database } = world.node;
    const work = counted(database);
    const credentials = createKnownCredentials(database, { maxRemembered: 1 });
    assert.equal((await credentials.credentialOf(username))?.username, username);
    work.reads = 0;
    assert.equal((await credentials.credentialOf(username))?.username, username);
    assert.equal(await credentials.credentialOf(unknown), undefined);
    assert.equal(work.reads, 2);
  });
});
