import type { Clock, Instant } from '@jackfield/ports';
import { type AppendAloneDeps, createAppendAlone } from './append-alone.ts';
import type { OutboxEvent } from './kernel-effects.ts';

export interface RareEventsDeps extends AppendAloneDeps {
  readonly clock: Pick<Clock, 'now'>;
  /** Events of one kind in `everyMs`, 1. */
  readonly most?: number;
  /** 60,000. */
  readonly everyMs?: number;
  /** Kinds that are remembered at once, 10,000. */
  readonly remembered?: number;
}

/**
 * Reports something that may happen thousands of times a second. `eventOf` receives how often it happened since the last event of its
 * kind, this time included; where it returns undefined, nothing is reported and the count goes on.
 */
export type ReportRarely = (kind: string, eventOf: (times: number) => OutboxEvent | undefined) => void;

/** The first event of a kind is reported at once. Beyond `most` a minute events are counted, and the next event carries the count. */
export function createRareEvents(deps: RareEventsDeps): ReportRarely {
  const { clock, most = 1, everyMs = 60_000, remembered = 10_000 } = deps;
  const appendAlone = createAppendAlone(deps);
  const windows = new Map<string, { readonly since: Instant; reported: number; times: number }>();

  return (kind, eventOf) => {
    const now = clock.now();
    let window = windows.get(kind);
    if (window === undefined || now >= window.since + everyMs) {
      windows.delete(kind);
      // The oldest kind is forgotten: its next event comes a little early and its count is lost.
      if (windows.size >= remembered) windows.delete(windows.keys().next().value!);
      window = { since: now, reported: 0, times: window?.times ?? 0 };
      windows.set(kind, window);
    }
    window.times += 1;
    if (window.reported >= most) return;
    const event = eventOf(window.times);
    if (event === undefined) return;
    window.reported += 1;
    window.times = 0;
    appendAlone(event);
  };
}
