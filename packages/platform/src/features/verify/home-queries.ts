import type { NewVerifySession } from '@jackfield/contract';
import type { Database } from '@jackfield/ports';
import type { ResourceHome } from '../../http/index.ts';
import { viewOf } from '../accounts/index.ts';
import { readRecipient } from './delivery/recipient.ts';
import { reading } from './tables.ts';

/** The incarnations in which sessions live. */
export function createSessionHomes(database: Pick<Database, 'read'>): readonly ResourceHome[] {
  const tables = reading(database.read);

  return [
    {
      operations: 'Verify/Session/:session_uuid/',
      async of(viewer, { params: { session_uuid = '' } }) {
        const row = await tables
          .selectFrom('verify_sessions')
          .select('incarnation')
          .where(viewOf(viewer), '=', viewer.authId)
          .where('session_uuid', '=', session_uuid.toLowerCase())
          .where('closed_at', 'is', null)
          .executeTakeFirst();
        return row === undefined ? undefined : Number(row.incarnation);
      },
    },
    {
      // The code of the live session of a recipient is sent again.
      operations: 'POST Verify/Session/',
      async of({ authId: account }, { body }) {
        const { recipient, app_uuid: app = '' } = body as NewVerifySession;
        const number = readRecipient(recipient)?.number;
        if (number === undefined) return undefined;
        const defaultApp = tables
          .selectFrom('verify_apps')
          .select('app_uuid')
          .where('account', '=', account)
          .where('is_default', '=', 1);
        const row = await tables
          .selectFrom('verify_sessions')
          .select('incarnation')
          .where('account', '=', account)
          .where('app_uuid', '=', app === '' ? defaultApp : app.toLowerCase())
          .where('recipient', '=', number)
          .where('status', '=', 'in-progress')
          .executeTakeFirst();
        return row === undefined ? undefined : Number(row.incarnation);
      },
    },
  ];
}
