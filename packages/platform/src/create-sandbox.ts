import type { ExpectedCall, Migration, Sms } from '@jackfield/ports';
import type { AccountResources } from './features/accounts/index.ts';
import {
  createSandboxCalls,
  type SandboxCallsDeps,
  type SandboxNetwork,
  sandboxCallsMigrations,
} from './features/sandbox-calls/index.ts';
import { createSandboxMessages, type SandboxMessagesDeps } from './features/sandbox-messages/index.ts';
import type { RouteGroup } from './http/index.ts';

export interface SandboxFeaturesDeps
  extends Omit<SandboxCallsDeps, 'network' | 'limits'>,
    SandboxMessagesDeps {
  readonly sms?: unknown;
  readonly sandboxNetwork?: SandboxNetwork;
}

/** What the platform has in the sandbox alone; empty outside of it. */
export interface SandboxFeatures {
  /** The inbox, where messages go there. */
  readonly sms: Sms | undefined;
  readonly expectedCall: (phoneLeg: string) => ExpectedCall | undefined;
  readonly migrations: readonly Migration[];
  readonly resources: readonly AccountResources[];
  readonly routes: readonly RouteGroup[];
  restore(): Promise<void>;
  close(): Promise<void>;
}

export function createSandboxFeatures(deps: SandboxFeaturesDeps): SandboxFeatures {
  const messages = createSandboxMessages(deps);
  const inbox = deps.sms === 'sandbox-inbox' ? messages : undefined;
  const network = deps.sandboxNetwork;
  const calls = network && createSandboxCalls({ ...deps, network });
  const present = [inbox, calls].filter((each) => each !== undefined);
  return {
    sms: inbox?.sms,
    expectedCall: (phoneLeg) => calls?.expected(phoneLeg),
    // Without a sandbox too: its database may have had one before.
    migrations: [...messages.migrations, ...sandboxCallsMigrations],
    resources: present.map(({ resources }) => resources),
    routes: present.map(({ routes }) => routes),
    async restore() {
      for (const each of present) await each.restore();
    },
    async close() {
      for (const each of present) await each.close();
    },
  };
}
