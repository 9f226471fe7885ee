import type { Clock, Logger } from '@jackfield/ports';

/** Runs one part of the start and logs its duration. A result that is a number counts what was restored. */
export type StartPhase = <Result>(phase: string, part: () => Promise<Result> | Result) => Promise<Result>;

/** A part that lasts longer is logged while it goes on. */
const slowMs = 5_000;

/** Shorter parts are logged at debug: a start has some twenty of them. */
const quickMs = 100;

export function createStartPhase({
  clock,
  log,
}: {
  readonly clock: Clock;
  readonly log: Logger;
}): StartPhase {
  return async (phase, part) => {
    const began = clock.now();
    const cancel = clock.startTimer(began + slowMs, () =>
      log.warn({ phase }, 'a phase of the start is slow'),
    );
    try {
      const result = await part();
      const count = typeof result === 'number' ? { count: result } : {};
      const ms = clock.now() - began;
      log[ms < quickMs ? 'debug' : 'info']({ phase, ...count, ms }, 'a phase of the start is over');
      return result;
    } finally {
      cancel();
    }
  };
}
