import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Database } from '@jackfield/ports';
import { eachDatabase, onTwoNodes } from '@jackfield/testkit';
import type { CarrierCaps } from '../domain/carrier.ts';
import type { CallCost } from '../domain/grant-book.ts';
import { grantOf } from '../domain/grants.ts';
import { carrierCallsTable } from '../migrations/0001-carriers.ts';
import { carrierCallIncarnation } from '../migrations/0002-incarnation.ts';
import { carrierGrantsTables } from '../migrations/0003-grants.ts';
import { createCarrierStore } from '../store.ts';
import { createGrantStore } from './grant-store.ts';

const migrations = [carrierCallsTable, carrierCallIncarnation, carrierGrantsTables];
const caps: CarrierCaps = { callsPerSecond: undefined, concurrentCalls: 4, spendPerHour: 400 };
const carrier = { name: 'alpha', caps };
const none = { calls: 0, units: 0 };

const asked = (number: number, need: typeof none, keep = none, costs: readonly CallCost[] = []) => ({
  carrier,
  number,
  request: { keep, need, starts: 1 },
  costs,
});
const reserved = (leg: string) => ({ leg, carrier: 'alpha', number: '44', reserved_at: 1, worst_case: 100 });

eachDatabase('budgets of several nodes at a carrier', (open) => {
  test('are within the caps together, and come back when an incarnation has ended', async () => {
    const database = await open(migrations);
    const [one, two] = [createGrantStore(database, 1), createGrantStore(database, 2)];
    assert.deepEqual((await one.request(asked(1, { calls: 3, units: 300 }), 60_000)).budget, {
      calls: 3,
      units: 300,
    });
    await one.reserve(reserved('live'));
    assert.deepEqual((await two.request(asked(1, { calls: 3, units: 300 }), 60_000)).budget, {
      calls: 1,
      units: 100,
    });
    assert.deepEqual(await two.carriersOf(1), ['alpha']);
    assert.deepEqual(
      (await two.unsettledOf(1)).map(({ leg }) => leg),
      ['live'],
    );
    await two.end(1, 'alpha', [{ leg: 'live', cost: 90 }], 60_000);
    const { budget } = await two.request(
      asked(2, { calls: 4, units: 400 }, { calls: 1, units: 100 }),
      60_000,
    );
    assert.deepEqual(budget, { calls: 4, units: 310 }, 'the cost of the ended call counts on');
  });

  test('count the cost of a call once, however often it is reported', async () => {
    const database = await open(migrations);
    const store = createGrantStore(database, 1);
    await store.request(asked(1, { calls: 1, units: 100 }), 60_000);
    await store.reserve(reserved('a'));
    const costs = [{ leg: 'a', cost: 60 }];
    await store.request(asked(2, none, none, costs), 60_000);
    await store.request(asked(3, none, none, costs), 60_000);
    const { budget } = await createGrantStore(database, 2).request(
      asked(1, { calls: 1, units: 400 }),
      60_000,
    );
    assert.equal(budget.units, 340);
  });

  test('do not follow a request behind a later one', async () => {
    const store = createGrantStore(await open(migrations), 1);
    await store.request(asked(2, { calls: 1, units: 100 }), 60_000);
    await assert.rejects(store.request(asked(1, none), 60_000), { name: 'OvertakenRequestError' });
  });

  test('share the starts of a second', async () => {
    const database = await open(migrations);
    const limited = { name: 'beta', caps: { ...caps, callsPerSecond: 0.01 } };
    const request = {
      carrier: limited,
      number: 1,
      request: { keep: none, need: none, starts: 1 },
      costs: [],
    };
    assert.equal((await createGrantStore(database, 1).request(request, 60_000)).starts, 1);
    assert.equal((await createGrantStore(database, 2).request(request, 60_000)).starts, 0);
  });

  test('begin with what was spent before there were budgets', async () => {
    const database = await open([carrierCallsTable, carrierCallIncarnation]);
    const now = Date.now();
    await database.transact((write) =>
      write
        .withTables<{ carrier_calls: object }>()
        .insertInto('carrier_calls')
        .values({ ...reserved('old'), incarnation: 0, settled_at: now, cost: 77 } as never)
        .execute(),
    );
    await database.migrate(migrations);
    const { budget } = await createGrantStore(database, 1).request(asked(1, { calls: 1, units: 400 }), now);
    assert.equal(budget.units, 323);
  });
});

onTwoNodes('budgets that two nodes ask for at once', migrations, ({ race }) => {
  const budgets = new Map<string, number>();
  const ask = (incarnation: number, decide: typeof grantOf) => async (database: Database, name: string) => {
    const request = { ...asked(1, { calls: 3, units: 300 }), carrier: { name, caps } };
    const { budget } = await createGrantStore(database, incarnation, decide).request(request, 60_000);
    budgets.set(name, (budgets.get(name) ?? 0) + budget.calls);
  };

  test('are within the caps together', async () => {
    await race({
      prepare: async () => randomUUID(),
      unit: ask(1, grantOf),
      rival: ask(2, grantOf),
      check: async (_database, name, succeeded) => {
        assert.deepEqual([succeeded.unit, succeeded.rival], [true, true]);
        assert.equal(budgets.get(name), 4);
      },
    });
  });
});

onTwoNodes('the spend of a process alone, which two nodes move at once', migrations, ({ race }) => {
  const move = (incarnation: number) => (database: Database) =>
    createGrantStore(database, incarnation).moveSpendOfProcessAlone(Date.now());

  test('counts once', async () => {
    await race({
      prepare: async (database) => {
        const name = randomUUID();
        const alone = createCarrierStore(database, 3);
        for (const leg of [`${name}-1`, `${name}-2`]) {
          await alone.reserve({ ...reserved(leg), carrier: name });
          await alone.settle(leg, name, 100, Date.now());
        }
        return name;
      },
      unit: move(1),
      rival: move(2),
      check: async (database, name, succeeded) => {
        assert.deepEqual([succeeded.unit, succeeded.rival], [true, true]);
        const request = { ...asked(1, { calls: 1, units: 400 }), carrier: { name, caps } };
        const { budget } = await createGrantStore(database, 4).request(request, Date.now());
        assert.equal(budget.units, 200);
      },
    });
  });
});
