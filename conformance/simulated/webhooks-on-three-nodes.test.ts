import { describe } from 'node:test';
import { everyWorldHas } from '@jackfield/testkit';

// A file of its own beside on-three-nodes.test.ts: its tests take as long as all of those.
everyWorldHas({ nodes: 3 });

describe('webhooks, carriers and documents of the API on three nodes', async () => {
  await import('./carriers.test.ts');
  await import('./deleted-subaccounts.test.ts');
  await import('./openapi.test.ts');
  await import('./webhooks.test.ts');
});
