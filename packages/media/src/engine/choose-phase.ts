/** A frame that seems to have waited nearly a whole interval may instead have arrived at the last moment. */
const UNSURE_MS = 3;

/**
 * When a leg's audio is ready: at `readyMs`, and every `everyMs` before and after it. A turn less than `edgeMs` later
 * misses some packets, and the jitter buffer then holds an extra frame for seconds. Such a turn counts as a wait of a
 * whole interval. For the present turn `stayEdgeMs` applies instead; where it is negative, a turn this much before
 * `readyMs` still waits for nothing. Lateness varies between checks, and each move delays what listeners hear.
 */
export interface Readiness {
  readonly readyMs: number;
  readonly everyMs: number;
  readonly edgeMs: number;
  readonly stayEdgeMs: number;
}

/** The possible turns: the k-th phase is at `timeMs + k · stepMs`. */
export interface PhaseGrid {
  readonly phases: number;
  readonly stepMs: number;
  readonly timeMs: number;
  /** Work of each phase, in ms, with these legs in it. */
  readonly workMs: (phase: number) => number;
}

/** The share of a step that work may fill; the rest is for other processes of the machine. */
const FULL_PART = 0.75;
/** Cost factor of work beyond that share: it delays the legs of the next steps. */
const OVERFLOW_COST = 6;

/** The chosen phase, and the waiting that it saves, in ms. */
export interface PhaseChoice {
  readonly phase: number;
  readonly gainMs: number;
  /** No leg needs the time between the new turn and the old one, so the next frame may come earlier. */
  readonly mayComeEarlier: boolean;
}

/**
 * Picks the phase with the least waiting: the longest wait, which listeners of the slowest talker notice, plus the mean
 * wait, plus the load of the phase.
 */
export function choosePhase(legs: readonly Readiness[], present: number, grid: PhaseGrid): PhaseChoice {
  let phase = present;
  const presentCost = costOf(legs, present, grid, 'stayEdgeMs');
  let least = presentCost;
  for (let candidate = 0; candidate < grid.phases; candidate++) {
    if (candidate === present) continue;
    const cost = costOf(legs, candidate, grid, 'edgeMs');
    if (cost < least) {
      least = cost;
      phase = candidate;
    }
  }
  const earlierMs = ((present - phase + grid.phases) % grid.phases) * grid.stepMs;
  const mayComeEarlier = legs.every((leg) => {
    const wait = waitMs(leg, present, grid, leg.edgeMs);
    return wait >= earlierMs && wait < leg.everyMs - UNSURE_MS;
  });
  return { phase, gainMs: presentCost - least, mayComeEarlier };
}

function costOf(
  legs: readonly Readiness[],
  phase: number,
  grid: PhaseGrid,
  edge: 'edgeMs' | 'stayEdgeMs',
): number {
  let longest = 0;
  let total = 0;
  for (const leg of legs) {
    const wait = waitMs(leg, phase, grid, leg[edge]);
    if (wait > longest) longest = wait;
    total += wait;
  }
  // The frames of a step leave one after another: each waits half of the work on average. Both terms grow by that half.
  const workMs = grid.workMs(phase);
  return (
    longest + total / legs.length + workMs + OVERFLOW_COST * Math.max(0, workMs - FULL_PART * grid.stepMs)
  );
}

function waitMs(
  { readyMs, everyMs }: Readiness,
  phase: number,
  { timeMs, stepMs }: PhaseGrid,
  edgeMs: number,
): number {
  const beyond = (timeMs + phase * stepMs - readyMs - edgeMs) % everyMs;
  return Math.max(0, (beyond < 0 ? beyond + everyMs : beyond) + edgeMs);
}
