/** A frame that seems to have waited for all but this may just as well have come at the last moment. */
const UNSURE_MS = 3;

/**
 * When a leg's audio can be counted on: at `readyMs`, and every `everyMs` before and after it. A turn less than `edgeMs` later
 * will be missed now and then, and the buffer keep a frame more for it for seconds: so that is what this wait counts as.
 */
export interface Readiness {
  readonly readyMs: number;
  readonly everyMs: number;
  readonly edgeMs: number;
}

/** A phase that suits some legs: `timeMs + k · stepMs` is a moment of the k-th phase. */
export interface PhaseGrid {
  readonly phases: number;
  readonly stepMs: number;
  readonly timeMs: number;
  /** By phase: what the work of a step takes, in ms, with these legs in it. */
  readonly workMs: (phase: number) => number;
}

/** A step is full before its work takes all of its time: what others do on the machine comes in between. */
const FULL_PART = 0.75;
/** What does not fit into a step makes the ones behind it late, for all who have their turns there. */
const OVERFLOW_COST = 6;

/** Which phase, and how much less waiting (in ms) it means than the present one. */
export interface PhaseChoice {
  readonly phase: number;
  readonly gainMs: number;
  /** No leg needs the time between the new turn and the old one, so that the next frame may simply come earlier. */
  readonly mayComeEarlier: boolean;
}

/**
 * Picks the phase in which the frames of all these legs have waited least: what counts is the longest wait, which is what
 * the slowest talker's listeners notice, plus the mean, plus what the crowd of a phase adds to both.
 */
export function choosePhase(legs: readonly Readiness[], present: number, grid: PhaseGrid): PhaseChoice {
  let phase = present;
  let least = costOf(legs, present, grid);
  const presentCost = least;
  for (let candidate = 0; candidate < grid.phases; candidate++) {
    const cost = costOf(legs, candidate, grid);
    if (cost < least) {
      least = cost;
      phase = candidate;
    }
  }
  const earlierMs = ((present - phase + grid.phases) % grid.phases) * grid.stepMs;
  const mayComeEarlier = legs.every((leg) => {
    const wait = waitMs(leg, present, grid);
    return wait >= earlierMs && wait < leg.everyMs - UNSURE_MS;
  });
  return { phase, gainMs: presentCost - least, mayComeEarlier };
}

function costOf(legs: readonly Readiness[], phase: number, grid: PhaseGrid): number {
  let longest = 0;
  let total = 0;
  for (const leg of legs) {
    const wait = waitMs(leg, phase, grid);
    if (wait > longest) longest = wait;
    total += wait;
  }
  // The frames of a step leave one after another: half of its work is what they wait for on average, and so does the longest wait.
  const workMs = grid.workMs(phase);
  return (
    longest + total / legs.length + workMs + OVERFLOW_COST * Math.max(0, workMs - FULL_PART * grid.stepMs)
  );
}

function waitMs(
  { readyMs, everyMs, edgeMs }: Readiness,
  phase: number,
  { timeMs, stepMs }: PhaseGrid,
): number {
  const wait = (timeMs + phase * stepMs - readyMs) % everyMs;
  const waited = wait < 0 ? wait + everyMs : wait;
  return waited < edgeMs ? waited + everyMs : waited;
}
