import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase } from './each-database.ts';
import { inSimulatedWorld, openSimulatedWorld, type SimulatedWorld } from './simulated-world.ts';

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

test('only the first world of a process applies migrations: the others have copies of its file', async () => {
  await inSimulatedWorld({}, async () => {});
  await inSimulatedWorld({}, async ({ log }) => {
    const sentences = log.map(({ sentence }) => sentence);
    assert.ok(!sentences.includes('database migrations applied'), sentences.join('\n'));
  });
});
