import type { Clock } from '@jackfield/ports';
import type { SessionRunner } from './session-runner.ts';

const lookEveryMs = 50;

/**
 * Resolves when none of these sessions is alive, or when the runner has nothing more to do: while other sessions are busy it may never be
 * idle, and at a start nothing else runs.
 */
export async function whenOver(
  { runner, clock }: { readonly runner: Pick<SessionRunner, 'idle'>; readonly clock: Clock },
  sessions: { peek(id: string): unknown },
  ids: readonly string[],
): Promise<void> {
  let cancel = () => {};
  const over = new Promise<void>((resolve) => {
    const look = () => {
      if (ids.every((id) => sessions.peek(id) === undefined)) resolve();
      else cancel = clock.startTimer(clock.now() + lookEveryMs, look);
    };
    look();
  });
  await Promise.race([over, runner.idle()]);
  cancel();
}
