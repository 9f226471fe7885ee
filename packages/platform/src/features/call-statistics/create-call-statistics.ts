import type { Clock, Database, Logger } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { RequestAccount } from '../../http/index.ts';
import type { CallStep } from '../calls/index.ts';
import { createCounter } from './counting/counter.ts';
import { callMinutesTables } from './migrations/0001-call-minutes.ts';
import { callStatisticsRoutes } from './routes.ts';
import { createCallStatisticsStore } from './store.ts';

export interface CallStatisticsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly calls: {
    whenStepped(listener: (step: CallStep) => void): void;
    countLive(viewer: RequestAccount): Promise<number>;
  };
}

export interface CallStatisticsFeature extends Feature {}

const keepMs = 7 * 24 * 60 * 60_000;

/** Calls of each account and minute. */
export function createCallStatistics(deps: CallStatisticsDeps): CallStatisticsFeature {
  const { database, calls } = deps;
  const store = createCallStatisticsStore(database);
  const counter = createCounter({ ...deps, save: store.add });
  calls.whenStepped(counter.add);
  return {
    name: 'call-statistics',
    migrations: [callMinutesTables],
    routes: [callStatisticsRoutes({ database, flush: counter.flush, liveCalls: calls.countLive })],
    // The main account counted the calls of the subaccount as well.
    resources: { remove: store.removeOf, passOn: store.removeOf },
    retained: { name: 'statistics of calls', keepMs, removeEnded: store.removeOld },
    census: counter.census,
    release: counter.close,
  };
}
