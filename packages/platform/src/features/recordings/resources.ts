import type { AccountResources } from '../../feature.ts';
import type { Removal } from './files/removal.ts';
import type { RecordingSessions } from './sessions.ts';
import { findOver, liveOf, passOnRecordings, removeRecordings } from './store.ts';

/** A deleted subaccount loses its recordings, live ones included, or passes them to its main account. */
export function recordingResources(sessions: RecordingSessions, removal: Removal): AccountResources {
  return {
    async remove(write, account) {
      for (const recording of await liveOf(write, account)) {
        sessions.send(recording, { type: 'discard-asked' });
      }
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
