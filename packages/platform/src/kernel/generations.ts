import type { Clock } from '@jackfield/ports';

export interface Generations<Value> {
  readonly recent: Map<string, Value>;
  readonly older: ReadonlyMap<string, Value>;
}

/**
 * Gives two maps: an entry of `recent` is in `older` after at most a period, and forgotten after the next one. So many entries are
 * kept for at least a period and at most two, without a timer for each.
 */
export function createGenerations<Value>(
  clock: Pick<Clock, 'now'>,
  periodMs: number,
): () => Generations<Value> {
  let present: Generations<Value> = { recent: new Map(), older: new Map() };
  let nextAt = clock.now() + periodMs;

  return () => {
    const now = clock.now();
    if (now >= nextAt) {
      const isNext = now < nextAt + periodMs;
      present = { recent: new Map(), older: isNext ? present.recent : new Map() };
      nextAt = (isNext ? nextAt : now) + periodMs;
    }
    return present;
  };
}
