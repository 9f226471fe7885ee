import type { Clock, Instant } from '@jackfield/ports';
import { createGenerations } from './generations.ts';

/** Two clocks drift apart by some milliseconds in this time. */
const periodMs = 60_000;

/**
 * Gives by how much a message was under way for longer than the fastest message of its sender in the last one to two minutes. The
 * clocks of two machines are never compared: their difference is part of both times. The first message of a sender counts as fast.
 */
export function createMessageDelays(clock: Pick<Clock, 'now'>): (from: string, sentAt: Instant) => number {
  const differences = createGenerations<number>(clock, periodMs);

  return (from, sentAt) => {
    const { recent, older } = differences();
    const difference = clock.now() - sentAt;
    const least = Math.min(difference, recent.get(from) ?? difference);
    recent.set(from, least);
    return difference - Math.min(least, older.get(from) ?? least);
  };
}
