import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Binding } from '@jackfield/ports';
import {
  eachDatabase,
  eventStreamOf,
  type OpenDatabase,
  openSimulatedWorld,
  type SimulatedWorld,
} from '@jackfield/testkit';
import type { EndpointRegistrations } from './registrations.ts';

async function openWorld(open: OpenDatabase) {
  const world = await openSimulatedWorld({ database: open });
  const { registrations } = world.node.ports;

  return {
    world,
    registrations,
    async phone() {
      const body = { username: 'alice', password: 'secret', alias: 'a' };
      const { endpoint_id, username } = (await world.call('POST', 'Endpoint/', { body })).body;
      const binding = (contact: string, seconds: number, fields: Partial<Binding> = {}): Binding => ({
        contact: `sip:${contact}@192.0.2.1`,
        flow: 'udp:1',
        q: 1,
        expiresAt: world.clock.now() + seconds * 1000,
        callId: 'c',
        cseq: 1,
        userAgent: `phone ${contact}`,
        registeredAt: world.clock.now(),
        ...fields,
      });
      const set = (...bindings: Binding[]) =>
        registrations.update(endpoint_id, () => ({ bindings, result: undefined }));
      return { endpoint: endpoint_id as string, username: username as string, binding, set };
    },
    /** In real time: a real database is not on the virtual clock. */
    async events(number: number) {
      const events = await eventsOf(world, number);
      return events.map(({ type, resource, data }) => [
        type.replace('endpoint.', ''),
        resource.replace('endpoint/', ''),
        data.contact,
        data.user_agent,
        data.reason,
      ]);
    },
  };
}

async function eventsOf(world: SimulatedWorld, number: number) {
  let events = await eventStreamOf(world);
  for (let turn = 0; events.length < number && turn < 500; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    events = await eventStreamOf(world);
  }
  return events;
}

eachDatabase('Events of registrations', (open) => {
  test('the first binding and the end of the last one are reported; refreshes and further bindings are not', async () => {
    const world = await openWorld(open);
    const { endpoint, binding, set } = await world.phone();
    await set(binding('a', 60));
    await set(binding('a', 90));
    await set(binding('b', 60), binding('a', 90));
    await set(binding('b', 60));
    await set();
    assert.deepEqual(await world.events(2), [
      ['registered', endpoint, 'sip:a@192.0.2.1', 'phone a', undefined],
      ['unregistered', endpoint, 'sip:b@192.0.2.1', 'phone b', 'unregistered'],
    ]);
  });

  test('a registration without a refresh is reported as expired within a second', async () => {
    const world = await openWorld(open);
    const [one, two] = [await world.phone(), await world.phone()];
    await one.set(one.binding('a', 30), one.binding('b', 40));
    await two.set(two.binding('c', 35));
    await world.world.clock.advance(31_000);
    await world.events(3);
    await world.world.clock.advance(5_000);
    assert.deepEqual((await world.events(3)).slice(2), [
      ['unregistered', two.endpoint, 'sip:c@192.0.2.1', 'phone c', 'expired'],
    ]);
    await two.set(two.binding('c', 600));
    await world.world.clock.advance(5_000);
    const all = await world.events(5);
    assert.deepEqual(all.slice(3), [
      ['registered', two.endpoint, 'sip:c@192.0.2.1', 'phone c', undefined],
      ['unregistered', one.endpoint, 'sip:b@192.0.2.1', 'phone b', 'expired'],
    ]);
  });

  test('a phone that registers again before the sweep of its expiry is reported as expired and registered', async () => {
    const world = await openWorld(open);
    const { endpoint, binding, set } = await world.phone();
    // Expired when it is written, before any timer.
    await set(binding('a', 0, { expiresAt: world.world.clock.now() }));
    await set(binding('a', 60));
    assert.deepEqual(
      (await world.events(3)).map(([type, its, , , reason]) => [type, its === endpoint, reason]),
      [
        ['registered', true, undefined],
        ['unregistered', true, 'expired'],
        ['registered', true, undefined],
      ],
    );
  });

  test('a lost flow ends its registrations and no others', async () => {
    const world = await openWorld(open);
    const [one, two, three] = [await world.phone(), await world.phone(), await world.phone()];
    await one.set(one.binding('a', 60, { flow: 'tcp:1' }));
    await two.set(two.binding('b', 60, { flow: 'tcp:1' }), two.binding('c', 60, { flow: 'tcp:10' }));
    await three.set(three.binding('d', 60, { flow: 'tcp:10' }));
    await world.registrations.dropFlow('tcp:1');
    assert.deepEqual((await world.events(4)).slice(3), [
      ['unregistered', one.endpoint, 'sip:a@192.0.2.1', 'phone a', 'flow-lost'],
    ]);
    assert.equal((await world.registrations.bindingsOf(two.endpoint)).length, 1);
    await (world.registrations as EndpointRegistrations).dropFlowsFrom('tcp:');
    const gone = (await world.events(6)).slice(4).map(([type, endpoint]) => [type, endpoint]);
    assert.deepEqual(new Set(gone.map(([, endpoint]) => endpoint)), new Set([two.endpoint, three.endpoint]));
  });

  test('a phone that is back at another node before the connections of its dead node are dropped makes no event', async () => {
    const world = await openWorld(open);
    const [back, late] = [await world.phone(), await world.phone()];
    const dead = { flow: 'tls-dead-1~tls~192.0.2.1~5061' };
    await back.set(back.binding('a', 60, dead));
    await late.set(late.binding('b', 60, dead));
    await back.set(back.binding('a', 60, dead), back.binding('c', 60, { flow: 'tls-other-1' }));
    await (world.registrations as EndpointRegistrations).dropFlowsFrom('tls-dead-');
    assert.deepEqual((await world.registrations.bindingsOf(back.endpoint)).length, 1);
    const events = (await world.events(3)).map(([type, endpoint, , , reason]) => [type, endpoint, reason]);
    assert.deepEqual(events, [
      ['registered', back.endpoint, undefined],
      ['registered', late.endpoint, undefined],
      ['unregistered', late.endpoint, 'flow-lost'],
    ]);
  });

  test('registrations that expired while no process ran are reported after the start', async () => {
    const world = await openWorld(open);
    const { endpoint, binding, set } = await world.phone();
    await set(binding('a', 10));
    await world.world.restart({ downMs: 20_000 });
    await world.world.advance(1_000);
    const events = await eventsOf(world.world, 2);
    assert.deepEqual(
      events.map(({ type, resource }) => [type, resource]),
      [
        ['endpoint.registered', `endpoint/${endpoint}`],
        ['endpoint.unregistered', `endpoint/${endpoint}`],
      ],
    );
  });
});
