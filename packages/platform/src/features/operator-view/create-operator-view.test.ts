import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualClock, eachDatabase, openSimulatedWorld } from '@jackfield/testkit';
import { readRateTable } from '../usage/index.ts';
import { createCurrentBans } from './bans/current-bans.ts';

eachDatabase('What the operator runs', (open) => {
  test('is seen by the first account, and by no other', async () => {
    const world = await openSimulatedWorld({
      database: open,
      phones: 'none',
      settings: { sms: 'sandbox-inbox' },
    });
    const sub = await world.subaccount();
    for (const path of ['Operator/Carrier/', 'Operator/Gateway/', 'Operator/Rate/', 'Operator/Ban/']) {
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

  test('shows the rate table, and for a number the entries that fit it, the longest prefix first', async () => {
    const table = readRateTable(
      JSON.stringify({
        currency: 'EUR',
        rates: [
          { prefix: '', direction: 'both', per_minute: '0.02' },
          { prefix: '44', direction: 'outbound', per_minute: '0.03' },
          { prefix: '1', direction: 'outbound', per_minute: '0.0085', initial_seconds: 30 },
          { prefix: 'sip', direction: 'both', per_minute: '0' },
        ],
      }),
    );
    assert.ok(table.ok);
    const world = await openSimulatedWorld({ database: open, phones: 'none', rates: table.table });
    const rates = async (query: string) => (await world.api('GET', `Operator/Rate/${query}`)).body;
    const all = await rates('?limit=3&offset=1');
    assert.equal(all.meta.total_count, 4);
    assert.deepEqual(
      all.objects.map(({ prefix }: { prefix: string }) => prefix),
      ['44', '1', 'sip'],
    );
    assert.deepEqual((await rates('?number=%2B12025550101')).objects, [
      {
        ...{ prefix: '1', direction: 'outbound', currency: 'EUR', per_minute: '0.00850' },
        ...{ initial_seconds: 30, increment_seconds: 60 },
      },
      {
        ...{ prefix: '', direction: 'both', currency: 'EUR', per_minute: '0.02000' },
        ...{ initial_seconds: 60, increment_seconds: 60 },
      },
    ]);
    assert.equal((await rates('?number=alice')).objects[0].prefix, 'sip');
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
