import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SmsOutcome } from '@jackfield/ports';
import { createSimulatedMessageGateway, inSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';

const numbers = Array.from({ length: 6 }, (_, index) => `+1415555267${index}`);

/** Verifications that begin at random nodes. */
const beginAll = (world: SimulatedWorld) =>
  Promise.all(
    numbers.map(async (recipient) => {
      const { status, body } = await world.call('POST', 'Verify/Session/', { body: { recipient } });
      assert.equal(status, 202, JSON.stringify(body));
      return body.session_uuid as string;
    }),
  );

async function statusesOf(world: SimulatedWorld, sessions: readonly string[]) {
  const bodies = await Promise.all(sessions.map((each) => world.api('GET', `Verify/Session/${each}/`)));
  return bodies.map(({ body }) => body.attempt_details[0].status);
}

test('Receipts that come in at one of three nodes reach the verifications of all', async () => {
  const gateway = createSimulatedMessageGateway();
  await inSimulatedWorld({ seed: 4, nodes: 3, settings: { sms: [gateway.linked] } }, async (world) => {
    const sessions = await beginAll(world);
    await world.advance(100);
    for (const index of numbers.keys())
      gateway.receipt({ message: `m-${index + 1}`, status: 'delivered', errorCode: null });
    await world.advance(1_000);
    assert.deepEqual(new Set(await statusesOf(world, sessions)), new Set(['delivered']));
    // The codes expire, and their sessions close.
    await world.advance(11 * 60_000);
  });
});

test('Receipts that overtake the names of their messages match at the node that stores the name', async () => {
  const gateway = createSimulatedMessageGateway();
  await inSimulatedWorld({ seed: 4, nodes: 3, settings: { sms: [gateway.linked] } }, async (world) => {
    const answers = numbers.map(() => Promise.withResolvers<SmsOutcome>());
    for (const { promise } of answers) gateway.answerNext(promise);
    const sessions = await beginAll(world);
    await world.advance(100);
    for (const index of numbers.keys())
      gateway.receipt({ message: `early-${index}`, status: 'delivered', errorCode: null });
    await world.advance(1_000);
    for (const [index, { resolve }] of answers.entries())
      resolve({ accepted: true, message: `early-${index}` });
    await world.advance(1_000);
    assert.deepEqual(new Set(await statusesOf(world, sessions)), new Set(['delivered']));
    // The codes expire, and their sessions close.
    await world.advance(11 * 60_000);
  });
});
