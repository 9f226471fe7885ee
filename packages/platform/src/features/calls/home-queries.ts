import type { Database } from '@jackfield/ports';
import type { RequestAccount, ResourceHome } from '../../http/index.ts';
import { viewOf } from '../accounts/index.ts';
import type { LaterCalls } from './public-api.ts';
import { tablesOf } from './tables.ts';

type Viewer = Pick<RequestAccount, 'authId' | 'isSubaccount'>;

/** The incarnations in which live calls live that the account may see. */
export function createCallHomes(database: Pick<Database, 'read'>, later: Pick<LaterCalls, 'homeOf'>) {
  const tables = tablesOf(database.read);
  const liveOf = (viewer: Viewer) =>
    tables
      .selectFrom('calls')
      .select('incarnation')
      .where(viewOf(viewer), '=', viewer.authId)
      .where('ended_at', 'is', null);

  async function homeOf(
    viewer: Viewer,
    column: 'call_uuid' | 'request_uuid',
    uuid: string,
  ): Promise<number | undefined> {
    const row = await liveOf(viewer).where(column, '=', uuid.toLowerCase()).executeTakeFirst();
    return row === undefined ? undefined : Number(row.incarnation);
  }

  const homes: readonly ResourceHome[] = [
    {
      operations: 'Call/:call_uuid/',
      of: (viewer, { params: { call_uuid = '' } }) => homeOf(viewer, 'call_uuid', call_uuid),
    },
    {
      // The calls of a request live where it was carried out.
      operations: 'Request/:request_uuid/',
      of: async (viewer, { params: { request_uuid = '' } }) =>
        (await homeOf(viewer, 'request_uuid', request_uuid)) ??
        later.homeOf(viewer, request_uuid.toLowerCase()),
    },
    {
      operations: 'POST Call/',
      async of(viewer, { body }) {
        const { parent_call_uuid: parent } = body as { readonly parent_call_uuid?: string };
        return parent === undefined ? undefined : homeOf(viewer, 'call_uuid', parent);
      },
    },
    {
      operations: 'DELETE Call/',
      async of(viewer) {
        const rows = await liveOf(viewer).distinct().execute();
        return rows.map(({ incarnation }) => Number(incarnation));
      },
    },
  ];
  return { homes, homeOf: (viewer: Viewer, call: string) => homeOf(viewer, 'call_uuid', call) };
}
