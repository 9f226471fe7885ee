import { type Database, type Instant, sourceOf, type UnitOptions, type Write } from '@jackfield/ports';
import { sql } from 'kysely';
import { prefixOf } from '../delivery/recipient.ts';
import { type FraudLevel, looksPumped } from '../domain/conversion.ts';
import { writing } from '../tables.ts';

export interface Window {
  readonly count: number;
  readonly seconds: number;
}

/** Limits of sends in fixed windows. */
export interface SendLimits {
  readonly recipient: Window;
  /** All digits of a number but the last four; of all accounts together. */
  readonly prefix: Window;
  /** The address of the person behind a request, where the account gives it. */
  readonly source: Window;
  readonly account: Window;
  /** The window in which sends and verifications of a prefix are compared. */
  readonly conversionSeconds: number;
}

export const sendLimits: SendLimits = {
  recipient: { count: 10, seconds: 3_600 },
  prefix: { count: 500, seconds: 3_600 },
  source: { count: 30, seconds: 3_600 },
  account: { count: 10_000, seconds: 3_600 },
  conversionSeconds: 21_600,
};

export interface SendRequest {
  readonly account: string;
  readonly recipient: string;
  /** As the account gave it. */
  readonly requestorIp: string | null;
  readonly level: FraudLevel;
}

export type Admission =
  | { readonly kind: 'admitted' }
  /** A limit that the caller exceeds itself: answered with 429. */
  | {
      readonly kind: 'limited';
      readonly scope: 'recipient' | 'source' | 'account';
      readonly retryAfterSeconds: number;
    }
  /** Suspected pumping: answered as a blocked attempt. */
  | { readonly kind: 'blocked'; readonly reason: 'prefix-limit' | 'low-conversion' };

export interface Limiter {
  /** Counts the send if it is admitted. Rejects when it cannot be counted: then no code may be sent. */
  admit(requested: SendRequest, now: Instant): Promise<Admission>;
  /** In the transaction that records the verification. */
  noteVerified(write: Write, recipient: string, now: Instant): Promise<void>;
  /** Removes old windows. */
  sweep(now: Instant): Promise<void>;
}

/** Each statement raises its counter by itself. The lane is that of verifications, which raise counters as well. */
export const countingLane = 'verify-counters';
const countingUnit: UnitOptions = { isolation: 'read-committed', key: countingLane };

/** Rolls the counters of a refused send back: a refusal is no send. */
class NotAdmitted extends Error {
  readonly admission: Admission;

  constructor(admission: Admission) {
    super('not admitted');
    this.admission = admission;
  }
}

/** Counters are in the database: nodes share them, and a restart keeps them. */
export function createLimiter(database: Database, limits: SendLimits = sendLimits): Limiter {
  const { conversionSeconds } = limits;

  async function raise(write: Write, name: string, windowStart: Instant): Promise<number> {
    const row = await writing(write)
      .insertInto('verify_counters')
      .values({ name, window_start: windowStart, total: 1 })
      .onConflict((on) =>
        on.columns(['name', 'window_start']).doUpdateSet({ total: sql<number>`verify_counters.total + 1` }),
      )
      .returning('total')
      .executeTakeFirstOrThrow();
    return Number(row.total);
  }

  async function admitOrThrow(write: Write, requested: SendRequest, now: Instant): Promise<void> {
    const { account, recipient, requestorIp } = requested;
    const prefix = prefixOf(recipient);
    // Every transaction locks the rows in the same order, the busiest last: no deadlock.
    const scopes = [
      ['recipient', `${account}/${recipient}`],
      ['source', requestorIp === null ? undefined : `${account}/${sourceOf(requestorIp)}`],
      ['prefix', prefix],
      ['account', account],
    ] as const;
    for (const [scope, name] of scopes) {
      if (name === undefined) continue;
      const { count, seconds } = limits[scope];
      const start = windowOf(now, seconds);
      if ((await raise(write, `${scope}:${name}`, start)) <= count) continue;
      if (scope === 'prefix') throw new NotAdmitted({ kind: 'blocked', reason: 'prefix-limit' });
      const retryAfterSeconds = Math.ceil((start + seconds * 1000 - now) / 1000);
      throw new NotAdmitted({ kind: 'limited', scope, retryAfterSeconds });
    }
    const start = windowOf(now, conversionSeconds);
    const sent = await raise(write, `sent:${prefix}`, start);
    const verified = await writing(write)
      .selectFrom('verify_counters')
      .select('total')
      .where('name', '=', `verified:${prefix}`)
      .where('window_start', '=', start)
      .executeTakeFirst();
    if (looksPumped(requested.level, sent - 1, Number(verified?.total ?? 0))) {
      throw new NotAdmitted({ kind: 'blocked', reason: 'low-conversion' });
    }
  }

  return {
    async admit(requested, now) {
      try {
        await database.transact((write) => admitOrThrow(write, requested, now), countingUnit);
        return { kind: 'admitted' };
      } catch (error) {
        if (error instanceof NotAdmitted) return error.admission;
        throw error;
      }
    },
    async noteVerified(write, recipient, now) {
      await raise(write, `verified:${prefixOf(recipient)}`, windowOf(now, conversionSeconds));
    },
    async sweep(now) {
      const { recipient, prefix, source, account } = limits;
      const longest = Math.max(
        ...[recipient, prefix, source, account].map(({ seconds }) => seconds),
        conversionSeconds,
      );
      await database.transact(
        (write) =>
          writing(write)
            .deleteFrom('verify_counters')
            .where('window_start', '<', now - longest * 1000)
            .execute(),
        countingUnit,
      );
    },
  };
}

function windowOf(now: Instant, seconds: number): Instant {
  return now - (now % (seconds * 1000));
}
