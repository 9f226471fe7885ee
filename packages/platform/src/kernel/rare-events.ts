import { type AppendAloneDeps, createAppendAlone } from './append-alone.ts';
import type { OutboxEvent } from './kernel-effects.ts';
import { createRareCounts, type RareCountsOptions } from './rare-counts.ts';

export interface RareEventsDeps extends AppendAloneDeps, RareCountsOptions {}

/**
 * Reports something that may happen thousands of times a second. `eventOf` receives how often it happened since the last event of its
 * kind, this time included; where it returns undefined, nothing is reported and the count goes on.
 */
export type ReportRarely = (kind: string, eventOf: (times: number) => OutboxEvent | undefined) => void;

/** The first event of a kind is reported at once. Beyond `most` a minute events are counted, and the next event carries the count. */
export function createRareEvents(deps: RareEventsDeps): ReportRarely {
  const appendAlone = createAppendAlone(deps);
  const count = createRareCounts(deps);

  return (kind, eventOf) => {
    const due = count(kind);
    const event = due && eventOf(due.times);
    if (event === undefined) return;
    due?.made();
    appendAlone(event);
  };
}
