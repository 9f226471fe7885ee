import type { CallQualitySample } from '@jackfield/contract/console';
import type { Database, Instant, Write } from '@jackfield/ports';
import { removeBeyond } from '../../kernel/capped-rows.ts';
import type { TakenSample } from './sampling/sampler.ts';

// A type, not an interface: withTables asks for a record.
type Tables = {
  call_quality: {
    readonly position: number;
    readonly call_uuid: string;
    readonly at: number;
    readonly sample: string;
  };
};

export type CallQualityStore = ReturnType<typeof createCallQualityStore>;

/** SQL of samples. */
export function createCallQualityStore(database: Pick<Database, 'read' | 'transact'>) {
  const tables = database.read.withTables<Tables>();

  return {
    async insert(write: Write, samples: readonly TakenSample[]): Promise<void> {
      const rows = samples.map(({ leg, at, sample }) => ({
        call_uuid: leg,
        at,
        sample: JSON.stringify(sample),
      }));
      await write
        .withTables<{ call_quality: Omit<Tables['call_quality'], 'position'> }>()
        .insertInto('call_quality')
        .values(rows)
        .execute();
    },

    /** Oldest first. */
    async list(call: string, most: number): Promise<CallQualitySample[]> {
      const rows = await tables
        .selectFrom('call_quality')
        .select('sample')
        .where('call_uuid', '=', call)
        .orderBy('at')
        .limit(most)
        .execute();
      return rows.map(({ sample }) => JSON.parse(sample));
    },

    /** The newest sample of each of these calls, where one was taken since then. */
    async latest(calls: readonly string[], since: Instant): Promise<ReadonlyMap<string, CallQualitySample>> {
      if (calls.length === 0) return new Map();
      const rows = await tables
        .selectFrom('call_quality')
        .select(['call_uuid', 'sample'])
        .where('call_uuid', 'in', calls)
        .where('at', '>=', since)
        .orderBy('at')
        .execute();
      return new Map(rows.map(({ call_uuid, sample }) => [call_uuid, JSON.parse(sample)]));
    },

    /** Removes the oldest samples: those before then, and those beyond the newest `number`. */
    removeOld: (before: Instant, number: number, limit: number) =>
      removeBeyond(database, 'call_quality', { since: before, number }, limit),
  };
}
