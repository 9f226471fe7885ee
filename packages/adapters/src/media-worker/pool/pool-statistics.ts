import type { MediaWorker } from '../media-worker.ts';

type Stats = Awaited<ReturnType<MediaWorker['stats']>>;
type Census = Awaited<ReturnType<MediaWorker['census']>>;

/** The objects of all workers together. Each worker has every clip. */
export function sumOfCensus(all: readonly Census[]): Census {
  return { ...(summed(all) as Census), clips: Math.max(0, ...all.map(({ clips }) => clips)) };
}

/** The sums of all workers; quantiles and maxima are those of the worst worker. */
export function sumOfStats(all: readonly [Stats, ...Stats[]]): Stats {
  return summed(all) as Stats;
}

/** The statistics of a dead worker: its counters stay, so that no total falls, but its objects are gone. */
export function countersOf(stats: Stats): Stats {
  const network = { ...stats.network, sockets: 0 };
  const streams = { ...stats.streams, sockets: 0, deepestQueueMs: 0 };
  const { webrtc } = stats;
  const kept = { ...stats, participants: 0, leaks: 0, network, streams };
  return webrtc === undefined ? kept : { ...kept, webrtc: { ...webrtc, sockets: 0 } };
}

const worst = new Set(['p50Ms', 'p99Ms', 'maxMs', 'deepestQueueMs', 'ms']);

/** Adds the numbers of equal structures. A part that is missing in some is the sum of the others. */
function summed(all: readonly object[]): object {
  const [first] = all;
  if (Array.isArray(first)) return first.map((_, at) => summed(all.map((each) => (each as object[])[at]!)));
  const names = new Set(all.flatMap((each) => Object.keys(each)));
  return Object.fromEntries(
    [...names].map((name) => {
      const values = all.flatMap((each) => (each as Record<string, unknown>)[name] ?? []) as unknown[];
      const present = all
        .filter((each) => name in each)
        .map((each) => (each as Record<string, unknown>)[name]);
      if (typeof present[0] !== 'number') return [name, summed(present as object[])];
      const numbers = values as number[];
      const value = worst.has(name) ? Math.max(...numbers) : numbers.reduce((sum, each) => sum + each, 0);
      return [name, value];
    }),
  );
}
