import type { CallQualitySample } from '@jackfield/contract/console';
import type { Clock, Database, LegMeasures, Logger } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { RequestAccount } from '../../http/index.ts';
import type { Outbox } from '../../kernel/outbox.ts';
import type { Calls } from '../calls/index.ts';
import { qualityEventOf } from './events.ts';
import { callQualityTable } from './migrations/0001-call-quality.ts';
import { callQualityRoutes } from './routes.ts';
import { createSampler, type TakenSample } from './sampling/sampler.ts';
import { createCallQualityStore } from './store.ts';

export interface CallQualityDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly outbox: Pick<Outbox, 'appendEvents' | 'wake'>;
  readonly media: LegMeasures;
  readonly calls: Pick<Calls, 'peek' | 'whenAnswered' | 'whenOver'> & {
    isKnown(viewer: RequestAccount, call: string): Promise<boolean>;
  };
}

export interface CallQualityFeature extends Feature {
  /** The newest sample of each of these live calls, where there is one. */
  latestOf(calls: readonly string[]): Promise<ReadonlyMap<string, CallQualitySample>>;
}

const keepMs = 7 * 24 * 60 * 60_000;
/** Some 300 MB. */
const mostSamples = 1_000_000;
/** After the first hour of a call a sample is taken every minute. */
const freshMs = 75_000;

/** The quality of live calls, sampled into a bounded table. */
export function createCallQuality(deps: CallQualityDeps): CallQualityFeature {
  const { database, clock, log, outbox, calls } = deps;
  const store = createCallQualityStore(database);

  async function save(samples: readonly TakenSample[]): Promise<void> {
    const events = samples.flatMap((taken) => qualityEventOf(taken) ?? []);
    await database.transact(async (write) => {
      await store.insert(write, samples);
      if (events.length > 0) await outbox.appendEvents(write, events);
    });
    if (events.length > 0) outbox.wake();
  }

  const sampler = createSampler({ clock, log, measures: deps.media, save });
  calls.whenAnswered((leg) => {
    const live = calls.peek(leg);
    if (live !== undefined) sampler.follow(live);
  });
  calls.whenOver(sampler.forget);

  return {
    name: 'call-quality',
    migrations: [callQualityTable],
    routes: [callQualityRoutes({ store, isKnown: calls.isKnown })],
    retained: {
      name: 'samples of quality',
      keepMs,
      removeEnded: (before, limit) => store.removeOld(before, mostSamples, limit),
    },
    census: sampler.census,
    latestOf: (uuids) => store.latest(uuids, clock.wallNow() - freshMs),
    close: () => sampler.close(),
  };
}
