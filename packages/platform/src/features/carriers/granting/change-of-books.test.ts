import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '@jackfield/ports';
import { createRecordingLog, createVirtualClock, eachDatabase } from '@jackfield/testkit';
import { createUsage } from '../../usage/index.ts';
import { type CarrierBooks, createCarrierBooks } from '../carrying/carrier-books.ts';
import type { Carrier, CarrierCaps } from '../domain/carrier.ts';
import { carrierCallsTable } from '../migrations/0001-carriers.ts';
import { carrierCallIncarnation } from '../migrations/0002-incarnation.ts';
import { carrierGrantsTables } from '../migrations/0003-grants.ts';
import { createCarrierStore } from '../store.ts';
import { createGrantStore } from './grant-store.ts';
import { createGrantedBooks } from './granted-books.ts';

const migrations = [carrierCallsTable, carrierCallIncarnation, carrierGrantsTables];
/** One unit a second, billed by the second. */
const usage = createUsage({
  currency: 'USD',
  rates: [{ prefix: '44', direction: 'outbound', perMinute: 60, initialSeconds: 1, incrementSeconds: 1 }],
});
const noCaps = { callsPerSecond: undefined, concurrentCalls: undefined, spendPerHour: undefined };

/** A call that costs at most this: 32 s of it lie beyond the time limit. */
const call = (leg: string, worstCase: number) => ({
  leg,
  number: '442079460100',
  timeLimitSeconds: worstCase - 32,
});

function booksOn(database: Database, caps: Partial<CarrierCaps>) {
  const carrier = { name: 'alpha', caps: { ...noCaps, ...caps } } as Carrier;
  // PostgreSQL dates the spend by its own clock.
  const clock = createVirtualClock({ startAt: Date.now() });
  const deps = { carriers: [carrier], usage, clock, log: createRecordingLog() };
  const started = async (books: CarrierBooks, ended: readonly number[]) => {
    for (const incarnation of ended) await books.settleOrphans(incarnation);
    await books.restore();
    return {
      ...books,
      reserve: async (leg: string, worstCase: number) => books.reserve(carrier, call(leg, worstCase)),
      settle: (leg: string, worstCase: number, cost: number) =>
        books.settle(carrier, call(leg, worstCase), cost * 1_000),
    };
  };
  return {
    alone: (incarnation: number, ...ended: readonly number[]) =>
      started(createCarrierBooks({ ...deps, store: createCarrierStore(database, incarnation) }), ended),
    node: (incarnation: number, ...ended: readonly number[]) =>
      started(createGrantedBooks({ ...deps, store: createGrantStore(database, incarnation) }), ended),
    /** Behind the writes of a process alone. */
    written: () => database.transact(async () => {}, { isolation: 'read-committed', key: 'carrier-calls' }),
  };
}

eachDatabase('a process alone and the nodes of a cluster, one after the other', (open) => {
  test('count what the other has spent at a carrier in the last hour, once', async () => {
    const { alone, node, written } = booksOn(await open(migrations), { spendPerHour: 1_000 });
    const first = await alone(1);
    assert.equal(await first.reserve('a', 900), undefined);
    first.settle('a', 900, 400);
    await written();

    const [second, third] = [await node(2, 1), await node(3)];
    assert.equal(await second.reserve('b', 601), 'spend-per-hour');
    assert.equal(await second.reserve('c', 600), undefined);
    second.settle('c', 600, 300);
    await second.close();
    assert.equal(await third.reserve('d', 301), 'spend-per-hour');
    assert.equal(await third.reserve('e', 300), undefined);
    third.settle('e', 300, 100);
    await third.close();

    const last = await alone(4, 2, 3);
    assert.equal(await last.reserve('f', 201), 'spend-per-hour');
    assert.equal(await last.reserve('g', 200), undefined);
  });

  test('have the calls back that a killed node was granted', async () => {
    const { alone, node } = booksOn(await open(migrations), { concurrentCalls: 1 });
    const killed = await node(1);
    assert.equal(await killed.reserve('a', 100), undefined);
    await alone(2, 1);
    const next = await node(3, 2);
    assert.equal(await next.reserve('b', 100), undefined);
    await next.close();
  });
});
