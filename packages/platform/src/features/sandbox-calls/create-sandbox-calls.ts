import type {
  Clock,
  Database,
  ExpectedCall,
  Instant,
  Logger,
  Migration,
  Recorder,
  RecordingFiles,
  Secrets,
} from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RequestAccount, RouteGroup } from '../../http/index.ts';
import type { EndedIncarnation } from '../../kernel/incarnation.ts';
import { tooManyRequests } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { SessionRunner } from '../../kernel/session-runner.ts';
import type { CallingNotice, CallingPhones, PhoneOrder } from '../sandbox-phones/index.ts';
import { sandboxCallRecordings } from './migrations/0001-sandbox-call-recordings.ts';
import { sandboxCallIncarnation } from './migrations/0002-incarnation.ts';
import { type CalleeDeps, findCallee } from './placing/callees.ts';
import { createHeardRecordings } from './placing/heard-recordings.ts';
import { createKeptCalls, type KeptCallLimits } from './placing/kept-calls.ts';
import { conductOf, expectedCallOf, orderedCall } from './placing/ordered-call.ts';
import type { SandboxCall, SandboxCallOrder } from './placing/sandbox-call.ts';
import { sandboxCallRoutes } from './routes.ts';
import { createSandboxCallStore } from './store.ts';

export interface SandboxCallLimits extends KeptCallLimits {
  /** Concurrent calls of sandbox phones, in the whole process. */
  readonly live: number;
}

/** 256 MiB are about 4.5 hours of one channel at 8 kHz. */
const sandboxCallLimits: SandboxCallLimits = { live: 50, kept: 200, recordedBytes: 256 * 1024 ** 2 };

/** The phones of the sandbox; they know the address of the platform. */
export interface SandboxNetwork {
  call(order: Omit<PhoneOrder, 'uri'>): Promise<void>;
  hangUp: CallingPhones['hangUp'];
  /** The one listener to the notices of those calls. */
  listen(listener: (notice: CallingNotice) => void): void;
}

export interface SandboxCallsDeps extends CalleeDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: Pick<Secrets, 'randomUuid'>;
  readonly recorder: Recorder;
  readonly recordingFiles: RecordingFiles;
  readonly network: SandboxNetwork;
  readonly publicUrl: string;
  readonly limits?: Partial<SandboxCallLimits>;
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
  const { clock, network } = deps;
  const limits = { ...sandboxCallLimits, ...deps.limits };
  const recordings = createHeardRecordings({
    ...deps,
    store: createSandboxCallStore(deps.database, deps.runner?.incarnation),
  });
  const calls = createKeptCalls(clock, recordings, limits);
  const expected = new Map<string, ExpectedCall>();
  let isClosed = false;

  function over(call: SandboxCall): void {
    expected.delete(call.uuid);
    calls.end(call);
  }

  network.listen((notice) => {
    const call = calls.find(notice.leg);
    if (call === undefined || call.state === 'ended') return;
    if (notice.type === 'leg-answered') recordings.resume(call);
    if (notice.type === 'leg-ended') call.end = notice.end;
    follow(call, notice, clock.now());
    if (notice.type === 'leg-ended') over(call);
  });

  async function start(viewer: RequestAccount, order: SandboxCallOrder): Promise<Result<SandboxCall>> {
    const callee = await findCallee(deps, viewer, order.to);
    if (!callee.ok) return callee;
    if (isClosed || calls.live().length >= limits.live) {
      const sentence = `at most ${limits.live} sandbox phones may call at the same time`;
      return refused(tooManyRequests(sentence, 5));
    }
    const call = orderedCall(order, viewer, clock.now(), deps.secrets);
    calls.add(call);
    if (order.record) await recordings.prepare(call);
    expected.set(call.uuid, expectedCallOf(call, callee.value));
    const { user: to } = callee.value;
    network
      .call({ leg: call.uuid, conduct: conductOf(order), from: order.from, to })
      .catch((err: unknown) => {
        deps.log.error({ call: call.uuid, err }, 'sandbox phone could not call');
        over(call);
      });
    return accepted(call);
  }

  function drop(account: string): void {
    for (const call of calls.of(account)) {
      network.hangUp(call.uuid);
      over(call);
      // After the transaction that removes the account: removing a file writes as well.
      calls.drop(call);
    }
  }

  return {
    name: 'sandbox-calls',
    migrations: sandboxCallsMigrations,
    routes: [sandboxCallRoutes({ ...deps, start, seenBy: calls.seenBy, hangUp: network.hangUp })],
    resources: {
      async remove(_write, account) {
        drop(account);
      },
      async passOn(_write, account, main) {
        for (const call of calls.of(account)) call.account = main;
      },
    },
    expected(phoneLeg) {
      const call = expected.get(phoneLeg);
      expected.delete(phoneLeg);
      return call;
    },
    census: () => ({ calls: calls.live().length, endings: calls.endings }),
    endIncarnation: ({ number }) => recordings.removeOf(number),
    async close() {
      isClosed = true;
      for (const call of calls.live()) {
        network.hangUp(call.uuid);
        over(call);
      }
      await calls.clear();
    },
  };
}

function follow(call: SandboxCall, { type }: CallingNotice, now: Instant): void {
  switch (type) {
    case 'leg-ringing':
    case 'leg-early':
      if (call.state === 'calling') call.state = 'ringing';
      return;
    case 'leg-answered':
      call.state = 'answered';
      call.answeredAt = now;
  }
}
