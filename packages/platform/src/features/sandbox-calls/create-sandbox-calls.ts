import type { Database, ExpectedCall, Logger, Migration, Recorder, RecordingFiles } from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import type { EndedIncarnation } from '../../kernel/incarnation.ts';
import type { SessionRunner } from '../../kernel/session-runner.ts';
import { sandboxCallRecordings } from './migrations/0001-sandbox-call-recordings.ts';
import { sandboxCallIncarnation } from './migrations/0002-incarnation.ts';
import { createHeardRecordings } from './placing/heard-recordings.ts';
import { PhoneCalls, type PhoneCallsDeps } from './placing/phone-calls.ts';
import { sandboxCallRoutes } from './routes.ts';
import { createSandboxCallStore } from './store.ts';

export interface SandboxCallsDeps extends Omit<PhoneCallsDeps, 'recordings'> {
  readonly database: Database;
  readonly log: Logger;
  readonly recorder: Recorder;
  readonly recordingFiles: RecordingFiles;
  readonly publicUrl: string;
  readonly runner?: Pick<SessionRunner, 'incarnation'>;
}

/** In their order; a platform without a sandbox has them too. */
export const sandboxCallsMigrations: readonly Migration[] = [sandboxCallRecordings, sandboxCallIncarnation];

export interface SandboxCallsFeature extends Feature {
  readonly migrations: readonly Migration[];
  readonly routes: readonly RouteGroup[];
  readonly resources: AccountResources;
  /** The call that was ordered from the phone with this leg; undefined at the second request. */
  expected(phoneLeg: string): ExpectedCall | undefined;
  census(): { readonly calls: number; readonly endings: number };
  endIncarnation(ended: Pick<EndedIncarnation, 'number'>): Promise<void>;
  /** Ends the calls and removes the recordings. */
  close(): Promise<void>;
}

/** Calls that phones of the sandbox make: ordered over the API, real from their INVITE on. */
export function createSandboxCalls(deps: SandboxCallsDeps): SandboxCallsFeature {
  const { network } = deps;
  const store = createSandboxCallStore(deps.database, deps.runner?.incarnation);
  const recordings = createHeardRecordings({ ...deps, store });
  const calls = new PhoneCalls({ ...deps, recordings });
  network.listen((notice) => calls.noticed(notice));

  return {
    name: 'sandbox-calls',
    migrations: sandboxCallsMigrations,
    routes: [
      sandboxCallRoutes({
        ...deps,
        start: (viewer, order) => calls.start(viewer, order),
        seenBy: (viewer) => calls.seenBy(viewer),
        hangUp: network.hangUp,
      }),
    ],
    resources: {
      remove: async (_write, account) => calls.drop(account),
      passOn: async (_write, account, main) => calls.passOn(account, main),
    },
    expected: (phoneLeg) => calls.expected(phoneLeg),
    census: () => calls.census(),
    endIncarnation: ({ number }) => recordings.removeOf(number),
    close: () => calls.close(),
  };
}
