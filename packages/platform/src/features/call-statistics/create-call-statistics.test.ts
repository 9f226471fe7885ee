import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, eachDatabase, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';

interface Bucket {
  readonly minute: string;
  readonly attempts: number;
  readonly answered: number;
  readonly ended: number;
  readonly concurrent: number;
  readonly mos: number | null;
  readonly causes: Readonly<Record<string, number>>;
}

const minuteMs = 60_000;

const bucketsOf = async (world: SimulatedWorld, as?: Caller, query = ''): Promise<readonly Bucket[]> => {
  const answer = await world.call('GET', `Statistics/${query}`, as === undefined ? {} : { as });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.objects;
};

/** A call into a multiparty call; its leg. */
async function placeCall(world: SimulatedWorld, as: Caller = world.main): Promise<string> {
  const body = { role: 'agent', from: '+12025550000', to: '+12025550101', stay_alone: true };
  const added = await world.call('POST', 'MultiPartyCall/name_demo/Participant/', { body, as });
  assert.equal(added.status, 201, JSON.stringify(added.body));
  await world.advance(20);
  return added.body.calls[0].call_uuid;
}

/** The next minute begins. */
async function toNextMinute(world: SimulatedWorld): Promise<void> {
  const now = world.clock.wallNow();
  await world.advance(minuteMs - (now % minuteMs) + 1_000);
}

eachDatabase('The calls of each minute', (open) => {
  test('are counted when they begin, are answered and end; live ones at the end of the minute', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    await toNextMinute(world);
    const [first, second] = [await placeCall(world), await placeCall(world)];
    for (const leg of [first, second]) world.telephony.pickUp(leg);
    await toNextMinute(world);
    world.telephony.leave(first);
    await toNextMinute(world);
    await toNextMinute(world);
    world.telephony.leave(second);
    await world.advance(100);
    const buckets = await bucketsOf(world);
    assert.deepEqual(
      buckets.map(({ attempts, answered, ended, concurrent }) => [attempts, answered, ended, concurrent]),
      [
        [2, 2, 0, 2],
        [0, 0, 1, 1],
        [0, 0, 1, 0],
      ],
    );
    const [begun, , last] = buckets.map(({ minute }) => Date.parse(minute));
    assert.deepEqual([begun! % minuteMs, last! - begun!], [0, 3 * minuteMs]);
    assert.deepEqual([buckets[0]!.causes, Object.values(buckets[1]!.causes)], [{}, [1]]);
    const from = new Date(begun! + minuteMs).toISOString();
    const to = new Date(begun! + 2 * minuteMs).toISOString();
    assert.deepEqual(await bucketsOf(world, undefined, `?from=${from}&to=${to}`), [buckets[1]]);
    // The written counts are read again after the pause, with those of memory.
    await world.advance(10_000);
    assert.deepEqual(await bucketsOf(world), buckets);
  });

  test('are those of the account and its subaccounts; another subaccount sees nothing', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const [sub, other] = [await world.subaccount(), await world.subaccount()];
    const leg = await placeCall(world, sub);
    for (const as of [sub, world.main]) {
      assert.deepEqual(
        (await bucketsOf(world, as)).map(({ attempts, concurrent }) => [attempts, concurrent]),
        [[1, 1]],
      );
    }
    assert.deepEqual(await bucketsOf(world, other), []);
    world.telephony.leave(leg);
    await world.advance(100);
  });

  test('are read for a day at most', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    for (const wrong of [
      'from=yesterday',
      'to=2026-02-31T10:00:00Z',
      'from=2026-02-01T10:00:00Z&to=2026-02-01T09:00:00Z',
      'from=2026-02-01T10:00:00Z&to=2026-02-03T10:00:00Z',
    ]) {
      assert.equal((await world.call('GET', `Statistics/?${wrong}`)).status, 400, wrong);
    }
    assert.deepEqual(await bucketsOf(world), []);
  });
});
