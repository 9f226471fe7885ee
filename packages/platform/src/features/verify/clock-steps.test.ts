import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase } from '@jackfield/testkit';
import { openVerifyWorld } from './testing/verify-world.ts';

// To a platform on PostgreSQL ten minutes are hundreds of transactions, and the database has no part in this rule.
onEmbeddedDatabase('Verify sessions across a step of the wall clock', (open) => {
  for (const [how, stepMs] of [
    ['forward by a day', 86_400_000],
    ['back by an hour', -3_600_000],
  ] as const) {
    test(`a clock that is set ${how} keeps a code valid within its time`, async () => {
      const { world, ...verify } = await openVerifyWorld(open);
      const session = await verify.begin();
      const code = await verify.codeFor();
      await world.advance(60_000);
      world.clock.stepWall(stepMs);
      assert.equal((await verify.check(session, code)).status, 200);
    });

    test(`a clock that is set ${how} expires a code after its time`, async () => {
      const { world, ...verify } = await openVerifyWorld(open);
      const session = await verify.begin();
      const code = await verify.codeFor();
      await world.advance(60_000);
      world.clock.stepWall(stepMs);
      await world.advance(9 * 60_000 + 1_000);
      assert.equal((await verify.check(session, code)).status, 400);
      assert.equal((await verify.get(`Verify/Session/${session}/`)).body.status, 'expired');
    });
  }
});
