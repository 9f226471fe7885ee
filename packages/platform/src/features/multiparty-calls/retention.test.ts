import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { sql } from 'kysely';
import { removeEndedCalls } from './store.ts';
import { type MultipartyWorld, openMultipartyWorld } from './testing/multiparty-world.ts';
import { customer } from './testing/rooms.ts';

const tables = ['multiparty_calls', 'multiparty_participants', 'multiparty_hearing'] as const;

async function rowsOf({ node: { database } }: MultipartyWorld): Promise<readonly number[]> {
  return Promise.all(
    tables.map(async (table) => {
      const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM ${sql.table(table)}`.execute(
        database.read,
      );
      return Number(rows[0]!.n);
    }),
  );
}

eachDatabase('The retention of multiparty calls', (open) => {
  test('the retention removes ended calls with their rows, the oldest first, and no live call', async () => {
    const world = await openMultipartyWorld(open);
    for (const name of ['one', 'two', 'three']) {
      await world.join(name, { stay_alone: true });
      await world.join(name, customer);
      if (name !== 'three') await world.remove(`MultiPartyCall/name_${name}/`);
      await world.advance(0);
      await world.advance(10_000);
    }
    const left = async () => {
      const { objects } = (await world.get('MultiPartyCall/')).body;
      return objects.map((each: { friendly_name: string }) => each.friendly_name);
    };
    const now = world.clock.wallNow();
    const { database } = world.node;
    assert.equal(await removeEndedCalls(database, now - 30_000, 10), 0, 'kept to the millisecond');
    assert.deepEqual(await rowsOf(world), [3, 6, 6]);
    assert.equal(await removeEndedCalls(database, now, 1), 1);
    assert.deepEqual(await left(), ['three', 'two']);
    assert.equal(await removeEndedCalls(database, now, 10), 1);
    assert.deepEqual(await left(), ['three']);
    assert.deepEqual(await rowsOf(world), [1, 2, 2]);
    assert.equal(await removeEndedCalls(database, now, 10), 0);
  });
});
