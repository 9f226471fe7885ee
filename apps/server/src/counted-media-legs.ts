import type { LegStatistics, MediaLegs } from '@jackfield/ports';

/** Audio statistics of ended legs, summed since the start. */
export type MediaTotals = Readonly<Record<CountedStatistic, number>>;

const counted = [
  'packetsReceived',
  'packetsSent',
  'packetsLost',
  'packetsLate',
  'framesConcealed',
  'strangersDropped',
  'malformedDropped',
  'unauthenticatedDropped',
  'replayedDropped',
  'digitsReceived',
  'digitsSent',
] as const satisfies readonly (keyof LegStatistics)[];

type CountedStatistic = (typeof counted)[number];

/** Wraps the legs and adds up their final statistics, which are not kept elsewhere. */
export function countMediaLegs(legs: MediaLegs): { readonly legs: MediaLegs; readonly totals: MediaTotals } {
  const totals = Object.fromEntries(counted.map((name) => [name, 0])) as Record<CountedStatistic, number>;
  return {
    totals,
    legs: {
      open: (leg, ice, beside) => legs.open(leg, ice, beside),
      connect: (leg, agreed) => legs.connect(leg, agreed),
      async close(leg) {
        const statistics = await legs.close(leg);
        // Duplicates make a leg's loss negative (RFC 3550 §6.4.1); a total never falls.
        for (const name of counted) totals[name] += Math.max(0, statistics[name]);
        return statistics;
      },
    },
  };
}
