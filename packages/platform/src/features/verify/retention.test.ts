import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { sql } from 'kysely';
import { openVerifyWorld } from './testing/verify-world.ts';

eachDatabase('The retention of Verify sessions', (open) => {
  test('removes closed sessions with their attempts, and none whose code or receipt may still come', async () => {
    const world = await openVerifyWorld(open);
    const old = await world.begin();
    await world.begin();
    assert.equal((await world.check(old, await world.codeFor())).status, 200);
    // A session accepts receipts up to an hour after its end.
    await world.clock.advance(3_700_000);
    await world.settle();
    const alive = await world.begin({ recipient: '+14155552699' });
    const now = world.clock.now();
    assert.equal(await world.feature.retained.removeEnded(now - 86_400_000, 10), 0);
    assert.equal(await world.feature.retained.removeEnded(now + 1, 10), 1);
    assert.equal((await world.get(`Verify/Session/${old}/`)).status, 404);
    assert.equal((await world.get(`Verify/Session/${alive}/`)).body.status, 'in-progress');
    const { rows } = await sql<{ session_uuid: string }>`SELECT session_uuid FROM verify_attempts`.execute(
      world.database.read,
    );
    assert.deepEqual(
      rows.map(({ session_uuid }) => session_uuid),
      [alive],
    );
  });
});
