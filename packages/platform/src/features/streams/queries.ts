import type { Database } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import type { Page } from '../../kernel/pagination.ts';
import { viewOf } from '../accounts/index.ts';
import { reading, type StreamRow } from './tables.ts';

/** The account in the path of a request: a main account sees the streams of its subaccounts too. */
export type Viewer = Pick<RequestAccount, 'authId' | 'isSubaccount'>;

/** Streams of a call by itself, or of a whole multiparty call. */
export type Streamed = { readonly call: string } | { readonly mpc: string };

export type StreamQueries = ReturnType<typeof createQueries>;

/** Streams of the resource that the viewer may see. */
export function streamsOf(tables: ReturnType<typeof reading>, viewer: Viewer, streamed: Streamed) {
  const seen = tables.selectFrom('streams').where(viewOf(viewer), '=', viewer.authId);
  return 'mpc' in streamed
    ? seen.where('mpc_uuid', '=', streamed.mpc)
    : seen.where('call_uuid', '=', streamed.call).where('mpc_uuid', 'is', null);
}

export function createQueries(database: Pick<Database, 'read'>) {
  const tables = reading(database.read);

  const of = (viewer: Viewer, streamed: Streamed) => streamsOf(tables, viewer, streamed);

  return {
    find: (viewer: Viewer, streamed: Streamed, stream: string): Promise<StreamRow | undefined> =>
      of(viewer, streamed).selectAll().where('stream_id', '=', stream.toLowerCase()).executeTakeFirst(),

    /** Newest first; the identifier orders streams of one millisecond. */
    async list(
      viewer: Viewer,
      streamed: Streamed,
      page: Page,
    ): Promise<{ readonly total: number; readonly rows: readonly StreamRow[] }> {
      const found = of(viewer, streamed);
      const [counted, rows] = await Promise.all([
        found.select((columns) => columns.fn.countAll().as('total')).executeTakeFirstOrThrow(),
        found
          .selectAll()
          .orderBy('created_at', 'desc')
          .orderBy('stream_id', 'desc')
          .limit(page.limit)
          .offset(page.offset)
          .execute(),
      ]);
      return { total: Number(counted.total), rows };
    },

    live: (viewer: Viewer, streamed: Streamed): Promise<readonly { readonly stream_id: string }[]> =>
      of(viewer, streamed).select('stream_id').where('ended_at', 'is', null).execute(),
  };
}
