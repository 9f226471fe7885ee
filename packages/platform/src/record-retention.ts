import type { Clock, Logger } from '@jackfield/ports';
import { createRetention, type RetainedRecords, type Retention } from './kernel/retention.ts';

/** How long records are kept after the end of what they describe; for ever where left out, but for the first. */
export interface KeptRecords {
  /** The log of callbacks and the feed of events; their own features remove them. */
  readonly keepCallbacksMs?: number;
  /** These and their files are removed by the recordings feature itself. */
  readonly keepRecordingsMs?: number;
  readonly keepCallsMs?: number;
  readonly keepMultipartyCallsMs?: number;
  readonly keepVerifySessionsMs?: number;
}

type Removes = Pick<RetainedRecords, 'removeEnded'>;

/** Begins to remove what has been kept long enough. */
export function startRetention(
  deps: KeptRecords & { readonly clock: Clock; readonly log: Logger },
  of: { readonly calls: Removes; readonly multipartyCalls: Removes; readonly verify: Removes },
): Pick<Retention, 'close'> {
  const retention = createRetention(deps, [
    { name: 'calls', keepMs: deps.keepCallsMs, removeEnded: of.calls.removeEnded },
    {
      name: 'multiparty calls',
      keepMs: deps.keepMultipartyCallsMs,
      removeEnded: of.multipartyCalls.removeEnded,
    },
    { name: 'Verify sessions', keepMs: deps.keepVerifySessionsMs, removeEnded: of.verify.removeEnded },
  ]);
  retention.start();
  return retention;
}
