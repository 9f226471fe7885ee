import type { ExpectedCall, Sms } from '@jackfield/ports';
import type { Feature } from './feature.ts';
import {
  createSandboxCalls,
  type SandboxCallsDeps,
  type SandboxNetwork,
  sandboxCallsMigrations,
} from './features/sandbox-calls/index.ts';
import { createSandboxMessages, type SandboxMessagesDeps } from './features/sandbox-messages/index.ts';

export interface SandboxDeps extends Omit<SandboxCallsDeps, 'network' | 'limits'>, SandboxMessagesDeps {
  readonly sms?: unknown;
  readonly sandboxNetwork?: SandboxNetwork;
}

/** What the platform has in the sandbox alone. */
export interface Sandbox {
  /** The inbox, where messages go there. */
  readonly sms: Sms | undefined;
  readonly expectedCall: (phoneLeg: string) => ExpectedCall | undefined;
  /** Outside of the sandbox they have nothing but migrations: its database may have had one before. */
  readonly features: readonly Feature[];
}

export function createSandbox(deps: SandboxDeps): Sandbox {
  const messages = createSandboxMessages(deps);
  const isInbox = deps.sms === 'sandbox-inbox';
  const network = deps.sandboxNetwork;
  const calls = network && createSandboxCalls({ ...deps, network });
  return {
    sms: isInbox ? messages.sms : undefined,
    expectedCall: (phoneLeg) => calls?.expected(phoneLeg),
    features: [
      isInbox ? messages : { name: messages.name, migrations: messages.migrations },
      calls ?? { name: 'sandbox-calls', migrations: sandboxCallsMigrations },
    ],
  };
}
