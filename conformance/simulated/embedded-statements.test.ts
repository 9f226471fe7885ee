import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Read } from '@jackfield/ports';
import {
  conversation,
  createMemoryBuses,
  createVirtualClock,
  openSimulatedWorld,
  type SimulatedWorld,
} from '@jackfield/testkit';

type Plugin = Parameters<Read['withPlugin']>[0];

/** The queries of a database: those that are built at each call with their content, and the number of all. */
function createQueryLog() {
  let built: string[] = [];
  let executed = 0;
  const plugin: Plugin = {
    transformQuery({ node }) {
      built.push(JSON.stringify(node));
      return node;
    },
    async transformResult({ result }) {
      executed++;
      return result;
    },
  };
  return {
    clear() {
      built = [];
      executed = 0;
    },
    /** How many queries ran, the signs of life apart: they come with time, not with work. */
    counted: () => executed - naming('"incarnations"').length,
    naming,
    logged: (database: Database, isShared: boolean): Database =>
      Object.create(database, {
        isShared: { value: isShared },
        read: { get: () => database.read.withPlugin(plugin) },
        transact: {
          value: ((work, options) =>
            database.transact((write) => work(write.withPlugin(plugin)), options)) as Database['transact'],
        },
      }),
  };

  function naming(...names: readonly string[]): readonly string[] {
    // The signs of life are written as SQL text, other queries as trees.
    return built.filter((query) =>
      names.every((name) => query.includes(name) || query.includes(`UPDATE ${name.replaceAll('"', '')}`)),
    );
  }
}

/** A call that talks for a minute, is read and hung up: the same requests in each world. */
async function work(world: SimulatedWorld): Promise<void> {
  const { caller } = await conversation(world);
  await world.advance(60_000);
  assert.equal((await world.call('GET', `Call/${caller}/?status=live`)).status, 200);
  assert.equal((await world.call('DELETE', `Call/${caller}/`)).status, 204);
  await world.advance(1_000);
}

async function queriesOf(isShared: boolean) {
  const queries = createQueryLog();
  const buses = createMemoryBuses(createVirtualClock());
  const world = await openSimulatedWorld({
    phones: 'none',
    interpose: (database) => queries.logged(database, isShared),
    ...(isShared ? { settings: { node: 'one', joinBus: buses.join } } : {}),
  });
  // At its start each platform takes over the work of earlier ones in its own way.
  await work(world);
  queries.clear();
  await work(world);
  // A node looks every 10 s for live calls of deleted subaccounts: with time as well, not with work.
  const looks = queries.naming('"SelectQueryNode"', '"calls"', '"Distinct"').length;
  const found = {
    all: queries.counted() - looks,
    looks,
    homes: queries.naming('"SelectQueryNode"', '"calls"', '"name":"incarnation"').length - looks,
    lanes: queries.naming('"incarnation_lanes"').length,
  };
  await world.close();
  return found;
}

test('a platform that shares its database with none looks for no home node, and has no query more than a node', async () => {
  const [alone, node] = [await queriesOf(false), await queriesOf(true)];
  assert.equal(alone.homes, 0);
  assert.equal(alone.looks, 0);
  assert.equal(alone.lanes, 0);
  assert.equal(node.homes, 1, 'the query for homes is known to this test');
  assert.ok(alone.all <= node.all - node.homes, `alone ${alone.all}, as a node ${node.all}`);
});
