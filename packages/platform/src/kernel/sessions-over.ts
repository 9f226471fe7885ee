import type { SessionRunner, Sessions } from './session-runner.ts';

/**
 * Resolves when none of these sessions is alive, or when the runner has nothing more to do: while other sessions are busy it may never be
 * idle, and at a start nothing else runs.
 */
export async function whenOver(
  runner: Pick<SessionRunner, 'idle'>,
  sessions: Pick<Sessions<never, never>, 'whenOver'>,
  ids: readonly string[],
): Promise<void> {
  await Promise.race([Promise.all(ids.map((id) => sessions.whenOver(id))), runner.idle()]);
}
