import { describe } from 'node:test';
import { everyWorldHas } from '@jackfield/testkit';

// A file of its own beside on-three-nodes.test.ts: its tests take as long as all of those.
everyWorldHas({ nodes: 3 });

describe('restarts and clock steps on three nodes', async () => {
  await import('./clock-steps.test.ts');
  await import('./restart.test.ts');
});
