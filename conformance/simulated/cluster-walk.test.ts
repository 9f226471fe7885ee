import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '@jackfield/ports';
import { walkCluster } from '../support/cluster-walk.ts';
import { roomsOfWalk } from '../support/walk-length.ts';

describe('three nodes with random faults: stopped, killed, cut off from the database and from each other', () => {
  const done: Record<string, number> = {};

  for (let seed = 1; seed <= roomsOfWalk(6); seed++)
    it(`the history breaks none of the nine invariants (seed ${seed})`, async () => {
      const { broken, counts } = await walkCluster(seed);
      assert.deepEqual(broken, []);
      for (const [what, number] of Object.entries(counts)) done[what] = (done[what] ?? 0) + number;
    });

  it('the walks have seen takeovers, refusals, callbacks, bills, and coaches whom agents alone heard', (t) => {
    t.diagnostic(JSON.stringify(done));
    for (const [what, number] of Object.entries(done)) assert.ok(number > 0, `${what}: none`);
  });
});

it('without the fence the checker finds a node that writes behind its end', async () => {
  // Without its incarnation the database cannot check it.
  const unfenced = (database: Database): Database => Object.create(database, { join: { value() {} } });
  for (let seed = 1; seed <= 12; seed++) {
    const { broken } = await walkCluster(seed, unfenced);
    if (broken.some(({ invariant }) => invariant === 5)) return;
  }
  assert.fail('no run of twelve has shown the missing fence');
});
