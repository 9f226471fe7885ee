import type { CallQualitySample, QualityClass } from '@jackfield/contract/console';
import type { Clock, Instant, LegMeasures, LegStatistics, Logger } from '@jackfield/ports';
import { sampleOf } from './quality-sample.ts';

/** A leg that is sampled. */
interface SampledLeg {
  readonly leg: string;
  readonly account: string;
  readonly mainAccount: string;
  readonly bucket: number;
  before: LegStatistics | undefined;
  beforeAt: Instant;
  /** Turns since the answer. */
  turns: number;
  /** The class that was reported last; calls are good until a sample says otherwise. */
  reported: QualityClass;
}

/** A sample, and the class before where it changed. */
export interface TakenSample {
  readonly leg: string;
  readonly account: string;
  readonly mainAccount: string;
  readonly at: Instant;
  readonly sample: CallQualitySample;
  readonly changedFrom?: QualityClass;
}

export interface SamplerDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly measures: LegMeasures;
  save(samples: readonly TakenSample[]): Promise<void>;
}

export interface Sampler {
  /** The leg was answered. */
  follow(leg: Pick<SampledLeg, 'leg' | 'account' | 'mainAccount'>): void;
  forget(leg: string): void;
  census(): { readonly legs: number };
  /** Takes no more samples; resolves when the last ones are saved. */
  close(): Promise<void>;
}

/** One turn of a leg every ten seconds; the legs are spread over these seconds. */
const buckets = 10;
const bucketMs = 1_000;
/** After the first hour each sixth turn is sampled: a day of a call is 360 samples, then 1,380. */
const turnsOfFirstHour = 360;
const laterTurns = 6;
/** Legs of one request to the media threads: a larger one would delay their audio. */
const measuredAtOnce = 50;

/** Samples answered legs in turns. No turn looks at the legs of another. */
export function createSampler({ clock, log, measures, save }: SamplerDeps): Sampler {
  const legs = new Map<string, SampledLeg>();
  const wheel = Array.from({ length: buckets }, () => new Set<SampledLeg>());
  const saving = new Set<Promise<void>>();
  let cancel: (() => void) | undefined;
  let isClosed = false;

  const bucketAt = (now: Instant) => Math.floor(now / bucketMs) % buckets;

  function turn(): void {
    cancel = undefined;
    const due = [...wheel[bucketAt(clock.now())]!].filter(isSampledNow);
    for (let first = 0; first < due.length; first += measuredAtOnce) {
      const portion = due.slice(first, first + measuredAtOnce);
      const work = samplePortion(portion)
        .catch((err: unknown) => log.warn({ err, legs: portion.length }, 'quality of calls not sampled'))
        .finally(() => saving.delete(work));
      saving.add(work);
    }
    turnLater();
  }

  function isSampledNow(leg: SampledLeg): boolean {
    leg.turns += 1;
    return leg.turns <= turnsOfFirstHour || leg.turns % laterTurns === 0;
  }

  async function samplePortion(portion: readonly SampledLeg[]): Promise<void> {
    const measured = await measures.measure(portion.map(({ leg }) => leg));
    const now = clock.now();
    const at = clock.wallNow();
    const taken = portion.flatMap((leg, index) => take(leg, measured[index], now, at) ?? []);
    if (taken.length > 0) await save(taken);
  }

  function take(
    leg: SampledLeg,
    after: LegStatistics | undefined,
    now: Instant,
    at: Instant,
  ): TakenSample | undefined {
    if (after === undefined || !legs.has(leg.leg)) return undefined;
    const seconds = Math.round((now - leg.beforeAt) / 1000);
    const sample = sampleOf(after, leg.before, { at, seconds });
    leg.before = after;
    leg.beforeAt = now;
    if (sample === undefined) return undefined;
    const { account, mainAccount, reported } = leg;
    const taken = { leg: leg.leg, account, mainAccount, at, sample };
    if (sample.class === null || sample.class === reported) return taken;
    leg.reported = sample.class;
    return { ...taken, changedFrom: reported };
  }

  /** At whole seconds, while there are legs. */
  function turnLater(): void {
    if (isClosed || legs.size === 0 || cancel !== undefined) return;
    const now = clock.now();
    cancel = clock.startTimer((Math.floor(now / bucketMs) + 1) * bucketMs, turn);
  }

  return {
    follow({ leg, account, mainAccount }) {
      if (isClosed || legs.has(leg)) return;
      const now = clock.now();
      const followed: SampledLeg = {
        ...{ leg, account, mainAccount, bucket: bucketAt(now), beforeAt: now },
        ...{ before: undefined, turns: 0, reported: 'good' },
      };
      legs.set(leg, followed);
      wheel[followed.bucket]!.add(followed);
      turnLater();
    },
    forget(leg) {
      const followed = legs.get(leg);
      if (followed === undefined) return;
      legs.delete(leg);
      wheel[followed.bucket]!.delete(followed);
      if (legs.size > 0) return;
      cancel?.();
      cancel = undefined;
    },
    census: () => ({ legs: legs.size }),
    async close() {
      isClosed = true;
      cancel?.();
      await Promise.all(saving);
    },
  };
}
