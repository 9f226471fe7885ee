import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualClock, eachDatabase, openSimulatedWorld } from '@jackfield/testkit';
import { createCurrentBans } from './bans/current-bans.ts';

eachDatabase('What the operator runs', (open) => {
  test('is seen by the first account, and by no other', async () => {
    const world = await openSimulatedWorld({
      database: open,
      phones: 'none',
      settings: { sms: 'sandbox-inbox' },
    });
    const sub = await world.subaccount();
    for (const path of ['Operator/Carrier/', 'Operator/Gateway/', 'Operator/Ban/']) {
      assert.equal((await world.call('GET', path)).status, 200, path);
      assert.equal((await world.call('GET', path, { as: sub })).status, 404, path);
    }
    assert.deepEqual((await world.api('GET', 'Operator/Gateway/')).body.objects, [
      { name: 'sandbox-inbox', kind: 'sandbox-inbox', state: 'connected', problem: null },
    ]);
  });

  test('shows a banned source until its ban is over', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const bans = async () => (await world.api('GET', 'Operator/Ban/')).body.objects;
    assert.deepEqual(await bans(), []);
    world.node.ports.bans.banned({ source: '192.0.2.7', reason: 'failed-logins', seconds: 60 });
    const [ban] = await bans();
    assert.deepEqual([ban.source_address, ban.reason], ['192.0.2.7', 'failed-logins']);
    assert.ok(Math.abs(Date.parse(ban.until) - world.clock.wallNow() - 60_000) < 1_000);
    await world.advance(61_000);
    assert.deepEqual(await bans(), []);
  });
});

test('a flood of banned sources forgets the oldest, and a source that is banned again is the newest', () => {
  const bans = createCurrentBans(createVirtualClock(), 3);
  for (const source of ['a', 'b', 'c', 'a', 'd']) bans.banned({ source, reason: 'scanner', seconds: 60 });
  assert.deepEqual(
    bans.list().map(({ source_address }) => source_address),
    ['d', 'a', 'c'],
  );
});
