/** A histogram of durations up to 200 ms in steps of 0.1 ms; recording allocates nothing. */
export interface Lateness {
  record(ms: number): void;
  /** p50 and p99 in ms, rounded up to a step; zeros without recordings. */
  summary(): LatenessSummary;
  reset(): void;
}

/** Quantiles in milliseconds of `count` recordings. */
export interface LatenessSummary {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly sumMs: number;
  /** For each of some bounds, the number of recordings up to it. */
  readonly upTo: readonly { readonly ms: number; readonly count: number }[];
}

// Centred on the frame of 20 ms: a later tick is audible.
const BOUNDS_MS = [0.5, 1, 2, 5, 10, 15, 20, 40, 100, 200];

const STEPS_PER_MS = 10;
const STEPS = 200 * STEPS_PER_MS;

/** Creates an empty histogram. */
export function createLateness(): Lateness {
  const counts = new Uint32Array(STEPS + 1);
  let count = 0;
  let maxMs = 0;
  let sumMs = 0;
  const upTo = () => {
    let [step, seen] = [0, 0];
    return BOUNDS_MS.map((ms) => {
      for (; step < ms * STEPS_PER_MS; step++) seen += counts[step]!;
      return { ms, count: seen };
    });
  };
  const quantile = (part: number): number => {
    const rank = Math.ceil(part * count);
    let seen = 0;
    for (let step = 0; step <= STEPS; step++) {
      seen += counts[step]!;
      if (seen >= rank && seen > 0)
        return step === STEPS ? maxMs : Math.min(maxMs, (step + 1) / STEPS_PER_MS);
    }
    return 0;
  };
  return {
    record(ms) {
      const late = ms > 0 ? ms : 0;
      counts[Math.min(STEPS, Math.floor(late * STEPS_PER_MS))]!++;
      count++;
      sumMs += late;
      if (late > maxMs) maxMs = late;
    },
    summary: () => ({ count, p50Ms: quantile(0.5), p99Ms: quantile(0.99), maxMs, sumMs, upTo: upTo() }),
    reset() {
      counts.fill(0);
      count = 0;
      maxMs = 0;
      sumMs = 0;
    },
  };
}
