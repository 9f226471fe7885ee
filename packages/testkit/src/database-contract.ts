import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Migration, Read } from '@jackfield/ports';
import fc from 'fast-check';
import { type Generated, type Kysely, sql } from 'kysely';
import type { OpenDatabase } from './each-database.ts';
import { migrationContract } from './migration-contract.ts';

type Tables = {
  rooms: { id: Generated<number>; name: string; seats: number; note: string | null };
  guests: { room: number; name: string };
};

const rooms: Migration = {
  name: 'contract/0001-rooms',
  sql: `
CREATE TABLE rooms (id {{identity}}, name TEXT NOT NULL, seats BIGINT NOT NULL, note TEXT);
CREATE UNIQUE INDEX rooms_by_name ON rooms (name);
CREATE TABLE guests (room BIGINT NOT NULL REFERENCES rooms (id), name TEXT NOT NULL);
`,
};

const of = (read: Read): Kysely<Tables> => read.withTables<Tables>() as unknown as Kysely<Tables>;

const insert = (database: Database, name: string, seats = 1): Promise<unknown> =>
  database.transact((write) => of(write).insertInto('rooms').values({ name, seats }).execute());

async function names(database: Database): Promise<readonly string[]> {
  const rows = await of(database.read).selectFrom('rooms').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

/** The common behaviour of all adapters of the database port. Call it inside `eachDatabase`. */
export function databaseContract(open: OpenDatabase): void {
  unitContract(open);
  failureContract(open);
  concurrencyContract(open);
  valueContract(open);
  restartContract(open);
  migrationContract(open);
}

function unitContract(open: OpenDatabase): void {
  test('a unit resolves with what its work returned, and reads see it from then on', async () => {
    const database = await open([rooms]);
    const result = await database.transact(async (write) => {
      await of(write).insertInto('rooms').values({ name: 'a', seats: 3 }).execute();
      return 'done';
    });
    assert.equal(result, 'done');
    assert.deepEqual(await names(database), ['a']);
  });

  test('reads do not see what is not committed', async () => {
    const database = await open([rooms]);
    await database.transact(async (write) => {
      await of(write).insertInto('rooms').values({ name: 'a', seats: 3 }).execute();
      assert.deepEqual(await names(database), []);
      assert.equal((await of(write).selectFrom('rooms').selectAll().execute()).length, 1);
    });
    assert.deepEqual(await names(database), ['a']);
  });

  test('units of one turn are committed, and a unit that throws is rolled back alone', async () => {
    const database = await open([rooms]);
    const settled = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((name) =>
        database.transact(async (write) => {
          await of(write).insertInto('rooms').values({ name, seats: 1 }).execute();
          if (name === 'b') throw new Error('b is refused');
          return name;
        }),
      ),
    );
    assert.deepEqual(
      settled.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))),
      ['a', 'Error: b is refused', 'c', 'd'],
    );
    assert.deepEqual(await names(database), ['a', 'c', 'd']);
  });

  test('units run one after another in the order in which they were asked for', async () => {
    const database = await open([rooms]);
    const seen: number[] = [];
    await Promise.all(
      Array.from({ length: 250 }, (_, index) =>
        database.transact(async (write) => {
          await of(write).selectFrom('rooms').select('id').executeTakeFirst();
          seen.push(index);
          await of(write)
            .insertInto('rooms')
            .values({ name: `n${index}`, seats: index })
            .execute();
          seen.push(index);
        }),
      ),
    );
    assert.deepEqual(
      seen,
      Array.from({ length: 500 }, (_, index) => index >> 1),
    );
  });
}

function failureContract(open: OpenDatabase): void {
  test('a statement that fails rolls its unit back, also what the unit wrote before', async () => {
    const database = await open([rooms]);
    await insert(database, 'taken');
    const failing = database.transact(async (write) => {
      await of(write).insertInto('rooms').values({ name: 'new', seats: 1 }).execute();
      await of(write).insertInto('rooms').values({ name: 'taken', seats: 1 }).execute();
    });
    const neighbour = insert(database, 'neighbour');
    await assert.rejects(failing, (error) => database.isUniqueViolation(error));
    await neighbour;
    assert.deepEqual(await names(database), ['neighbour', 'taken']);
  });

  test('a unit cannot go on after a statement of it has failed', async () => {
    const database = await open([rooms]);
    await insert(database, 'taken');
    let wentOn = false;
    await assert.rejects(
      database.transact(async (write) => {
        await of(write)
          .insertInto('rooms')
          .values({ name: 'taken', seats: 1 })
          .execute()
          .catch(() => {});
        await of(write).insertInto('rooms').values({ name: 'other', seats: 1 }).execute();
        wentOn = true;
      }),
    );
    assert.equal(wentOn, false);
    await assert.rejects(
      database.transact(async (write) => {
        await of(write).insertInto('rooms').values({ name: 'before', seats: 1 }).execute();
        await of(write)
          .insertInto('rooms')
          .values({ name: 'taken', seats: 1 })
          .execute()
          .catch(() => {});
      }),
    );
    assert.deepEqual(await names(database), ['taken']);
  });

  test('a transaction is of no use after its unit', async () => {
    const database = await open([rooms]);
    let kept: Read | undefined;
    await database.transact(async (write) => {
      kept = write;
    });
    await assert.rejects(of(kept!).insertInto('rooms').values({ name: 'late', seats: 1 }).execute());
    assert.deepEqual(await names(database), []);
  });
}

function concurrencyContract(open: OpenDatabase): void {
  test('units that read, decide and write lose nothing', async () => {
    const database = await open([rooms]);
    await insert(database, 'counter', 0);
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        // Some in the same turn, some in later ones.
        for (let turn = 0; turn < index % 4; turn++) await new Promise(setImmediate);
        await database.transact(async (write) => {
          const row = await of(write)
            .selectFrom('rooms')
            .select('seats')
            .where('name', '=', 'counter')
            .executeTakeFirstOrThrow();
          await of(write)
            .updateTable('rooms')
            .set({ seats: row.seats + 1 })
            .where('name', '=', 'counter')
            .execute();
        });
      }),
    );
    const row = await of(database.read).selectFrom('rooms').select('seats').executeTakeFirstOrThrow();
    assert.equal(row.seats, 100);
  });

  test('what is only for reading refuses to write', async () => {
    const database = await open([rooms]);
    await assert.rejects(of(database.read).insertInto('rooms').values({ name: 'a', seats: 1 }).execute());
    await assert.rejects(sql`DELETE FROM rooms`.execute(database.read));
    assert.deepEqual(await names(database), []);
  });

  test('a read that fails does not spoil the next one', async () => {
    const database = await open([rooms]);
    await assert.rejects(sql`SELECT nothing FROM nowhere`.execute(database.read));
    assert.deepEqual(await names(database), []);
  });
}

function valueContract(open: OpenDatabase): void {
  test('values come back as they were written: numbers, null, and any text', async () => {
    const database = await open([rooms]);
    const name = 'ünï©ode 🎧 "quotes" \'and\' \\ ; -- $1 ?';
    const instant = 1_790_000_000_123;
    await insert(database, name, instant);
    await insert(database, 'largest', Number.MAX_SAFE_INTEGER);
    const rows = await of(database.read).selectFrom('rooms').selectAll().orderBy('id').execute();
    assert.deepEqual(rows, [
      { id: 1, name, seats: instant, note: null },
      { id: 2, name: 'largest', seats: Number.MAX_SAFE_INTEGER, note: null },
    ]);
    const { rows: sums } = await sql<object>`
      SELECT count(*) AS number, sum(id) AS total, avg(id) AS mean, exists (SELECT 1 FROM guests) AS some FROM rooms
    `.execute(database.read);
    assert.deepEqual(sums, [{ number: 2, total: 3, mean: 1.5, some: 0 }]);
  });

  test('a number that JavaScript cannot hold is an error, never a wrong number', async () => {
    const database = await open([rooms]);
    await database.transact((write) =>
      sql`INSERT INTO rooms (name, seats) VALUES ('huge', 9007199254740993)`.execute(write),
    );
    await assert.rejects(of(database.read).selectFrom('rooms').selectAll().execute(), RangeError);
    assert.deepEqual(await names(database), ['huge']);
  });

  test('RETURNING, upsert and the number of changed rows', async () => {
    const database = await open([rooms]);
    await database.transact(async (write) => {
      const row = await of(write)
        .insertInto('rooms')
        .values({ name: 'a', seats: 1 })
        .returning(['id', 'name'])
        .executeTakeFirstOrThrow();
      assert.deepEqual(row, { id: 1, name: 'a' });
      await of(write)
        .insertInto('rooms')
        .values({ name: 'a', seats: 7 })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ seats: 7 }))
        .execute();
      const updated = await of(write)
        .updateTable('rooms')
        .set({ note: 'x' })
        .where('seats', '=', 7)
        .executeTakeFirst();
      assert.equal(updated.numUpdatedRows, 1n);
      const deleted = await of(write).deleteFrom('rooms').where('seats', '=', 8).executeTakeFirst();
      assert.equal(deleted.numDeletedRows, 0n);
    });
  });

  test('a unique violation differs from other refusals', async () => {
    const database = await open([rooms]);
    await insert(database, 'a');
    await assert.rejects(insert(database, 'a'), (error) => database.isUniqueViolation(error));
    const noRoom = database.transact((write) =>
      of(write).insertInto('guests').values({ room: 99, name: 'x' }).execute(),
    );
    await assert.rejects(noRoom, (error) => !database.isUniqueViolation(error));
    await assert.rejects(
      insert(database, null as unknown as string),
      (error) => !database.isUniqueViolation(error),
    );
    assert.equal(database.isUniqueViolation(undefined), false);
    assert.equal(database.isUniqueViolation(new Error('x')), false);
  });

  test('an identity is not given twice, also when its row is gone', async () => {
    const database = await open([rooms]);
    await insert(database, 'a');
    await database.transact((write) => of(write).deleteFrom('rooms').execute());
    await insert(database, 'b');
    assert.equal((await of(database.read).selectFrom('rooms').select('id').executeTakeFirstOrThrow()).id, 2);
  });
}

function restartContract(open: OpenDatabase): void {
  test('rows survive a restart', async () => {
    const database = await open([rooms]);
    await insert(database, 'a');
    const reopened = await open.again(database);
    await reopened.migrate([rooms]);
    assert.deepEqual(await names(reopened), ['a']);
  });

  test('closing waits for what was asked for, and refuses what comes later', async () => {
    const database = await open([rooms]);
    const asked = [insert(database, 'a'), insert(database, 'b')];
    const closing = database.close();
    await assert.rejects(insert(database, 'c'), /closed/);
    await assert.rejects(database.migrate([]), /closed/);
    await Promise.all(asked);
    await closing;
    await database.close();
    assert.deepEqual(await names(await open.again(database)), ['a', 'b']);
  });

  test('whatever units fail, exactly the others are there', async () => {
    const database = await open([rooms]);
    const unit = fc.record({
      name: fc.integer({ min: 0, max: 9 }).map((number) => `room ${number}`),
      fails: fc.boolean(),
      turns: fc.integer({ min: 0, max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { maxLength: 12 }), async (units) => {
        await database.transact((write) => of(write).deleteFrom('rooms').execute());
        const kept = new Set<string>();
        await Promise.all(
          units.map(async ({ name, fails, turns }) => {
            for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
            try {
              await database.transact(async (write) => {
                await of(write).insertInto('rooms').values({ name, seats: 1 }).execute();
                if (fails) throw new RangeError('on purpose');
              });
              assert.ok(!kept.has(name));
              kept.add(name);
            } catch (error) {
              assert.ok(error instanceof RangeError || database.isUniqueViolation(error));
            }
          }),
        );
        assert.deepEqual(await names(database), [...kept].sort());
      }),
      { numRuns: 30 },
    );
  });
}
