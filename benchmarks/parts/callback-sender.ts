import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createSystemClock } from '@jackfield/adapters/clock';
import { createSqliteDatabase } from '@jackfield/adapters/database-sqlite';
import { createHttpEgress } from '@jackfield/adapters/egress-http';
import { createNameLookup } from '@jackfield/adapters/name-lookup';
import { createSecrets } from '@jackfield/adapters/secrets';
import { createCallbacks } from '@jackfield/platform/callbacks';
import { createOutbox, outboxMigrations } from '@jackfield/platform/kernel';
import type { Egress, EgressRequest } from '@jackfield/ports';
import { type Load, quantile } from '../measure.ts';
import { servePart } from '../part.ts';

export interface SenderRun {
  readonly port: number;
  readonly count: number;
  /** Events written but not yet delivered. */
  readonly window: number;
  /** Events a second; limited only by the window when left out. */
  readonly rate?: number;
}

export interface SenderLoad extends Load {
  /** From the call that writes the change to the call that sends the request. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Headers of one request, for the floor. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Outbox and callbacks as in the platform, with the embedded database and every commit synced to disk. */
const directory = mkdtempSync(join(tmpdir(), 'jackfield-bench-'));
const log = { debug() {}, info() {}, warn() {}, error: (...what: unknown[]) => console.error(...what) };
const clock = createSystemClock();
const secrets = createSecrets(new Uint8Array(32).fill(7));
const database = createSqliteDatabase({ directory, log });
const http = createHttpEgress({ allow: [], privateToo: true, resolve: createNameLookup() });
/** Encrypted as in the accounts' store. */
const sealedToken = secrets.encrypt('YmVuY2htYXJrYmVuY2htYXJrYmVuY2htYXJr');
const account = 'MABENCHMARK000000000';

const delays: number[] = [];
const changedAt = new Map<string, number>();
let last: EgressRequest | undefined;
let delivered = 0;
let failures = 0;
let oneIsOver: (() => void) | undefined;
const egress: Egress = {
  async send(request) {
    const number = /&n=(\d+)$/.exec(request.body ?? '')?.[1] ?? '';
    delays.push(performance.now() - (changedAt.get(number) ?? Number.NaN));
    changedAt.delete(number);
    last = request;
    const outcome = await http.send(request);
    if (!('status' in outcome) || outcome.status !== 200) failures++;
    return outcome;
  },
};
const outbox = createOutbox({
  database,
  clock,
  log,
  newEventId: () => secrets.randomUuid(),
  limits: { concurrency: 256 },
});
const authTokenOf = async () => secrets.decrypt(sealedToken);
const callbacks = createCallbacks({ database, clock, log, secrets, egress, outbox, authTokenOf });
let number = 0;

/** Counted when its outcome is recorded. */
const { deliver: consumer } = callbacks;
const counted = {
  admit: consumer.admit!,
  async deliver(event: Parameters<typeof consumer.deliver>[0]) {
    const outcome = await consumer.deliver(event);
    if (typeof outcome !== 'object' || !('finished' in outcome)) return outcome;
    return {
      ...outcome,
      async save(write: Parameters<typeof outcome.save>[0]) {
        await outcome.save(write);
        delivered++;
        oneIsOver?.();
      },
    };
  },
};

async function emit(port: number): Promise<void> {
  const n = String(++number);
  changedAt.set(n, performance.now());
  await database.transact((write) =>
    outbox.appendEvents(write, [
      {
        type: 'call.answered',
        account,
        mainAccount: account,
        resource: `call/${n}`,
        payload: {
          CallUUID: secrets.randomUuid(),
          From: '+12025550100',
          To: '+12025550101',
          CallStatus: 'in-progress',
          Direction: 'inbound',
          Event: 'StartApp',
          n,
        },
        callback: { url: `http://127.0.0.1:${port}/in`, method: 'POST' },
      },
    ]),
  );
  outbox.wake();
}

servePart({
  async start() {
    await database.migrate([...outboxMigrations, ...callbacks.migrations]);
    outbox.start(counted);
  },
  async run({ port, count, window, rate }: SenderRun): Promise<SenderLoad> {
    const [first, failed] = [delivered, failures];
    delays.length = 0;
    const began = performance.now();
    for (let begun = 0; begun < count; begun++) {
      while (begun - (delivered - first) >= window) {
        await new Promise<void>((resolve) => {
          oneIsOver = resolve;
        });
      }
      const early = rate === undefined ? 0 : (begun * 1000) / rate - (performance.now() - began);
      if (early >= 1) await wait(early);
      void emit(port);
    }
    while (delivered - first < count) await wait(1);
    await outbox.idle();
    const seconds = (performance.now() - began) / 1000;
    const sorted = Float64Array.from(delays).sort();
    const { headers, body = '' } = last!;
    const times = { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
    return { operations: count, seconds, failures: failures - failed, ...times, headers, body };
  },
  async stop() {
    await callbacks.release();
    http.close();
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  },
});
