import type { Clock, Logger } from '@jackfield/ports';
import type { ActiveTraces } from './active-traces.ts';
import type { TraceStore } from './trace-store.ts';

export interface TraceWatchDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly traces: Pick<TraceStore, 'active'>;
  readonly active: ActiveTraces;
  /** Other processes begin and end traces in the same database. */
  readonly isShared: boolean;
}

/** An endpoint is registered at any node: each has to know of a trace soon. */
const lookEveryMs = 5_000;
const mostRead = 500;

/** Reads at a start which traces are on; between several processes again and again. */
export function createTraceWatch({ clock, log, traces, active, isShared }: TraceWatchDeps) {
  let cancel: (() => void) | undefined;
  let isClosed = false;

  async function read(): Promise<void> {
    active.replace(await traces.active(clock.wallNow(), mostRead));
  }

  function look(): void {
    if (isClosed) return;
    cancel = clock.startTimer(clock.now() + lookEveryMs, () => {
      read()
        .catch((err: unknown) => log.warn({ err }, 'SIP traces could not be read'))
        .finally(look);
    });
  }

  return {
    async restore(): Promise<void> {
      await read();
      if (isShared) look();
    },
    close(): void {
      isClosed = true;
      cancel?.();
    },
  };
}
