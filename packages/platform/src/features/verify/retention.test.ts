import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { sql } from 'kysely';
import { removeClosedSessions } from './store.ts';
import { openVerifyWorld } from './testing/verify-world.ts';

eachDatabase('The retention of Verify sessions', (open) => {
  test('removes closed sessions with their attempts, and none whose code or receipt may still come', async () => {
    const { world, ...verify } = await openVerifyWorld(open);
    const old = await verify.begin();
    await verify.begin();
    assert.equal((await verify.check(old, await verify.codeFor())).status, 200);
    // The receipts of the inbox: without them the session would wait for an hour.
    await world.advance(2_000);
    const alive = await verify.begin({ recipient: '+14155552699' });
    const now = world.now();
    const { database } = world.node;
    assert.equal(await removeClosedSessions(database, now - 86_400_000, 10), 0);
    assert.equal(await removeClosedSessions(database, now + 1, 10), 1);
    assert.equal((await verify.get(`Verify/Session/${old}/`)).status, 404);
    assert.equal((await verify.get(`Verify/Session/${alive}/`)).body.status, 'in-progress');
    const { rows } = await sql<{ session_uuid: string }>`SELECT session_uuid FROM verify_attempts`.execute(
      database.read,
    );
    assert.deepEqual(
      rows.map(({ session_uuid }) => session_uuid),
      [alive],
    );
  });
});
