import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase } from './each-database.ts';
import { openSimulatedWorld, type SimulatedWorld } from './simulated-world.ts';

onEmbeddedDatabase('A world over the databases of a suite', (open) => {
  let world: SimulatedWorld | undefined;

  test('lives as long as its test', async () => {
    world = await openSimulatedWorld({ database: open });
    assert.ok(world.clock.pending > 0, 'a live world ticks');
  });

  test('is closed by the suite after its test', () => {
    assert.equal(world!.clock.pending, 0);
  });
});
