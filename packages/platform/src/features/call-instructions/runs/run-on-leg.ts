import type { CallEnd } from '@jackfield/ports';
import type { LiveLeg } from '../../calls/index.ts';
import type { CommandDeps } from '../commands.ts';
import { type FirstDocument, newDocumentRun, runLimits } from '../domain/document-run.ts';
import type { ActionRequest } from '../domain/instruction.ts';
import { ownerKind } from '../effects.ts';

/** A document for a leg of another owner. */
export interface RunOrder {
  readonly leg: string;
  readonly request: ActionRequest;
  /** Fields of its request, besides the parameters of the call. */
  readonly fields: Readonly<Record<string, string>>;
  /** End of the leg when its document cannot be reached; a document with a fault ends it with the cause of the fault. */
  readonly endWithout: CallEnd;
}

/** `busy`: the last run of the leg still completes its recordings. */
export type RunOnLeg = (live: LiveLeg, first: FirstDocument) => Promise<'begun' | 'ended' | 'busy'>;

type RunOnLegDeps = Pick<CommandDeps, 'sessions' | 'calls' | 'newUuid' | 'limits'>;

/** Claims a live leg from its owner, and runs documents on it from then on. */
export function createRunOnLeg({ sessions, calls, newUuid, limits }: RunOnLegDeps): RunOnLeg {
  return async function runOnLeg(live, first) {
    const { leg, account, mainAccount, from, to, callerName, requestUuid } = live;
    if (sessions.peek(leg) !== undefined) return 'busy';
    const about = { leg, run: newUuid(), account, mainAccount, from, to, callerName, requestUuid };
    const medium = live.phase === 'answered' ? 'answered' : 'none';
    const run = newDocumentRun(about, first, medium, { ...runLimits, ...limits });
    // The session is open first, so that it gets every notice from the claim on.
    await sessions.open(leg, run, { type: 'opened' });
    const isOurs = await calls.take(leg, { kind: ownerKind, id: leg }).catch((error: unknown) => {
      sessions.send(leg, { type: 'abandoned' });
      throw error;
    });
    sessions.send(leg, { type: isOurs ? 'begin' : 'abandoned' });
    return isOurs ? 'begun' : 'ended';
  };
}
