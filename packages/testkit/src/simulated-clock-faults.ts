import type { VirtualClock } from './virtual-clock.ts';

/** How the clock of one machine differs from that of the world. */
export interface SimulatedClockFaults {
  /** Of its wall clock. */
  readonly skewMs?: number;
  /** Parts per million by which its clock runs faster. */
  readonly driftPpm?: number;
}

/**
 * Milliseconds since 1970 have 2.4e-4 ms between two doubles. A timer that such an error lets fire early is started again for ever: on the
 * virtual clock no time passes between.
 */
const lateMs = 0.01;

/** The clock of a machine; its timers fire at its own time. */
export function withClockFaults(
  clock: VirtualClock,
  { skewMs = 0, driftPpm = 0 }: SimulatedClockFaults = {},
): VirtualClock {
  if (skewMs === 0 && driftPpm === 0) return clock;
  const startedAt = clock.now();
  const rate = 1 + driftPpm / 1_000_000;
  const drifted = (instant: number) => startedAt + (instant - startedAt) * rate;
  return {
    ...clock,
    now: () => drifted(clock.now()),
    wallNow: () => clock.wallNow() + drifted(clock.now()) - clock.now() + skewMs,
    startTimer: (at, fire) => clock.startTimer(startedAt + (at - startedAt) / rate + lateMs, fire),
  };
}
