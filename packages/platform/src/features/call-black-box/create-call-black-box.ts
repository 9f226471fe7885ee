import type { Clock, Database, Logger, SignallingTrace } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { RequestAccount } from '../../http/index.ts';
import type { Calls } from '../calls/index.ts';
import { createRecorder, recorderLimits } from './keeping/recorder.ts';
import { callBlackBoxTable } from './migrations/0001-call-black-box.ts';
import { sipTracesTable } from './migrations/0002-sip-traces.ts';
import { callBlackBoxRoutes } from './routes.ts';
import { createBlackBoxStore } from './store.ts';
import { createActiveTraces } from './tracing/active-traces.ts';
import { traceRoutes } from './tracing/trace-routes.ts';
import { createTraceStore } from './tracing/trace-store.ts';
import { createTraceWatch } from './tracing/trace-watch.ts';
import { type DocumentFetch, documentEntryOf } from './views.ts';

export interface CallBlackBoxDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newUuid: () => string;
  /** Whether SIP messages and documents of calls are kept; false when left out. */
  readonly keepsCalls?: boolean;
  /** The name of this process among several that share the database. */
  readonly node?: string;
  /** The username of an endpoint that the viewer sees. */
  usernameOf(viewer: RequestAccount, endpoint: string): Promise<string | undefined>;
}

/** Calls are created after the signalling ports, which need the trace. */
interface FollowedCalls extends Pick<Calls, 'whenOver'> {
  isKnown(viewer: RequestAccount, call: string): Promise<boolean>;
}

export interface CallBlackBoxFeature extends Feature {
  /** For signalling. */
  readonly trace: SignallingTrace;
  /** A document of a call was requested. */
  fetched(call: string, fetch: DocumentFetch): void;
  /** Called once, before the first request. */
  follow(calls: FollowedCalls): void;
}

const keepMs = 7 * 24 * 60 * 60_000;
/** Some 1 GB with messages of a usual size. */
const mostEntries = 500_000;

/** What happened to a call: its SIP messages and its documents, where the operator keeps them or a trace is on. */
export function createCallBlackBox(deps: CallBlackBoxDeps): CallBlackBoxFeature {
  const { database, clock, log, keepsCalls: areKept = false } = deps;
  const store = createBlackBoxStore(database);
  const traces = createTraceStore(database);
  const active = createActiveTraces(clock, (trace) => recorder.forget(trace));
  const watch = createTraceWatch({ clock, log, traces, active, isShared: deps.node !== undefined });
  const limits = recorderLimits;
  const recorder = createRecorder({
    clock,
    log,
    limits,
    save: store.insert,
    keepsAll: areKept,
    traces: active,
  });
  let calls: FollowedCalls | undefined;
  const isKnown = async (viewer: RequestAccount, call: string) =>
    (await calls?.isKnown(viewer, call)) ?? false;
  const { perCall, perTrace: mostMessages } = limits;

  return {
    name: 'call-black-box',
    migrations: [callBlackBoxTable, sipTracesTable],
    routes: [
      callBlackBoxRoutes({ store, areKept, perCall, isKnown }),
      {
        name: 'SIP traces',
        description: 'SIP messages of one call or endpoint, for a while.',
        routes: traceRoutes({
          ...deps,
          entries: store,
          traces,
          active,
          mostMessages,
          isKnown,
          written: recorder.written,
        }),
      },
    ],
    resources: traces.resources,
    retained: {
      name: 'entries of calls',
      keepMs,
      async removeEnded(before, limit) {
        const removed = await store.removeOld(before, mostEntries, limit);
        return removed + (await traces.removeOld(before, limit));
      },
    },
    restore: watch.restore,
    trace: recorder.trace,
    fetched: (call, fetch) => recorder.keep(call, () => documentEntryOf(fetch)),
    follow(followed) {
      calls = followed;
      followed.whenOver(recorder.over);
    },
    census: recorder.census,
    async close() {
      watch.close();
      active.close();
      await recorder.close();
    },
  };
}
