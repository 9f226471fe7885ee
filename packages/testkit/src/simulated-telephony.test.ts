import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeredCall, conversation } from './calls-by-hand.ts';
import { onEmbeddedDatabase } from './each-database.ts';
import { openSimulatedWorld } from './simulated-world.ts';

onEmbeddedDatabase('A world without phones', (open) => {
  test('has calls whose legs the test moves, in the engine and in the records', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const { caller, callee } = await conversation(world);
    const { media } = world.node;
    assert.deepEqual(media.orders.hearing(caller), { [caller]: [callee], [callee]: [caller] });
    assert.equal(media.census().legs, 2);
    world.telephony.leave(callee);
    await world.advance(0);
    assert.deepEqual(world.telephony.orders.slice(-2), [`answer ${caller}`, `hang up ${caller} 480`]);
    assert.deepEqual(world.telephony.census(), { legs: 0 });
    assert.equal(media.census().legs, 0);
    const { body } = await world.api('GET', `Call/${callee}/`);
    assert.equal(body.hangup_source, 'Call recipient');
  });

  test('reports keys and an early end to the owner of a leg', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const leg = await answeredCall(world);
    world.telephony.press(leg, '5');
    assert.deepEqual(
      world.node.streams.pressed.map((key) => [key.leg, key.digit]),
      [[leg, '5']],
    );
    world.telephony.leave(leg, { by: 'dialog-lost' });
    await world.advance(0);
    assert.equal(world.node.platform.runner.census().document?.sessions, 0);
  });

  test('ends the legs that a test has left', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    await answeredCall(world);
    await world.assertNothingLeft();
  });

  test('has no phones', async () => {
    const world = await openSimulatedWorld({ database: open });
    assert.throws(() => world.telephony, /belong to its phones/);
  });
});
