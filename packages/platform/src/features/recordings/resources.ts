import type { Database } from '@jackfield/ports';
import type { AccountResources } from '../../feature.ts';
import type { Removal } from './files/removal.ts';
import type { RecordingSessions } from './sessions.ts';
import { findOver, liveOf, passOnRecordings, removeRecordings } from './store.ts';

/** A deleted subaccount loses its recordings, live ones included, or passes them to its main account. */
export function recordingResources(
  { read }: Pick<Database, 'read'>,
  sessions: RecordingSessions,
  removal: Removal,
): AccountResources {
  return {
    async endLive(account) {
      for (const recording of await liveOf(read, account)) {
        if (sessions.peek(recording) !== undefined) sessions.send(recording, { type: 'discard-asked' });
      }
    },
    async remove(write, account) {
      for (;;) {
        const ids = await findOver(write, { account }, 500);
        if (ids.length === 0) break;
        await removeRecordings(write, ids);
      }
      removal.sweepSoon();
    },
    passOn: passOnRecordings,
  };
}
