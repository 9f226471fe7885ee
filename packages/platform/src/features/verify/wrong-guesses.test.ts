import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase } from '@jackfield/testkit';
import { raiseChecks } from './store.ts';
import { openVerifyWorld } from './testing/verify-world.ts';

onEmbeddedDatabase('A million wrong guesses', (open) => {
  test('get five checks of a session, and the counter never exceeds five', {
    // 40 s of CPU time, and five times as long on a busy machine.
    timeout: 600_000,
  }, async () => {
    const { world, ...verify } = await openVerifyWorld(open);
    const viewer = { authId: world.main.authId, isSubaccount: false };
    const now = world.clock.now();
    const blocks = ['212555', '213555', '214555', '215555'];
    const sessions = [await verify.begin()];
    for (let index = 0; index < 100; index++) {
      sessions.push(await verify.begin({ recipient: `+1${blocks[index % 4]}${2000 + index}` }));
    }
    /** How many of the guesses are compared with the code. */
    const guess = (session: string, times: number) =>
      world.node.database.transact(async (write) => {
        const query = raiseChecks(write, viewer, session, now).compile();
        let letThrough = 0;
        for (let each = 0; each < times; each++) letThrough += (await write.executeQuery(query)).rows.length;
        return letThrough;
      });
    const [first = '', ...others] = sessions;
    assert.equal(await guess(first, 500_000), 5);
    for (const session of others) assert.equal(await guess(session, 5_000), 5);
    assert.equal((await verify.check(first, await verify.codeFor())).status, 429);
  });
});
