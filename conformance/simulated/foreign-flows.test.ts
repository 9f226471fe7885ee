import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  inSimulatedWorld,
  type SimulatedPhone,
  type SimulatedPlatform,
  type SimulatedWorld,
} from '@jackfield/testkit';
import { cluster, legsOf, nodeAt } from '../support/simulated-nodes.ts';
import { SimulatedRoom, whoHearsWhom } from '../support/simulated-room.ts';

const behindNat = { isBehindNat: true };

/** The node at which the phone registers. */
function nodeOf(world: SimulatedWorld, phone: SimulatedPhone): SimulatedPlatform {
  const number = Number(phone.registrar.address.split('.').at(-1)) - 1;
  return nodeAt(world, number);
}

/** Registers the phone at the node with this number. */
async function registeredAt(world: SimulatedWorld, phone: SimulatedPhone, number: number): Promise<void> {
  phone.registrar = { ...phone.registrar, address: `10.0.0.${number + 1}` };
  phone.register();
  await world.until('the registration', () => phone.isRegistered, 40_000);
}

describe('phones behind NATs, which are reached through their own node alone', () => {
  for (const seed of [1, 2, 3, 4])
    it(`a room at one node has phones of all nodes: they hear each other, and either side hangs up (seed ${seed})`, async () => {
      await inSimulatedWorld({ seed, nodes: 3 }, async (world) => {
        const phones: SimulatedPhone[] = [];
        for (const [number, name] of ['ann', 'bob', 'cid'].entries()) {
          const phone = await world.phone(name, behindNat);
          await registeredAt(world, phone, number);
          phones.push(phone);
        }
        const room = new SimulatedRoom(world);
        await room.gather(phones);
        assert.deepEqual(cluster(world).nodes.map(legsOf).sort(), [0, 0, 3]);
        assert.deepEqual(await whoHearsWhom(world, phones), [
          [1, 2],
          [0, 2],
          [0, 1],
        ]);
        const [first, ...others] = phones;
        first?.hangUp();
        await world.until('the BYE of the phone', () => first?.call?.end !== undefined);
        await world.until('two phones', async () => {
          const { body } = await world.api('GET', 'Call/?status=live');
          return body.calls.length === 2;
        });
        await room.end();
        await world.until('the BYEs of the platform', () =>
          others.every(({ call }) => call?.end !== undefined),
        );
      });
    });

  it('a phone of one node calls a phone of another one', async () => {
    await inSimulatedWorld({ seed: 5, nodes: 3 }, async (world) => {
      const [ann, bob] = [await world.phone('ann', behindNat), await world.phone('bob', behindNat)];
      await registeredAt(world, ann, 0);
      await registeredAt(world, bob, 1);
      const call = ann.dial(bob.username);
      await world.until('the answer', () => bob.call?.isUp === true && call.isUp);
      assert.deepEqual(await whoHearsWhom(world, [ann, bob]), [[1], [0]]);
      bob.hangUp();
      await world.until('the end', () => call.end !== undefined && bob.call?.end !== undefined);
    });
  });

  it('the node with the connection of a phone is killed: the call goes on, and ends over its next registration', async () => {
    await inSimulatedWorld({ seed: 6, nodes: 3 }, async (world) => {
      const [ann, bob] = [await world.phone('ann', behindNat), await world.phone('bob', behindNat)];
      await registeredAt(world, ann, 0);
      await registeredAt(world, bob, 1);
      const call = ann.dial(bob.username);
      await world.until('the answer', () => call.isUp);
      await cluster(world).kill(nodeOf(world, bob));
      await registeredAt(world, bob, 2);
      await world.advance(15_000);
      assert.deepEqual(await whoHearsWhom(world, [ann, bob]), [[1], [0]]);
      ann.hangUp();
      await world.until('the end', () => call.end !== undefined && bob.call?.end !== undefined, 10_000);
    });
  });
});
