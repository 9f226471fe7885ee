import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';

interface Sample {
  readonly class: string;
  readonly mos: number;
  readonly seconds: number;
  readonly packets_received: number;
  readonly packets_lost: number;
  readonly loss_percent: number;
}

/** A call of two phones; its legs. */
async function talk(world: SimulatedWorld): Promise<readonly [string, string]> {
  const [alice, bob] = [await world.phone('alice'), await world.phone('bob')];
  const call = alice.dial(bob.username);
  await world.until('the call is up', () => call.isUp);
  const legs: readonly string[] = (await world.api('GET', 'Call/?status=live')).body.calls;
  assert.equal(legs.length, 2);
  return legs as [string, string];
}

const samplesOf = async (world: SimulatedWorld, leg: string): Promise<readonly Sample[]> =>
  (await world.api('GET', `Call/${leg}/Quality/`)).body.objects;

eachDatabase('The quality of a live call', (open) => {
  test('is sampled every ten seconds, over these seconds alone, and agrees with the record of the call', async () => {
    const world = await openSimulatedWorld({ database: open });
    const [leg] = await talk(world);
    await world.advance(31_000);
    const samples = await samplesOf(world, leg);
    assert.equal(samples.length, 3);
    for (const sample of samples.slice(1)) {
      assert.deepEqual([sample.class, sample.seconds, sample.packets_lost], ['good', 10, 0]);
      assert.ok(Math.abs(sample.packets_received - 500) <= 2, `${sample.packets_received} packets`);
    }
    const { calls } = (await world.api('GET', 'Live/')).body;
    const live = calls.find((each: { call_uuid: string }) => each.call_uuid === leg);
    assert.deepEqual(live.quality, samples.at(-1));
    await world.api('DELETE', `Call/${leg}/`);
    await world.advance(1000);
    const { quality } = (await world.api('GET', `Call/${leg}/`)).body;
    assert.ok(Math.abs(quality.mos - samples.at(-1)!.mos) < 0.05);
    await world.advance(20_000);
    assert.equal((await samplesOf(world, leg)).length, 3);
  });

  test('has a class, and a change of the class is an event', async () => {
    const world = await openSimulatedWorld({ database: open });
    const [leg] = await talk(world);
    await world.advance(11_000);
    world.network.impair({ lossRate: 0.3 });
    await world.advance(20_000);
    world.network.impair({});
    await world.advance(20_000);
    const classes = (await samplesOf(world, leg)).map((each) => each.class);
    assert.deepEqual([classes[0], classes.includes('bad'), classes.at(-1)], ['good', true, 'good']);
    const type = 'call.quality';
    const path = `Event/?after=0-0&type=${type}&resource=call/${leg}`;
    const events = (await world.api('GET', path)).body.objects;
    const changes = classes.filter((each, at) => at > 0 && each !== classes[at - 1]).length;
    assert.equal(events.length, changes);
    const { data } = events[0];
    assert.deepEqual([data.CallUUID, data.PreviousClass], [leg, 'good']);
    assert.ok(data.LossPercent > 5 && data.Mos < 4, JSON.stringify(data));
    await world.api('DELETE', 'Call/');
  });

  test('is of no account but that of the call', async () => {
    const world = await openSimulatedWorld({ database: open });
    const [leg] = await talk(world);
    const other = await world.subaccount();
    assert.equal((await world.call('GET', `Call/${leg}/Quality/`, { as: other })).status, 404);
    assert.equal((await world.call('GET', 'Call/unknown/Quality/')).status, 404);
    assert.deepEqual(await samplesOf(world, leg), []);
    await world.api('DELETE', 'Call/');
  });
});
