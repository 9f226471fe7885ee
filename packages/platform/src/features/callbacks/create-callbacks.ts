import type {
  CallTracing,
  Clock,
  Database,
  Egress,
  Logger,
  Metrics,
  Migration,
  Secrets,
} from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import { type OutboxEvent, replayResource } from '../../kernel/kernel-effects.ts';
import type { Outbox } from '../../kernel/outbox.ts';
import type { OutboxConsumer } from '../../kernel/outbox-consumer.ts';

import { publishBacklog } from './delivery/backlog.ts';
import { createConsumer } from './delivery/deliver.ts';
import { createSigner } from './delivery/signed-request.ts';
import { createSharedSlots } from './domain/shared-slots.ts';
import { callbacksTable } from './migrations/0001-callbacks.ts';
import { callbackAttempts } from './migrations/0002-attempts.ts';
import { callbacksOfSubaccounts } from './migrations/0003-subaccounts.ts';
import { callbackProblemCodesColumn } from './migrations/0004-problem-codes.ts';
import { callbackPartitions } from './migrations/0005-partitions.ts';
import { callbackSchedules } from './migrations/0006-schedule.ts';
import { createPruning } from './retention/pruning.ts';
import { callbackRoutes } from './routes.ts';
import {
  type CallbackRow,
  createCallbackStore,
  passOnCallbacks,
  removeCallbacks,
  waitingRow,
} from './store.ts';

export interface CallbackLimits {
  /** Requests to one host at the same time; one account has at most three quarters of them. */
  readonly perHost: number;
  /** Requests at the same time; one account has at most half of them. */
  readonly atOnce: number;
  /** How much of a receiver's answer is read before the connection is cut. */
  readonly maxBodyBytes: number;
  /** How long the log keeps a delivery; on PostgreSQL for an eighth longer, or an hour, because those of a time go together. */
  readonly keepMs: number;
  readonly pruneEveryMs: number;
  /** Time for deliveries in flight when the process ends; then they are cut, and sent again after the next start. */
  readonly graceMs: number;
}

const callbackLimits: CallbackLimits = {
  perHost: 32,
  // The deliveries of a node at the same time (`concurrency` in create-platform.ts).
  atOnce: 256,
  maxBodyBytes: 65_536,
  keepMs: 7 * 86_400_000,
  pruneEveryMs: 60_000,
  graceMs: 2_000,
};

export interface CallbacksDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: Secrets;
  readonly egress: Egress;
  readonly metrics?: Pick<Metrics, 'gauge'>;
  readonly outbox: Pick<Outbox, 'alsoRecord' | 'appendEvents' | 'resume' | 'wake' | 'start' | 'close'>;
  readonly authTokenOf: (authId: string) => Promise<string | undefined>;
  /** Receives each attempt at a callback about a call. */
  readonly tracing?: Pick<CallTracing, 'happened'>;
  readonly prefixes?: readonly string[];
  readonly limits?: Partial<CallbackLimits>;
  /** Of several processes only one removes old rows; always when left out. */
  readonly mayPrune?: () => boolean;
}

export interface CallbacksFeature extends Feature {
  readonly migrations: readonly Migration[];
  readonly routes: readonly RouteGroup[];
  readonly resources: AccountResources;
  /** The consumer of the outbox: one attempt at one event, in a slot of its account and of its receiver's host. */
  readonly deliver: OutboxConsumer;
  /** Begins to deliver, and to prune the log. */
  open(): void;
  /** Ends the outbox: waits for deliveries, at most `graceMs`. */
  release(): Promise<void>;
}

export const callbackMigrations: readonly Migration[] = [
  callbacksTable,
  callbackAttempts,
  callbacksOfSubaccounts,
  callbackProblemCodesColumn,
  callbackPartitions,
  callbackSchedules,
];

/** Delivers events to customers' URLs, signed and at least once, and keeps a log of it. */
export function createCallbacks(deps: CallbacksDeps): CallbacksFeature {
  const { database, clock, secrets, outbox, mayPrune = () => true } = deps;
  const limits = { ...callbackLimits, ...deps.limits };
  const stop = new AbortController();
  let hasEnded = false;
  const store = createCallbackStore(database);
  const { keepMs, pruneEveryMs } = limits;
  const pruning = createPruning({ ...deps, mayPrune, keepMs, pruneEveryMs });
  // A delivery is in the log from the moment its event is written.
  outbox.alsoRecord((write, events) =>
    store.insert(
      write,
      events.map((event) => waitingRow(event, event.callback!)),
    ),
  );
  if (deps.metrics !== undefined) publishBacklog({ database, clock, metrics: deps.metrics });
  const deliver = createConsumer({
    ...deps,
    store,
    sign: createSigner(deps),
    maxBodyBytes: limits.maxBodyBytes,
    ofHosts: createSharedSlots({ total: limits.perHost, weight: 3 }),
    ofAccounts: createSharedSlots({ total: limits.atOnce, weight: 1 }),
    stop: stop.signal,
    hasEnded: () => hasEnded,
  });

  async function replay(row: CallbackRow): Promise<string> {
    const callbackId = secrets.randomUuid();
    const { account, event_id, event_type, fields, main_account, method, resource, schedule, url } = row;
    const event: OutboxEvent = {
      type: event_type,
      account,
      mainAccount: main_account,
      // Not the resource of the event: a replay waits for no other delivery, and is no event of its own.
      resource: `${replayResource}${callbackId}`,
      payload: JSON.parse(fields),
      callback: {
        url,
        method,
        ...(schedule !== null && { schedule: JSON.parse(schedule) }),
        replay: { eventId: event_id, callbackId, resource },
      },
    };
    await database.transact((write) => outbox.appendEvents(write, [event]));
    outbox.wake();
    return callbackId;
  }

  return {
    name: 'callbacks',
    migrations: callbackMigrations,
    routes: [callbackRoutes({ database, replay })],
    resources: { remove: removeCallbacks, passOn: passOnCallbacks },
    deliver,
    open() {
      outbox.start(deliver);
      pruning.start();
    },
    async release() {
      const cancelStop = clock.startTimer(clock.now() + limits.graceMs, () => stop.abort());
      await outbox.close();
      cancelStop();
      hasEnded = true;
      stop.abort();
      await pruning.close();
    },
  };
}
