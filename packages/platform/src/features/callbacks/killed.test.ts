import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { Database, EgressRequest } from '@jackfield/ports';
import { createRecordingLog, createVirtualClock, eachDatabase } from '@jackfield/testkit';
import { sql } from 'kysely';
import { createOutbox, outboxMigrations } from '../../kernel/outbox.ts';
import { callbackMigrations, createCallbacks } from './create-callbacks.ts';

type Moment = 'before a commit' | 'after a commit' | 'before a request' | 'after a request';

/** A process over a database that dies at the given step: later actions have no effect. */
function startProcess(
  database: Database,
  clock: ReturnType<typeof createVirtualClock>,
  seen: string[],
  incarnation: number | undefined,
  dies: { readonly moment: Moment; readonly at: number } | undefined,
) {
  const died = Promise.withResolvers<void>();
  const counts = new Map<Moment, number>();
  let isDead = false;
  const never = new Promise<never>(() => {});
  /** True from the step at which it dies. */
  const diesAt = (moment: Moment): boolean => {
    const count = (counts.get(moment) ?? 0) + 1;
    counts.set(moment, count);
    if (dies?.moment === moment && dies.at === count) {
      isDead = true;
      died.resolve();
    }
    return isDead;
  };
  const mortal: Database = {
    ...database,
    read: database.read,
    async transact(work) {
      if (diesAt('before a commit')) return never;
      const result = await database.transact(work);
      if (diesAt('after a commit')) return never;
      return result;
    },
  };
  const secrets = createSecrets(new Uint8Array(32).fill(7));
  const log = createRecordingLog();
  const mortalClock = {
    now: () => clock.now(),
    wallNow: () => clock.wallNow(),
    startTimer: (at: number, fire: () => void) => clock.startTimer(at, () => void (isDead || fire())),
  };
  const outbox = createOutbox({
    database: mortal,
    clock: mortalClock,
    log,
    newEventId: () => secrets.randomUuid(),
    ...(incarnation === undefined ? {} : { incarnation }),
    limits: { lookEveryMs: 500 },
  });
  const callbacks = createCallbacks({
    database: mortal,
    clock: mortalClock,
    log,
    secrets,
    outbox,
    authTokenOf: async () => 'token',
    egress: {
      async send(request: EgressRequest) {
        if (diesAt('before a request')) return never;
        seen.push(new URLSearchParams(request.body).get('n')!);
        if (diesAt('after a request')) return never;
        return { status: 200, headers: {}, body: new Uint8Array() };
      },
    },
  });
  return {
    outbox,
    callbacks,
    mortal,
    died: died.promise,
    steps: (moment: Moment) => counts.get(moment) ?? 0,
    get isDead() {
      return isDead;
    },
  };
}

const resources = ['a', 'b'] as const;
const perResource = 3;

eachDatabase('callbacks of a process that is killed', (open) => {
  for (const moment of [
    'before a commit',
    'after a commit',
    'before a request',
    'after a request',
  ] as const) {
    test(`${moment}, at every step: no committed event is lost, and order is kept; an event in flight comes twice at most`, async () => {
      const database = await open([...outboxMigrations, ...callbackMigrations]);
      const isShared = database.dialect === 'postgres';
      for (let at = 1; at <= 40; at++) {
        await database.transact((write) => sql`DELETE FROM outbox`.execute(write));
        const clock = createVirtualClock();
        const seen: string[] = [];
        const committed: string[] = [];
        const first = startProcess(database, clock, seen, isShared ? 1 : undefined, { moment, at });
        first.outbox.start(first.callbacks.deliver);
        const emitAll = async () => {
          for (let number = 1; number <= perResource; number++) {
            for (const resource of resources) {
              const n = `${resource}${number}`;
              await first.mortal.transact(async (write) => {
                await first.outbox.appendEvents(write, [
                  {
                    type: 'happened',
                    account: 'MA0',
                    mainAccount: 'MA0',
                    resource,
                    payload: { n },
                    callback: { url: `http://${resource}.example/`, method: 'POST' },
                  },
                ]);
              });
              committed.push(n);
              first.outbox.wake();
            }
          }
          await first.outbox.idle();
        };
        await Promise.race([emitAll(), first.died]);
        if (!first.isDead) {
          assert.ok(at > 5, `${moment} never came ${at} times`);
          await first.outbox.close();
          break;
        }
        // Statements that the dead process had begun end there.
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
        await database.transact((write) => sql`SELECT 1`.execute(write));
        const { rows } = await sql<{
          payload: string;
        }>`SELECT payload FROM outbox WHERE callback IS NOT NULL`.execute(database.read);
        const stored = rows.map(({ payload }) => JSON.parse(payload).n as string);
        for (const n of committed) assert.ok(stored.includes(n), `${n} was committed`);

        const next = startProcess(database, clock, seen, isShared ? 2 : undefined, undefined);
        await next.outbox.takeOver(1);
        next.outbox.start(next.callbacks.deliver);
        for (let step = 0; step < 6; step++) {
          await next.outbox.idle();
          await clock.advance(500);
          await next.outbox.idle();
        }
        await next.outbox.close();
        for (const resource of resources) {
          const its = seen.filter((n) => n.startsWith(resource));
          const once = its.filter((n, index) => its.indexOf(n) === index);
          assert.deepEqual(once, stored.filter((n) => n.startsWith(resource)).sort(), `${moment} ${at}`);
          // The event in flight is repeated, and no later event had gone out before.
          assert.ok(its.length - once.length <= 1, `${moment} ${at}: ${its}`);
          assert.deepEqual(its, [...its].sort(), `${moment} ${at}`);
        }
        const left = await sql<{ n: number }>`
          SELECT count(*) AS n FROM outbox WHERE delivered_at IS NULL`.execute(database.read);
        assert.equal(Number(left.rows[0]!.n), 0);
      }
    });
  }
});
