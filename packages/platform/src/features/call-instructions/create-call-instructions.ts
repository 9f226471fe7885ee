import type { Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import { createKeyedQueue } from '../../kernel/keyed-queue.ts';
import { type ApplicationOf, createCommands } from './commands.ts';
import type { RunLimits } from './domain/document-run.ts';
import { callInstructionRoutes } from './routes.ts';
import { reportOrphan } from './runs/report-orphan.ts';
import { createRunOnLeg, type RunOrder } from './runs/run-on-leg.ts';
import { createTransfer } from './runs/transfer.ts';
import { defineSessions, type SessionDeps } from './sessions.ts';

export interface CallInstructionsDeps extends SessionDeps {
  readonly applicationOf: ApplicationOf;
  /** Multiparty calls let a participant go with a document of its exit action; this feature runs it. */
  readonly exitDocuments: { runBy(run: (order: RunOrder) => Promise<boolean>): void };
  /** True while the process shuts down: no call is made any more. False when left out. */
  readonly isDraining?: () => boolean;
  readonly limits?: Partial<RunLimits>;
}

export interface CallInstructionsFeature extends Feature {
  readonly routes: readonly RouteGroup[];
}

/** Answer documents on calls: incoming calls for an application, and outgoing calls. */
export function createCallInstructions(deps: CallInstructionsDeps): CallInstructionsFeature {
  const { isDraining = () => false, limits = {} } = deps;
  const sessions = defineSessions(deps);
  const commands = createCommands({ ...deps, sessions, isDraining, limits });
  const runOnLeg = createRunOnLeg({ ...deps, sessions, limits });
  const transfer = createTransfer({ ...deps, sessions, runOnLeg, queue: createKeyedQueue() });
  deps.calls.offeredTo(commands.take);
  deps.calls.orphansReportedBy(reportOrphan);
  // False without an answered leg, or when its last run still completes recordings.
  deps.exitDocuments.runBy(async ({ leg, request, fields, endWithout }) => {
    const live = deps.calls.peek(leg);
    if (live?.phase !== 'answered') return false;
    const first = { request, reason: 'action', fallback: null, hangupOnRingSeconds: null } as const;
    return (await runOnLeg(live, { ...first, fields, endWithout })) === 'begun';
  });
  return { name: 'call-instructions', routes: [callInstructionRoutes(commands, transfer)] };
}
