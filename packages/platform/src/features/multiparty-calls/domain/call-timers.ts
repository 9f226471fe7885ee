import type { Instant } from '@jackfield/ports';
import type { MultipartyCall, MultipartyCallEffect } from './multiparty-call.ts';

/** Time for a phone to press the requested key. */
export const confirmationSeconds = 20;

export const maxDurationTimer = 'max-duration';
const waitTimer = 'wait-for-agent';

const delayPrefix = 'delay:';
const confirmPrefix = 'confirm:';

/** Which of a call's timers has fired. */
export function readTimer(
  key: string,
):
  | { readonly kind: 'max-duration' | 'wait-for-agent' }
  | { readonly kind: 'delay' | 'confirmation'; readonly leg: string } {
  if (key.startsWith(delayPrefix)) return { kind: 'delay', leg: key.slice(delayPrefix.length) };
  if (key.startsWith(confirmPrefix)) return { kind: 'confirmation', leg: key.slice(confirmPrefix.length) };
  return { kind: key === waitTimer ? waitTimer : maxDurationTimer };
}

/** Timers follow from the state: a step starts new timers and cancels those that the state no longer has. `before` is null for a new call. */
export function timerChanges(
  before: MultipartyCall | null,
  after: MultipartyCall,
  now: Instant,
): readonly MultipartyCallEffect[] {
  const had = before === null ? new Map<string, Instant>() : timersOf(before, now);
  const has = timersOf(after, now);
  return [
    ...[...had.keys()].filter((key) => !has.has(key)).map((key) => ({ do: 'cancel-timer', key }) as const),
    ...[...has]
      .filter(([key]) => !had.has(key))
      .map(([key, at]) => ({ do: 'start-timer', key, at }) as const),
  ];
}

function timersOf(call: MultipartyCall, now: Instant): ReadonlyMap<string, Instant> {
  const timers = new Map<string, Instant>();
  if (call.status === 'ended') return timers;
  if (call.status === 'initialized' && call.waitsForAgent && call.waitSeconds !== null) {
    timers.set(waitTimer, call.createdAt + call.waitSeconds * 1000);
  }
  for (const { leg, phase, addedAt, delaySeconds } of call.participants) {
    if (phase === 'delayed') timers.set(delayPrefix + leg, addedAt + delaySeconds * 1000);
    // Only used when the phase begins.
    if (phase === 'confirming') timers.set(confirmPrefix + leg, now + confirmationSeconds * 1000);
  }
  return timers;
}
