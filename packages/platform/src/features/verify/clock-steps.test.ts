import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { openVerifyWorld } from './testing/verify-world.ts';

eachDatabase('Verify sessions across a step of the wall clock', (open) => {
  for (const [how, stepMs] of [
    ['forward by a day', 86_400_000],
    ['back by an hour', -3_600_000],
  ] as const) {
    test(`a clock that is set ${how} keeps a code valid within its time`, async () => {
      const world = await openVerifyWorld(open);
      const session = (await world.start()).body.session_uuid;
      const code = await world.codeFor();
      await world.clock.advance(60_000);
      world.clock.stepWall(stepMs);
      assert.equal((await world.check(session, code)).status, 200);
    });

    test(`a clock that is set ${how} expires a code after its time`, async () => {
      const world = await openVerifyWorld(open);
      const session = (await world.start()).body.session_uuid;
      const code = await world.codeFor();
      await world.clock.advance(60_000);
      world.clock.stepWall(stepMs);
      await world.clock.advance(9 * 60_000 + 1_000);
      await world.settle();
      assert.equal((await world.check(session, code)).status, 400);
      assert.equal((await world.get(`Verify/Session/${session}/`)).body.status, 'expired');
    });
  }
});
