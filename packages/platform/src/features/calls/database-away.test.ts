import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createFailingCommits,
  databaseUnavailable,
  type FailingCommits,
  openSimulatedWorld,
} from '@jackfield/testkit';

for (const { whose, after, sentence } of [
  { whose: 'its own leg', after: 0, sentence: 'offered leg not recorded; it is refused' },
  { whose: 'the leg to its callee', after: 1, sentence: 'leg to the callee not recorded' },
]) {
  test(`A phone gets 503 with Retry-After when the database refuses the write of ${whose}`, async (t) => {
    let commits: FailingCommits | undefined;
    const world = await openSimulatedWorld({
      interpose: (database) => {
        commits = createFailingCommits(database);
        return commits.database;
      },
      loggedErrors: ['step not saved; it was undone', sentence],
    });
    t.after(() => world.close());
    const [alice, bob] = [await world.phone('alice'), await world.phone('bob')];
    commits?.fail(1, { after, error: databaseUnavailable });
    const call = alice.dial(bob.username);
    await world.until('the call is refused', () => call.end !== undefined);
    const { end } = call;
    assert.ok(end?.by === 'rejected');
    assert.deepEqual([end.status, end.response.headers.get('Retry-After')], [503, '10']);
    await world.advance(10_000);
    const again = alice.dial(bob.username);
    await world.until('the second call is up', () => again.isUp);
    again.hangUp();
    await world.assertNothingLeft();
  });
}
