import type {
  Clock,
  Database,
  ExpectedCall,
  Logger,
  Migration,
  Recorder,
  RecordingFiles,
  Secrets,
} from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RequestAccount, RouteGroup } from '../../http/index.ts';
import { tooManyRequests } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { CallingNotice, CallingPhones, Conduct, PhoneOrder } from '../sandbox-phones/index.ts';
import { sandboxCallRecordings } from './migrations/0001-sandbox-call-recordings.ts';
import { type CalleeDeps, findCallee } from './placing/callees.ts';
import { createHeardRecordings } from './placing/heard-recordings.ts';
import type { SandboxCall, SandboxCallOrder } from './placing/sandbox-call.ts';
import { sandboxCallRoutes } from './routes.ts';
import { createSandboxCallStore } from './store.ts';

export interface SandboxCallLimits {
  /** Calls of sandbox phones in progress at once, in the whole process. */
  readonly live: number;
  /** Calls that are remembered when they have ended; the oldest goes first. */
  readonly kept: number;
  /** All recordings together; the oldest goes first. */
  readonly recordedBytes: number;
}

/** 256 MiB hold about 4.5 hours of one channel at 8 kHz. */
const sandboxCallLimits: SandboxCallLimits = { live: 50, kept: 200, recordedBytes: 256 * 1024 ** 2 };

/** Phones of the sandbox as this feature reaches them; they know where the platform listens. */
export interface SandboxNetwork {
  call(order: Omit<PhoneOrder, 'uri'>): Promise<void>;
  hangUp: CallingPhones['hangUp'];
  /** The one listener for what happens to those calls. */
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
}

/** Of this feature, in their order; a platform without a sandbox names them too. */
export const sandboxCallsMigrations: readonly Migration[] = [sandboxCallRecordings];

export interface SandboxCallsFeature extends Feature {
  readonly migrations: readonly Migration[];
  readonly routes: readonly RouteGroup[];
  readonly resources: AccountResources;
  /** The call that the phone with this leg has been told to make; the second question finds nothing. */
  expected(phoneLeg: string): ExpectedCall | undefined;
  census(): { readonly calls: number; readonly endings: number };
  restore(): Promise<void>;
  /** Ends the calls and removes the recordings. */
  close(): Promise<void>;
}

/** The name under which a sandbox phone hands over calls to numbers. */
const carrierName = 'sandbox';

const sounds: Readonly<Record<SandboxCall['behaviour'], Conduct['sound']>> = {
  talk: { kind: 'talk' },
  silent: { kind: 'silence' },
  tone: { kind: 'tone', frequencyHz: 1000 },
  echo: { kind: 'echo' },
};

/** Calls that phones of the sandbox make: ordered over the API, real from their INVITE on. */
export function createSandboxCalls(deps: SandboxCallsDeps): SandboxCallsFeature {
  const { clock, secrets, network, log } = deps;
  const limits = { ...sandboxCallLimits, ...deps.limits };
  const recordings = createHeardRecordings({ ...deps, store: createSandboxCallStore(deps.database) });
  /** Oldest first. */
  const calls = new Map<string, SandboxCall>();
  const expected = new Map<string, ExpectedCall>();
  const finishing = new Set<Promise<void>>();
  let isClosed = false;

  const live = () => [...calls.values()].filter(({ state }) => state !== 'ended');

  function inBackground(work: Promise<void>): void {
    const tracked = work.finally(() => finishing.delete(tracked));
    finishing.add(tracked);
  }

  async function forgetOldest(): Promise<void> {
    const ended = [...calls.values()].filter(({ state }) => state === 'ended');
    for (const call of ended.slice(0, Math.max(0, ended.length - limits.kept))) {
      calls.delete(call.uuid);
      await recordings.remove(call);
    }
    let bytes = 0;
    for (const call of ended.toReversed()) {
      bytes += call.recording === 'complete' ? (call.file?.bytes ?? 0) : 0;
      if (bytes > limits.recordedBytes) await recordings.remove(call);
    }
  }

  function over(call: SandboxCall): void {
    if (call.state === 'ended') return;
    const wasHeard = call.answeredAt !== null;
    call.state = 'ended';
    call.endedAt = clock.now();
    expected.delete(call.uuid);
    inBackground(recordings.finish(call, wasHeard).then(forgetOldest));
  }

  network.listen((notice) => {
    const call = calls.get(notice.leg);
    if (call === undefined || call.state === 'ended') return;
    switch (notice.type) {
      case 'leg-ringing':
      case 'leg-early':
        if (call.state === 'calling') call.state = 'ringing';
        return;
      case 'leg-answered':
        call.state = 'answered';
        call.answeredAt = clock.now();
        recordings.resume(call);
        return;
      case 'leg-ended':
        call.end = notice.end;
        over(call);
    }
  });

  async function start(viewer: RequestAccount, order: SandboxCallOrder): Promise<Result<SandboxCall>> {
    const callee = await findCallee(deps, viewer, order.to);
    if (!callee.ok) return callee;
    const full = () =>
      refused(tooManyRequests(`at most ${limits.live} sandbox phones may call at the same time`, 5));
    if (isClosed || live().length >= limits.live) return full();
    const uuid = secrets.randomUuid();
    const call: SandboxCall = {
      uuid,
      callUuid: secrets.randomUuid(),
      account: viewer.authId,
      mainAccount: viewer.main,
      from: order.from,
      to: order.to,
      behaviour: order.behaviour,
      startedAt: clock.now(),
      state: 'calling',
      answeredAt: null,
      endedAt: null,
      end: null,
      recording: 'none',
      file: null,
    };
    calls.set(uuid, call);
    if (order.record) await recordings.prepare(call);
    const { user, account, isNumber } = callee.value;
    expected.set(uuid, {
      leg: call.callUuid,
      account,
      callee: user,
      ...(isNumber ? { carrier: carrierName } : {}),
    });
    const conduct: Conduct = {
      sound: sounds[order.behaviour],
      ...(order.digits === undefined ? {} : { press: { digits: order.digits, afterMs: 0 } }),
      hangUpAfterMs: order.hangUpAfterSeconds * 1000,
    };
    network.call({ leg: uuid, conduct, from: order.from, to: user }).catch((err: unknown) => {
      log.error({ call: uuid, err }, 'sandbox phone could not call');
      over(call);
    });
    return accepted(call);
  }

  /** Calls that the viewer may see, newest first. */
  function seenBy({ authId, isSubaccount }: RequestAccount): readonly SandboxCall[] {
    const key = isSubaccount ? 'account' : 'mainAccount';
    return [...calls.values()].filter((call) => call[key] === authId).reverse();
  }

  function drop(account: string): void {
    for (const call of calls.values()) {
      if (call.account !== account) continue;
      calls.delete(call.uuid);
      network.hangUp(call.uuid);
      over(call);
      // Behind the transaction in which the account goes: removing a file writes as well.
      inBackground(recordings.remove(call));
    }
  }

  return {
    name: 'sandbox-calls',
    migrations: sandboxCallsMigrations,
    routes: [sandboxCallRoutes({ ...deps, start, seenBy, hangUp: network.hangUp })],
    resources: {
      async remove(_write, account) {
        drop(account);
      },
      async passOn(_write, account, main) {
        for (const call of calls.values()) if (call.account === account) call.account = main;
      },
    },
    expected(phoneLeg) {
      const call = expected.get(phoneLeg);
      expected.delete(phoneLeg);
      return call;
    },
    census: () => ({ calls: live().length, endings: finishing.size }),
    restore: recordings.restore,
    async close() {
      isClosed = true;
      for (const call of live()) {
        network.hangUp(call.uuid);
        over(call);
      }
      await Promise.allSettled(finishing);
      for (const call of calls.values()) await recordings.remove(call);
      calls.clear();
    },
  };
}
