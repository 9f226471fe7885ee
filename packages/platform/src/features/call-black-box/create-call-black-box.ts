import type { Clock, Database, Logger, SignallingTrace } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { RequestAccount } from '../../http/index.ts';
import type { Calls } from '../calls/index.ts';
import { createRecorder, recorderLimits } from './keeping/recorder.ts';
import { callBlackBoxTable } from './migrations/0001-call-black-box.ts';
import { callBlackBoxRoutes } from './routes.ts';
import { createBlackBoxStore } from './store.ts';
import { type DocumentFetch, documentEntryOf } from './views.ts';

export interface CallBlackBoxDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether SIP messages and documents of calls are kept; false when left out. */
  readonly keepsCalls?: boolean;
}

/** Calls are created after the signalling ports, which need the trace. */
interface FollowedCalls extends Pick<Calls, 'whenOver'> {
  isKnown(viewer: RequestAccount, call: string): Promise<boolean>;
}

export interface CallBlackBoxFeature extends Feature {
  /** For signalling; undefined where nothing is kept. */
  readonly trace: SignallingTrace | undefined;
  /** A document of a call was requested. */
  fetched(call: string, fetch: DocumentFetch): void;
  /** Called once, before the first request. */
  follow(calls: FollowedCalls): void;
}

const keepMs = 7 * 24 * 60 * 60_000;
/** Some 1 GB with messages of a usual size. */
const mostEntries = 500_000;

/** What happened to a call: its SIP messages and its documents, where the operator keeps them. */
export function createCallBlackBox(deps: CallBlackBoxDeps): CallBlackBoxFeature {
  const { database, clock, log, keepsCalls: areKept = false } = deps;
  const store = createBlackBoxStore(database);
  const recorder = createRecorder({ clock, log, limits: recorderLimits, save: store.insert });
  let calls: FollowedCalls | undefined;

  return {
    name: 'call-black-box',
    migrations: [callBlackBoxTable],
    routes: [
      callBlackBoxRoutes({
        store,
        areKept,
        perCall: recorderLimits.perCall,
        isKnown: async (viewer, call) => (await calls?.isKnown(viewer, call)) ?? false,
      }),
    ],
    retained: {
      name: 'entries of calls',
      keepMs,
      removeEnded: (before, limit) => store.removeOld(before, mostEntries, limit),
    },
    trace: areKept ? recorder.trace : undefined,
    fetched(call, fetch) {
      if (areKept) recorder.keep(call, documentEntryOf(fetch));
    },
    follow(followed) {
      calls = followed;
      if (areKept) followed.whenOver(recorder.over);
    },
    census: recorder.census,
    close: () => recorder.close(),
  };
}
