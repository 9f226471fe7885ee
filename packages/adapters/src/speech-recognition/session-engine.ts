import type {
  RecognitionProblem,
  SpeechEngine,
  SpeechReport,
  SpeechRequestOptions,
  SpeechSession,
} from '@jackfield/ports';
import { closedProblem } from './recognition-error.ts';

/** A session that its engine can end. */
export interface EngineSession extends SpeechSession {
  end(problem: RecognitionProblem | null): void;
}

export interface EngineSessionDeps {
  readonly request: SpeechRequestOptions;
  readonly report: SpeechReport;
  /** Called by a session when it ends. */
  readonly leave: (session: EngineSession) => void;
}

/** An engine that ends its open sessions when it is closed. */
export function createSessionEngine(open: (deps: EngineSessionDeps) => EngineSession): SpeechEngine {
  const sessions = new Set<EngineSession>();
  return {
    open(request, report) {
      const session = open({ request, report, leave: (each) => sessions.delete(each) });
      sessions.add(session);
      return session;
    },
    close() {
      for (const session of sessions) session.end(closedProblem);
    },
  };
}
