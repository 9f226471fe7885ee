import type { RouteGroup } from '../../http/index.ts';
import { createKeyedQueue } from '../../kernel/keyed-queue.ts';
import { type ApplicationOf, createCommands } from './commands.ts';
import type { RunLimits } from './domain/document-run.ts';
import { callInstructionRoutes } from './routes.ts';
import { defineSessions, type SessionDeps } from './session.ts';
import { createTransfer } from './transfer.ts';

export interface CallInstructionsDeps extends SessionDeps {
  readonly applicationOf: ApplicationOf;
  /** True while the process shuts down: calls are not made any more. Never, when left out. */
  readonly isDraining?: () => boolean;
  readonly limits?: Partial<RunLimits>;
}

export interface CallInstructionsFeature {
  readonly routes: RouteGroup;
}

/** Answer documents that run on calls: those that come for an application, and those that are made. */
export function createCallInstructions(deps: CallInstructionsDeps): CallInstructionsFeature {
  const { isDraining = () => false, limits = {} } = deps;
  const sessions = defineSessions(deps);
  const commands = createCommands({ ...deps, sessions, isDraining, limits });
  const transfer = createTransfer({ ...deps, sessions, limits, queue: createKeyedQueue() });
  deps.calls.offeredTo(commands.take);
  return { routes: callInstructionRoutes(commands, transfer) };
}
