import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callEnds } from '@jackfield/ports';
import {
  createRecordingLog,
  inSimulatedWorld,
  type SimulatedPlatform,
  type SimulatedWorld,
} from '@jackfield/testkit';
import { tokenOf } from '../../kernel/incarnation.ts';
import { createNodeMessages } from '../../kernel/node-messages.ts';
import type { OrderOfLeg, OrderOfRoom } from './domain/link-orders.ts';
import { createLinkMessages } from './nodes/link-messages.ts';

const document =
  '<Response><MultiPartyCall role="agent" stayAlone="true" enterSound="none" exitSound="none">room</MultiPartyCall></Response>';

test('a link carries out no order of a node that is not at its other end', () =>
  inSimulatedWorld({ seed: 1, nodes: 3 }, async (world) => {
    const [home, node] = world.cluster!.nodes as [SimulatedPlatform, SimulatedPlatform];
    const ann = await callInto(world, home, 'ann');
    const bob = await callInto(world, node, 'bob');
    await world.until('the link', () => node.media.orders.mixes.length === 1);
    // The mix of a link has its name.
    const link = node.media.orders.mixes[0]!.split('/')[1]!;
    const log = createRecordingLog();
    const third = createNodeMessages({ bus: world.cluster!.bus.join('third'), clock: world.clock, log });
    const messages = createLinkMessages(third, log);
    const end = callEnds(4020, 'Service');
    const send = async (to: SimulatedPlatform, side: 'leg' | 'room', order: OrderOfLeg | OrderOfRoom) =>
      messages.send(tokenOf(to.platform.runner.incarnation), { link, side, number: 2, order });
    assert.deepEqual(
      [
        await send(node, 'room', { order: 'hang-up', end }),
        await send(home, 'leg', { order: 'left', because: 'taken' }),
      ],
      [{ type: 'unknown-there' }, { type: 'unknown-there' }],
    );
    assert.equal(bob.call?.isUp, true);
    // The number 1 is still that of the first order of the home.
    assert.equal((await home.call('DELETE', 'MultiPartyCall/name_room/')).status, 204);
    await world.until('both documents end', () => [ann, bob].every(({ call }) => call?.end !== undefined));
    await third.close();
    await world.advance(500);
  }));

async function callInto(world: SimulatedWorld, node: SimulatedPlatform, name: string) {
  const url = 'https://customer.example.com/join';
  world.customer.serve(url, document);
  const phone = await world.phone(name);
  const body = { from: '+12025550000', to: phone.username, answer_url: url };
  assert.equal((await node.call('POST', 'Call/', { body })).status, 201);
  await world.until('the call is up', () => phone.call?.isUp === true, 40_000);
  return phone;
}
