import type { OperatedGateway } from '@jackfield/contract/console';
import type { ExpectedCall, Sms } from '@jackfield/ports';
import type { Feature } from './feature.ts';
import {
  createSandboxCalls,
  type SandboxCallsDeps,
  type SandboxNetwork,
  sandboxCallsMigrations,
} from './features/sandbox-calls/index.ts';
import {
  type CurrentFaults,
  createSandboxFaults,
  type FaultyNetwork,
} from './features/sandbox-faults/index.ts';
import { createSandboxMessages, type SandboxMessagesDeps } from './features/sandbox-messages/index.ts';

export interface SandboxDeps
  extends Omit<SandboxCallsDeps, 'network' | 'limits'>,
    Omit<SandboxMessagesDeps, 'lateMs'> {
  readonly sms?: unknown;
  readonly sandboxNetwork?: SandboxNetwork & FaultyNetwork;
  readonly sandboxFaults: CurrentFaults;
}

/** The parts of the platform that only the sandbox has. */
export interface Sandbox {
  /** The inbox of the sandbox, if messages go there. */
  readonly sms: Sms | undefined;
  /** That inbox, for the operator. */
  readonly gateways: (() => readonly OperatedGateway[]) | undefined;
  readonly expectedCall: (phoneLeg: string) => ExpectedCall | undefined;
  /** Outside of the sandbox only their migrations: the database may have been a sandbox before. */
  readonly features: readonly Feature[];
}

export function createSandbox(deps: SandboxDeps): Sandbox {
  const messages = createSandboxMessages({ ...deps, lateMs: deps.sandboxFaults.lateMs });
  const isInbox = deps.sms === 'sandbox-inbox';
  const network = deps.sandboxNetwork;
  const faults = network && createSandboxFaults({ ...deps, network, faults: deps.sandboxFaults });
  const calls = network && createSandboxCalls({ ...deps, network });
  return {
    sms: isInbox ? messages.sms : undefined,
    gateways: isInbox ? messages.states : undefined,
    expectedCall: (phoneLeg) => calls?.expected(phoneLeg),
    features: [
      isInbox ? messages : { name: messages.name, migrations: messages.migrations },
      calls ?? { name: 'sandbox-calls', migrations: sandboxCallsMigrations },
      ...(faults === undefined ? [] : [faults]),
    ],
  };
}
