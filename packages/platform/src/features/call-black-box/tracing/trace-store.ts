import type { Database, Instant, Write } from '@jackfield/ports';
import type { RequestAccount } from '../../../http/index.ts';
import { requireOwner, viewOf } from '../../accounts/index.ts';

/** A trace of one call or of one endpoint. */
export interface SipTraceRow {
  readonly trace_id: string;
  readonly account: string;
  readonly main_account: string;
  readonly call_uuid: string | null;
  readonly endpoint_id: string | null;
  readonly username: string | null;
  readonly began_at: number;
  readonly ends_at: number;
}

type Tables = { sip_traces: SipTraceRow };

export type TraceStore = ReturnType<typeof createTraceStore>;

/** SQL of the traces. */
export function createTraceStore(database: Pick<Database, 'read' | 'transact'>) {
  const tables = database.read.withTables<Tables>();
  const seenBy = (viewer: RequestAccount) =>
    tables.selectFrom('sip_traces').selectAll().where(viewOf(viewer), '=', viewer.authId);

  return {
    insert: (row: SipTraceRow): Promise<void> =>
      database.transact(async (write) => {
        await requireOwner(write, row.account, row.main_account);
        await write.withTables<Tables>().insertInto('sip_traces').values(row).execute();
      }),
    find: (viewer: RequestAccount, id: string) =>
      seenBy(viewer).where('trace_id', '=', id).executeTakeFirst(),
    list: (viewer: RequestAccount, most: number) =>
      seenBy(viewer).orderBy('began_at', 'desc').limit(most).execute(),
    /** Those that have not ended by then. */
    active: (now: Instant, most: number) =>
      tables.selectFrom('sip_traces').selectAll().where('ends_at', '>', now).limit(most).execute(),
    end: (id: string, now: Instant): Promise<void> =>
      database.transact(async (write) => {
        await write
          .withTables<Tables>()
          .updateTable('sip_traces')
          .set({ ends_at: now })
          .where('trace_id', '=', id)
          .where('ends_at', '>', now)
          .execute();
      }),
    async removeOld(before: Instant, limit: number): Promise<number> {
      const old = await tables
        .selectFrom('sip_traces')
        .select('trace_id')
        .where('ends_at', '<', before)
        .limit(limit)
        .execute();
      if (old.length === 0) return 0;
      const ids = old.map(({ trace_id: id }) => id);
      await database.transact((write) =>
        write.withTables<Tables>().deleteFrom('sip_traces').where('trace_id', 'in', ids).execute(),
      );
      return old.length;
    },
    resources: {
      async remove(write: Write, account: string): Promise<void> {
        await write.withTables<Tables>().deleteFrom('sip_traces').where('account', '=', account).execute();
      },
      async passOn(write: Write, account: string, main: string): Promise<void> {
        await write
          .withTables<Tables>()
          .updateTable('sip_traces')
          .set({ account: main })
          .where('account', '=', account)
          .execute();
      },
    },
  };
}
