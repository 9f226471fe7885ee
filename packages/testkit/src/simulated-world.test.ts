import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase } from './each-database.ts';
import { createSimulatedMessageGateway } from './simulated-message-gateway.ts';
import { inSimulatedWorld, openSimulatedWorld, type SimulatedWorld } from './simulated-world.ts';

test('worlds with gateways for messages and worlds with an inbox are held to documents of their own', async () => {
  const { linked } = createSimulatedMessageGateway();
  const statusOf = async (world: SimulatedWorld) => (await world.api('GET', 'Sandbox/Message/')).status;
  const gateways = { settings: { sms: [linked] } };
  for (const [options, status] of [[gateways, 404] as const, [{}, 200] as const]) {
    await inSimulatedWorld(options, async (world) => assert.equal(await statusOf(world), status));
  }
});

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
