import { LiveSessions, type RunnerState } from './live-sessions.ts';
import { createRunQueue } from './run-queue.ts';
import type { SessionKind, SessionRunner, SessionRunnerDeps, Sessions } from './session-runner.ts';

type OfKind = Pick<LiveSessions<unknown, unknown, { readonly do: string }>, 'counts' | 'cancelTimers'>;

/** The only driver of machines: `LiveSessions` of each kind, which take turns in one queue. */
export function createSessionRunner(deps: SessionRunnerDeps): SessionRunner {
  const kinds = new Map<string, OfKind>();
  let idlers: (() => void)[] = [];
  let saving = 0;
  let isClosed = false;
  const line = createRunQueue(whenQuiet);
  const runner: RunnerState = {
    ...deps,
    line,
    isClosed: () => isClosed,
    savingChanged(change) {
      saving += change;
    },
  };

  function whenQuiet(): void {
    if (saving > 0 || !line.isEmpty) return;
    const waiting = idlers;
    idlers = [];
    for (const resolve of waiting) resolve();
  }

  function idle(): Promise<void> {
    if (saving === 0 && line.isEmpty) return Promise.resolve();
    return new Promise((resolve) => idlers.push(resolve));
  }

  return {
    incarnation: deps.incarnation ?? 0,
    define<State, Input, Effect extends { readonly do: string }>(
      kind: SessionKind<State, Input, Effect>,
    ): Sessions<State, Input> {
      if (kinds.has(kind.name)) throw new Error(`the kind of session '${kind.name}' is defined already`);
      const sessions = new LiveSessions(runner, kind);
      kinds.set(kind.name, sessions);
      return sessions;
    },
    census: () => Object.fromEntries([...kinds].map(([name, { counts }]) => [name, { ...counts }])),
    alive: (kind) => kinds.get(kind)?.counts.sessions ?? 0,
    idle,
    close() {
      isClosed = true;
      for (const kind of kinds.values()) kind.cancelTimers();
      return idle();
    },
  };
}
