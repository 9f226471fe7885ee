import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Write } from '@jackfield/ports';
import { createVirtualClock } from '@jackfield/testkit';
import type { StoredEvent } from './outbox-store.ts';
import { createOutcomeRecords } from './outcome-records.ts';

const event = (id: number): StoredEvent => ({
  id,
  eventId: String(id),
  account: '',
  mainAccount: '',
  resource: '',
  type: '',
  payload: {},
  createdAt: 0,
  attempts: 1,
});

/** Transactions whose statements begin a turn after their request, like those of a database. */
function recordsOver(failsOn: (ids: readonly number[]) => boolean = () => false) {
  const transactions: number[][] = [];
  let ids: number[] = [];
  const database: Pick<Database, 'transact' | 'laneOf'> = {
    laneOf: () => 0,
    async transact(work) {
      await new Promise((resolve) => setImmediate(resolve));
      ids = [];
      transactions.push(ids);
      const mine = ids;
      const result = await work(undefined as unknown as Write);
      if (failsOn(mine)) throw new Error('refused');
      return result;
    },
  };
  const finish = async (_write: Write, { id }: StoredEvent) => {
    ids.push(id);
    return true;
  };
  const record = createOutcomeRecords(database, { finish, postpone: finish }, createVirtualClock());
  return { transactions, record };
}

test('outcomes of one turn share a transaction; later ones share the next', async () => {
  const { transactions, record } = recordsOver();
  const first = [1, 2, 3].map((id) => record(event(id), 'delivered'));
  await Promise.all(first);
  await record(event(4), { retryAt: 1, isAttempt: true });
  assert.deepEqual(transactions, [[1, 2, 3], [4]]);
});

test('a transaction records a limited number of outcomes; the others follow', async () => {
  const { transactions, record } = recordsOver();
  await Promise.all(Array.from({ length: 250 }, (_, id) => record(event(id), 'delivered')));
  assert.deepEqual(
    transactions.map(({ length }) => length),
    [100, 100, 50],
  );
});

test('an outcome that cannot be recorded fails alone', async () => {
  const { record } = recordsOver((ids) => ids.includes(2));
  const outcomes = await Promise.allSettled([1, 2, 3].map((id) => record(event(id), 'delivered')));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});
