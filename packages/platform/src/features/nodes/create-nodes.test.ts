import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { eachDatabase, inSimulatedWorld, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';

const call = { from: '+12025550000', answer_url: 'https://customer.example/wait' };

eachDatabase('The only node', (open) => {
  test('is listed for the first account, and for no other', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const [node, ...others] = (await world.api('GET', 'Operator/Node/')).body.objects;
    assert.deepEqual(others, []);
    assert.deepEqual(
      [node.node, node.answers, node.state, node.calls, node.multiparty_calls, node.roles],
      ['', true, 'serving', 0, 0, []],
    );
    const as = await world.subaccount();
    for (const [method, path] of [
      ['GET', 'Operator/Node/'],
      ['POST', `Operator/Node/${node.incarnation}/Drain/`],
      ['DELETE', `Operator/Node/${node.incarnation}/Drain/`],
    ] as const)
      assert.equal((await world.call(method, path, { as })).status, 404, `${method} ${path}`);
    assert.equal((await world.api('GET', 'Operator/Node/')).body.objects[0].state, 'serving');
  });

  test('refuses new calls and is not ready while it drains, and takes them again afterwards', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const { incarnation } = (await world.api('GET', 'Operator/Node/')).body.objects[0];
    const path = `Operator/Node/${incarnation}/Drain/`;
    for (let times = 0; times < 2; times++) {
      const drained = await world.call('POST', path);
      assert.deepEqual([drained.status, drained.body.state], [200, 'draining']);
    }
    const refused = await world.call('POST', 'Call/', { body: { ...call, to: '+12025550100' } });
    assert.deepEqual([refused.status, refused.body.error_code], [503, 'draining']);
    assert.equal((await world.call('GET', '/readyz')).status, 503);
    const served = await world.call('DELETE', path);
    assert.deepEqual([served.status, served.body.state], [200, 'serving']);
    assert.equal((await world.call('GET', '/readyz')).status, 200);
    assert.equal((await world.call('POST', 'Call/', { body: { ...call, to: '+12025550100' } })).status, 201);
  });

  test('takes members into a live multiparty call while it drains, and begins no other one', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const add = (name: string) =>
      world.call('POST', `MultiPartyCall/name_${name}/Participant/`, {
        body: { role: 'agent', from: '+12025550000', to: '+12025550100' },
      });
    assert.equal((await add('live')).status, 201);
    const { incarnation } = (await world.api('GET', 'Operator/Node/')).body.objects[0];
    await world.api('POST', `Operator/Node/${incarnation}/Drain/`);
    assert.equal((await add('live')).status, 201);
    const refused = await add('other');
    assert.deepEqual([refused.status, refused.body.error_code], [503, 'draining']);
  });

  test('that has got a signal to end does not take new calls again', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const { incarnation } = (await world.api('GET', 'Operator/Node/')).body.objects[0];
    world.node.platform.drain();
    const refused = await world.call('DELETE', `Operator/Node/${incarnation}/Drain/`);
    assert.deepEqual([refused.status, refused.body.error_code], [409, 'conflict']);
    assert.equal((await world.api('GET', 'Operator/Node/')).body.objects[0].state, 'ending');
    assert.equal((await world.call('POST', `Operator/Node/nobody/Drain/`)).status, 404);
  });
});

test('Phones of a node that drains are refused with 503, and their live calls go on', async () => {
  await inSimulatedWorld({ seed: 4 }, async (world) => {
    const phones = [await world.phone('ann'), await world.phone('bob')] as const;
    const [ann, bob] = phones;
    const live = ann.dial(bob.username);
    await world.until('the call', () => live.answeredAt !== undefined, 5_000);
    const { incarnation } = (await world.api('GET', 'Operator/Node/')).body.objects[0];
    await world.api('POST', `Operator/Node/${incarnation}/Drain/`);
    const carol = await world.phone('carol');
    const refused = carol.dial(bob.username);
    await world.until('the refusal', () => refused.end !== undefined, 5_000);
    assert.equal(refused.end?.by === 'rejected' && refused.end.status, 503);
    assert.equal(live.end, undefined);
    assert.equal((await world.api('GET', 'Operator/Node/')).body.objects[0].calls, 2);
    ann.hangUp();
    await world.until('the end', () => bob.call?.end !== undefined, 5_000);
  });
});

describe('One of three nodes', () => {
  const nodesOf = async (world: SimulatedWorld) => (await world.api('GET', 'Operator/Node/')).body.objects;
  const statesOf = async (world: SimulatedWorld) =>
    Object.fromEntries(
      (await nodesOf(world)).map(({ node, state }: Record<string, string>) => [node, state]),
    );
  const serving = { 'node-0': 'serving', 'node-1': 'serving', 'node-2': 'serving' };

  it('is drained through any of them: its roles move, and the drain is ended', async () => {
    await inSimulatedWorld({ seed: 4, nodes: 3 }, async (world) => {
      await world.advance(5_000);
      assert.deepEqual(await statesOf(world), serving);
      const holder = (await nodesOf(world)).find(({ roles }: { roles: string[] }) =>
        roles.includes('pruning'),
      );
      const { status, body } = await world.call('POST', `Operator/Node/${holder.node}/Drain/`);
      assert.deepEqual([status, body.node, body.state], [200, holder.node, 'draining']);
      assert.deepEqual(await statesOf(world), { ...serving, [holder.node]: 'draining' });
      await world.advance(5_000);
      const after = await nodesOf(world);
      const roles = (name: string) => after.find(({ node }: { node: string }) => node === name).roles;
      assert.deepEqual(roles(holder.node), []);
      assert.ok(
        after.some((each: { node: string; roles: string[] }) => each.roles.includes('pruning')),
        JSON.stringify(after),
      );
      assert.equal((await world.call('DELETE', `Operator/Node/${holder.incarnation}/Drain/`)).status, 200);
      assert.deepEqual(await statesOf(world), serving);
    });
  });

  it('that has died is listed as unreachable until another one has ended it', async () => {
    await inSimulatedWorld({ seed: 4, nodes: 3 }, async (world) => {
      const cluster = world.cluster ?? assert.fail('several nodes');
      await cluster.kill(cluster.nodes[1]!);
      const asked = nodesOf(world);
      await world.advance(1_500);
      const gone = (await asked).find(({ state }: { state: string }) => state === 'unreachable');
      assert.deepEqual([gone.version, gone.calls, gone.multiparty_calls], [null, null, null]);
      await world.until('two nodes', async () => (await nodesOf(world)).length === 2, 8_000);
    });
  });
});
