import type { Clock } from '@jackfield/ports';
import type { Sessions } from '../../../kernel/session-runner.ts';
import type { CallLeg, CallLegInput } from '../domain/call-leg.ts';
import type { Calls, OwnedLegNotice } from '../public-api.ts';

export interface PendingAnswersDeps {
  readonly clock: Clock;
  readonly legs: Pick<Sessions<CallLeg, CallLegInput>, 'peek' | 'whenHandled'>;
  readonly partnerOf: Calls['partnerOf'];
  readonly observe: (observer: (notice: OwnedLegNotice) => void) => void;
  readonly whenOver: Calls['whenOver'];
}

/** Answers that phones know of, and that are not recorded yet. */
export interface PendingAnswers {
  /**
   * Resolves when the answers of these legs, and those of their callers, are recorded. Undefined where none is pending: the request of the
   * phone is decided at once.
   */
  recorded(legs: readonly string[]): Promise<void> | undefined;
}

/** A caller is answered as soon as the answer of its callee is recorded; a phone waits for 32 s at most (RFC 3261 §17.1.2.2). */
const callerAnsweredMs = 2_000;

export function createPendingAnswers(deps: PendingAnswersDeps): PendingAnswers {
  const { clock, legs, partnerOf } = deps;
  const waiting = new Map<string, (() => void)[]>();

  const phaseOf = (leg: string) => legs.peek(leg)?.phase;
  const isAnswered = (leg: string) => phaseOf(leg) === 'answered';

  /** The caller of an answered leg, while it is not answered itself. */
  function unansweredCaller(leg: string): string | undefined {
    const partner = legs.peek(leg)?.direction === 'outbound' ? partnerOf(leg) : undefined;
    const isPending = partner !== undefined && legs.peek(partner)?.direction === 'inbound';
    return isPending && !isAnswered(partner) ? partner : undefined;
  }

  function isPending(leg: string): boolean {
    return phaseOf(leg) !== undefined && (!isAnswered(leg) || unansweredCaller(leg) !== undefined);
  }

  function settled(leg: string): void {
    const resolves = waiting.get(leg) ?? [];
    waiting.delete(leg);
    for (const resolve of resolves) resolve();
  }

  async function answered(leg: string): Promise<void> {
    const answer = new Promise<void>((resolve) => {
      waiting.set(leg, [...(waiting.get(leg) ?? []), resolve]);
    });
    const cancel = clock.startTimer(clock.now() + callerAnsweredMs, () => settled(leg));
    await answer;
    cancel();
  }

  async function recordedOf(leg: string): Promise<void> {
    await legs.whenHandled(leg);
    const caller = unansweredCaller(leg);
    if (caller === undefined) return;
    await answered(caller);
    // Its owner has been notified as well.
    await legs.whenHandled(caller);
  }

  deps.observe(({ type, leg }) => type === 'leg-answered' && settled(leg));
  deps.whenOver(settled);

  return {
    recorded: (each) =>
      each.some(isPending) ? Promise.all(each.map(recordedOf)).then(() => undefined) : undefined,
  };
}
