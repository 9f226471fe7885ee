import { describe } from 'node:test';
import { everyWorldHas } from '@jackfield/testkit';
import { shortenWalks } from '../support/walk-length.ts';

// A file of its own beside on-three-nodes.test.ts: it has the longest walks.
everyWorldHas({ nodes: 3 });
// One process plays all rooms of the walks; here the first third of them is played again.
shortenWalks(3);

describe('hearing on three nodes', async () => {
  await import('./hearing.test.ts');
  await import('./hearing-history.test.ts');
});
