import type { Clock, Instant } from '@jackfield/ports';

export interface RareCountsOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Reports of one kind in `everyMs`, 1. */
  readonly most?: number;
  /** 60,000. */
  readonly everyMs?: number;
  /** Kinds that are remembered at once, 10,000. */
  readonly remembered?: number;
}

/** A kind of which the next report may be made. */
export interface DueReport {
  /** How often it has happened since its last report, this time included. */
  readonly times: number;
  /** Called when the report is made: the count begins anew. Without this call it goes on. */
  made(): void;
}

/** Counts one more of a kind; undefined while its reports of this window are used up. */
export type CountRarely = (kind: string) => DueReport | undefined;

/** Limits reports of what may happen thousands of times a second. The first of a kind is due at once. */
export function createRareCounts(options: RareCountsOptions): CountRarely {
  const { clock, most = 1, everyMs = 60_000, remembered = 10_000 } = options;
  const windows = new Map<string, { readonly since: Instant; reported: number; times: number }>();

  return (kind) => {
    const now = clock.now();
    let window = windows.get(kind);
    if (window === undefined || now >= window.since + everyMs) {
      windows.delete(kind);
      // The oldest kind is forgotten: its next report comes a little early and its count is lost.
      if (windows.size >= remembered) windows.delete(windows.keys().next().value!);
      window = { since: now, reported: 0, times: window?.times ?? 0 };
      windows.set(kind, window);
    }
    const counted = window;
    counted.times += 1;
    if (counted.reported >= most) return undefined;
    return {
      times: counted.times,
      made() {
        counted.reported += 1;
        counted.times = 0;
      },
    };
  };
}
