import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualClock } from '@jackfield/testkit';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { createDatabaseProbe } from './database-probe.ts';

/** A database whose queries end when the test says, like those over a broken network. */
function scripted() {
  const asked: { answer(): void; fail(): void }[] = [];
  const driver = new DummyDriver();
  const read = new Kysely<object>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createDriver: () =>
        Object.assign(driver, {
          acquireConnection: async () => ({
            executeQuery: () =>
              new Promise((resolve, reject) => {
                asked.push({ answer: () => resolve({ rows: [] }), fail: () => reject(new Error('away')) });
              }),
            streamQuery: () => {
              throw new Error('no stream is asked for');
            },
          }),
        }) as never,
    },
  });
  return { read, asked };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('a database that hangs counts as away after its limit, and no probe sends a second query meanwhile', async () => {
  const { read, asked } = scripted();
  const clock = createVirtualClock();
  const answers = createDatabaseProbe({ database: { read: read as never }, clock });
  const probes = Array.from({ length: 50 }, () => answers());
  await turns();
  await clock.advance(2_000);
  assert.deepEqual(new Set(await Promise.all(probes)), new Set([false]));
  await clock.advance(60_000);
  assert.equal(await answers(), false);
  assert.equal(asked.length, 1);
  asked[0]!.answer();
  await turns();
  await clock.advance(1_000);
  const back = answers();
  await turns();
  asked[1]!.answer();
  assert.equal(await back, true);
});

test('a probe repeats its outcome for a second, and then queries again', async () => {
  const { read, asked } = scripted();
  const clock = createVirtualClock();
  const answers = createDatabaseProbe({ database: { read: read as never }, clock });
  const first = answers();
  await turns();
  asked[0]!.fail();
  assert.equal(await first, false);
  await clock.advance(999);
  assert.equal(await answers(), false);
  assert.equal(asked.length, 1);
  await clock.advance(1);
  const second = answers();
  await turns();
  asked[1]!.answer();
  assert.equal(await second, true);
});
