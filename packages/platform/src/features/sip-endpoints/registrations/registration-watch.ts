import type { Binding, Clock, Database, Instant, UnitOptions, Write } from '@jackfield/ports';
import type { Outbox } from '../../../kernel/outbox.ts';
import type { SingletonRoles } from '../../../kernel/singleton-roles.ts';
import { createGoneBindings } from './delete-gone.ts';
import { goneQueries } from './gone-bindings.ts';
import type { KnownBindings } from './known-bindings.ts';
import { createRegistrationReports } from './registration-reports.ts';

/** Reports registrations that begin and end, in the transaction of the change. */
export interface RegistrationWatch {
  /** After a REGISTER with which the first binding came or the last one went. */
  changed(
    write: Write,
    endpoint: string,
    before: readonly Binding[],
    after: readonly Binding[],
    now: Instant,
  ): Promise<void>;
  /** After the commit of such a change. */
  committed(after: readonly Binding[]): void;
  dropFlows(from: string, to: string): Promise<void>;
  /** Cancels the timer of expiries. */
  close(): Promise<void>;
}

export interface RegistrationWatchDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly outbox: Pick<Outbox, 'appendEvents' | 'wake'>;
  readonly known: Pick<KnownBindings, 'forget'>;
  /** Of several processes one looks for expired bindings; this one when left out. */
  readonly roles?: Pick<SingletonRoles, 'take' | 'holds'>;
}

/** The deletion locks the endpoints, as a REGISTER does. */
const unit: UnitOptions = { isolation: 'read-committed' };
const sweepRole = 'expired registrations';
/** Expiries are rounded up to this, so that one sweep covers many. */
const sweepEveryMs = 1_000;
/** Other nodes do not report their bindings here, and no binding lasts for less (`packages/sip/src/registration/register-rules.ts`). */
const longestWaitMs = 60_000;

export function createRegistrationWatch({
  database,
  clock,
  outbox,
  known,
  roles,
}: RegistrationWatchDeps): RegistrationWatch {
  const queries = goneQueries(database.read);
  const reports = createRegistrationReports(database, outbox);
  const gone = createGoneBindings(database.dialect === 'postgres', queries);
  let armed: { readonly at: Instant; readonly cancel: () => void } | undefined;
  let sweeping: Promise<void> | undefined;
  let lastSweep: Instant = Number.NEGATIVE_INFINITY;
  let nextAt: Instant = 0;
  let isClosed = false;

  function arm(at: Instant): void {
    const due = Math.max(at, lastSweep + sweepEveryMs);
    if (sweeping !== undefined) nextAt = Math.min(nextAt, at);
    if (
      isClosed ||
      roles?.holds(sweepRole) === false ||
      sweeping !== undefined ||
      (armed !== undefined && armed.at <= due)
    )
      return;
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
      for (let isMore = true; isMore && !isClosed; ) {
        isMore = await database.transact(async (write) => {
          const now = clock.now();
          const { rows, isLast } = await gone.expired(write, now);
          known.forget(rows.map(({ endpoint_id }) => endpoint_id));
          await reports.gone(write, rows, () => 'expired');
          return !isLast;
        }, unit);
        reports.announce();
      }
      const { rows } = await database.read.executeQuery(queries.nextExpiry());
      nextAt = Math.min(nextAt, rows[0]?.expires_at ?? nextAt);
    } catch {
      // The database is unavailable: expired bindings are not live meanwhile, and are reported when it is back.
      nextAt = lastSweep + sweepEveryMs;
    }
  }

  roles?.take(sweepRole, { begin: () => arm(clock.now()) });
  return {
    changed: reports.changed,
    committed(after) {
      reports.announce();
      for (const { expiresAt } of after) arm(expiresAt);
    },
    async dropFlows(from, to) {
      // Connections end with their process; the next process removes their bindings at its start.
      if (isClosed) return;
      for (let isMore = true; isMore; ) {
        isMore = await database.transact(async (write) => {
          const now = clock.now();
          const { rows, isLast } = await gone.ofFlows(write, from, to);
          known.forget(rows.map(({ endpoint_id }) => endpoint_id));
          await reports.gone(write, rows, ({ expires_at }) => (expires_at <= now ? 'expired' : 'flow-lost'));
          return !isLast;
        }, unit);
        reports.announce();
      }
      // Bindings of the former process expire as well.
      arm(clock.now());
    },
    async close() {
      isClosed = true;
      armed?.cancel();
      await sweeping;
    },
  };
}
