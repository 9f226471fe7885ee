import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';

const call = { from: '+12025550000', to: '+12025550100', answer_url: 'https://customer.example/wait' };
const agent = { role: 'agent', from: '+12025550000', to: '+12025550100' };
const toCall = (world: SimulatedWorld) => world.call('POST', 'Call/', { body: call });
const toAdd = (world: SimulatedWorld, name: string) =>
  world.call('POST', `MultiPartyCall/name_${name}/Participant/`, { body: agent });

/** The calls of a world end before it does. */
async function hangUpAll(world: SimulatedWorld): Promise<void> {
  await world.api('DELETE', 'Call/');
  await world.advance(1_000);
}

type Answer = Awaited<ReturnType<typeof toCall>>;

function assertNoCapacity({ status, body, headers }: Answer): void {
  assert.deepEqual([status, body.error_code, headers['retry-after']], [503, 'no-capacity', '10']);
}

describe('A node with as many calls as JACKFIELD_CALLS', () => {
  it('refuses new ones with Retry-After, stays ready, and takes them again when one has ended', async () => {
    await inSimulatedWorld({ phones: 'none', settings: { maxCalls: 2 } }, async (world) => {
      const first = await toCall(world);
      assert.equal(first.status, 201);
      assert.equal((await toAdd(world, 'live')).status, 201);
      assertNoCapacity(await toCall(world));
      assertNoCapacity(await toAdd(world, 'new'));
      const [node] = (await world.api('GET', 'Operator/Node/')).body.objects;
      assert.deepEqual([node.state, node.calls, node.load, node.takes_calls], ['serving', 2, 1, false]);
      assert.equal((await world.call('GET', '/readyz')).status, 200);
      await world.api('DELETE', `Call/${first.body.request_uuid}/`);
      await world.advance(1_000);
      assert.equal((await toCall(world)).status, 201);
    });
  });

  it('adds to its live multiparty calls, and makes calls for its live calls', async () => {
    await inSimulatedWorld({ phones: 'none', settings: { maxCalls: 2 } }, async (world) => {
      const { body } = await toCall(world);
      assert.equal((await toAdd(world, 'live')).status, 201);
      assert.equal((await toAdd(world, 'live')).status, 201);
      const child = { ...call, parent_call_uuid: body.request_uuid };
      assert.equal((await world.call('POST', 'Call/', { body: child })).status, 201);
    });
  });

  it('refuses phones with 503 and Retry-After, and their live calls go on', async () => {
    await inSimulatedWorld({ seed: 3, settings: { maxCalls: 2 } }, async (world) => {
      const [ann, bob, carol] = [
        await world.phone('ann'),
        await world.phone('bob'),
        await world.phone('carol'),
      ];
      const live = ann.dial(bob.username);
      await world.until('the call', () => live.answeredAt !== undefined, 5_000);
      const refused = carol.dial(bob.username);
      await world.until('the refusal', () => refused.end !== undefined, 5_000);
      assert.equal(refused.end?.by === 'rejected' && refused.end.status, 503);
      assert.equal(live.end, undefined);
      ann.hangUp();
      await world.until('the end', () => bob.call?.end !== undefined, 5_000);
      const later = carol.dial(bob.username);
      await world.until('the next call', () => later.answeredAt !== undefined, 5_000);
      carol.hangUp();
      await world.until('its end', () => later.end !== undefined, 5_000);
    });
  });
});

it('Without RTP ports for two phones new calls are refused', async () => {
  let load = 1;
  await inSimulatedWorld({ phones: 'none', settings: { mediaLoad: () => load } }, async (world) => {
    assertNoCapacity(await toCall(world));
    load = 0.99;
    assert.equal((await toCall(world)).status, 201);
  });
});

describe('Three nodes', () => {
  const callsOf = async (world: SimulatedWorld) =>
    (await world.api('GET', 'Operator/Node/')).body.objects.map(({ calls }: { calls: number }) => calls);

  it('that carry two calls each take six at whichever node they are requested, and refuse the seventh', async () => {
    await inSimulatedWorld(
      { seed: 9, phones: 'none', nodes: 3, settings: { maxCalls: 2 } },
      async (world) => {
        await world.advance(5_000);
        const [first] = world.cluster?.nodes ?? [];
        for (let made = 0; made < 6; made++) {
          const { status, body } = await first!.call('POST', 'Call/', { body: call });
          assert.equal(status, 201, JSON.stringify(body));
          await world.advance(1_100);
        }
        assert.deepEqual(await callsOf(world), [2, 2, 2]);
        assertNoCapacity(await toCall(world));
        assertNoCapacity(await toAdd(world, 'new'));
        await hangUpAll(world);
      },
    );
  });

  it('of which one drains make its calls at the others', async () => {
    await inSimulatedWorld({ seed: 9, phones: 'none', nodes: 3 }, async (world) => {
      await world.advance(5_000);
      const [first] = world.cluster?.nodes ?? [];
      await world.api('POST', 'Operator/Node/node-0/Drain/');
      for (const path of ['Call/', 'MultiPartyCall/name_new/Participant/']) {
        const { status } = await first!.call('POST', path, { body: path === 'Call/' ? call : agent });
        assert.equal(status, 201, path);
      }
      const objects = (await world.api('GET', 'Operator/Node/')).body.objects as Record<string, unknown>[];
      assert.deepEqual(objects.find(({ node }) => node === 'node-0')?.calls, 0);
      assert.equal(
        objects.map(({ calls }) => calls as number).reduce((sum, each) => sum + each),
        2,
      );
      await hangUpAll(world);
    });
  });

  it('make a call where it is requested while that node is less than 70 % full', async () => {
    await inSimulatedWorld(
      { seed: 9, phones: 'none', nodes: 3, settings: { maxCalls: 10 } },
      async (world) => {
        await world.advance(5_000);
        const [first] = world.cluster?.nodes ?? [];
        for (let made = 0; made < 9; made++) {
          assert.equal((await first!.call('POST', 'Call/', { body: call })).status, 201);
          await world.advance(1_100);
        }
        const calls = (await callsOf(world)) as number[];
        // Seven calls are 70 %: from the eighth on, another node makes them. Who the others are is known from the answer to the first look.
        assert.ok(calls[0]! >= 7 && calls[0]! < 9, JSON.stringify(calls));
        await hangUpAll(world);
      },
    );
  });
});
