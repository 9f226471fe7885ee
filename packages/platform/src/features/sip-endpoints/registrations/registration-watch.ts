import type { Binding, Clock, Database, Instant, Write } from '@jackfield/ports';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import type { Outbox } from '../../../kernel/outbox.ts';
import { registeredEvent, type UnregisteredReason, unregisteredEvent } from '../registration-events.ts';
import { type GoneBinding, goneQueries } from './gone-bindings.ts';

/** Tells of registrations that begin and end, in the transaction in which they do. */
export interface RegistrationWatch {
  /** After a REGISTER has changed what is bound; returns at once unless the first binding came or the last one went. */
  changed(
    write: Write,
    endpoint: string,
    before: readonly Binding[],
    after: readonly Binding[],
    now: Instant,
  ): Promise<void>;
  /** After the commit of something that `changed` was called for. */
  committed(after: readonly Binding[]): void;
  dropFlows(from: string, to: string): Promise<void>;
  /** Ends the waiting for expiries. */
  close(): Promise<void>;
}

export interface RegistrationWatchDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly outbox: Pick<Outbox, 'appendEvents' | 'wake'>;
}

/** Bindings that one transaction deletes at most, so that it never holds up the others for long. */
const batch = 500;
/** Expiries are rounded up to this, so that many in a row are one sweep. */
const sweepEveryMs = 1_000;
/** Other nodes' bindings are not heard of here. */
const longestWaitMs = 60_000;

export function createRegistrationWatch({
  database,
  clock,
  outbox,
}: RegistrationWatchDeps): RegistrationWatch {
  const queries = goneQueries(database.read);
  let hasNews = false;
  let armed: { readonly at: Instant; readonly cancel: () => void } | undefined;
  let sweeping: Promise<void> | undefined;
  let lastSweep: Instant = Number.NEGATIVE_INFINITY;
  let nextAt: Instant = 0;
  let isClosed = false;

  async function append(write: Write, events: readonly OutboxEvent[]): Promise<void> {
    if (events.length === 0) return;
    await outbox.appendEvents(write, events);
    hasNews = true;
  }

  /** An endpoint that lost its last binding is told of once, whatever else went with it. */
  async function tellOfGone(
    write: Write,
    gone: readonly GoneBinding[],
    reasonOf: (binding: GoneBinding) => UnregisteredReason,
  ): Promise<void> {
    const last = new Map<string, GoneBinding>();
    for (const binding of gone) {
      const known = last.get(binding.endpoint_id);
      if (known === undefined || known.expires_at <= binding.expires_at)
        last.set(binding.endpoint_id, binding);
    }
    const events: OutboxEvent[] = [];
    for (const [endpoint, binding] of last) {
      const { rows } = await write.executeQuery(queries.endpointWithoutBinding(endpoint));
      if (rows[0] !== undefined) events.push(unregisteredEvent(rows[0], binding, reasonOf(binding)));
    }
    await append(write, events);
  }

  function arm(at: Instant): void {
    const due = Math.max(at, lastSweep + sweepEveryMs);
    if (sweeping !== undefined) nextAt = Math.min(nextAt, at);
    if (isClosed || sweeping !== undefined || (armed !== undefined && armed.at <= due)) return;
    armed?.cancel();
    const cancel = clock.startTimer(due, () => {
      armed = undefined;
      sweeping = sweep().finally(() => {
        sweeping = undefined;
        arm(nextAt);
      });
    });
    armed = { at: due, cancel };
  }

  async function sweep(): Promise<void> {
    lastSweep = clock.now();
    nextAt = lastSweep + longestWaitMs;
    try {
      for (let count = batch; count === batch && !isClosed; ) {
        count = await database.transact(async (write) => {
          const { rows } = await write.executeQuery(queries.expired(clock.now(), batch));
          await tellOfGone(write, rows, () => 'expired');
          return rows.length;
        });
        announce();
      }
      const { rows } = await database.read.executeQuery(queries.nextExpiry());
      nextAt = Math.min(nextAt, rows[0]?.expires_at ?? nextAt);
    } catch {
      // A database that is gone for the moment: what has expired is not live meanwhile, and is told of when it is back.
      nextAt = lastSweep + sweepEveryMs;
    }
  }

  function announce(): void {
    if (!hasNews) return;
    hasNews = false;
    outbox.wake();
  }

  return {
    async changed(write, endpoint, before, after, now) {
      if (before.length > 0 === after.length > 0) return;
      const { rows } = await write.executeQuery(queries.endpoint(endpoint));
      const owner = rows[0];
      if (owner === undefined) return;
      if (after.length === 0) {
        const { contact, userAgent: user_agent } = before[0]!;
        await append(write, [unregisteredEvent(owner, { contact, user_agent }, 'unregistered')]);
        return;
      }
      const events: OutboxEvent[] = [registeredEvent(owner, after[0]!)];
      // Expired, and registered again before anybody looked.
      const stale = (await write.executeQuery(queries.expiredOf(endpoint, now))).rows.at(-1);
      if (stale !== undefined) events.unshift(unregisteredEvent(owner, stale, 'expired'));
      await append(write, events);
    },
    committed(after) {
      announce();
      for (const { expiresAt } of after) arm(expiresAt);
    },
    async dropFlows(from, to) {
      // Connections end with their process; the next one removes their bindings when it starts.
      if (isClosed) return;
      for (let count = batch; count === batch; ) {
        count = await database.transact(async (write) => {
          const now = clock.now();
          const { rows } = await write.executeQuery(queries.ofFlows(from, to, batch));
          await tellOfGone(write, rows, ({ expires_at }) => (expires_at <= now ? 'expired' : 'flow-lost'));
          return rows.length;
        });
        announce();
      }
      // What the process before this one has left behind expires as well.
      arm(clock.now());
    },
    async close() {
      isClosed = true;
      armed?.cancel();
      await sweeping;
    },
  };
}
