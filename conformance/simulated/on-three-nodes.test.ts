import { describe } from 'node:test';
import { everyWorldHas } from '@jackfield/testkit';

// The same tests once more: each request and each phone enters at a random node of three. Limits of carriers and bans of sources are
// counted by each node, and a deleted subaccount ends the calls of one (docs/operate/cluster.md#what-is-not-promised-yet): without their tests.
everyWorldHas({ nodes: 3 });

describe('on three nodes', async () => {
  await import('./calls.test.ts');
  await import('./documents.test.ts');
  await import('./early-media.test.ts');
  await import('./srtp.test.ts');
  await import('./trunks.test.ts');
});
