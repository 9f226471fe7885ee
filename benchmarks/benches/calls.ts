import { bestOf, measure } from '../measure.ts';
import { type Part, startPart } from '../part.ts';
import type { Bench, Figure } from '../report.ts';
import { added, direct, document, loadAddresses, trunk, type Workload } from '../workloads.ts';
import type { StartedPlatform } from './api.ts';

const runs = 3;
/** Warm-up runs: a new process spends a fifth of its time compiling. */
const before = 2;

/** Calls per CPU second of the process under test; added participants have a cheaper leg. */
const kinds: readonly (readonly [workload: Workload, budget: number | undefined])[] = [
  [direct, 1000],
  [trunk, undefined],
  [document, undefined],
  [added, 2500],
];

/** Calls set up, answered and torn down: between two phones, through a trunk, through a document, and added by the API. */
export const calls: Bench = {
  name: 'calls',
  async run({ profile }) {
    const parts: Part[] = [];
    const start = async (name: string, options = {}) => {
      const part = startPart(name, options);
      parts.push(part);
      return part;
    };
    try {
      const platform = await start('platform', { profile });
      const started = await platform.ask<StartedPlatform>('start', { egressAllow: loadAddresses });
      const figures: Figure[] = [];
      const details: Record<string, unknown> = {};
      for (const [workload, budget] of kinds) {
        const run = await workload.prepare({ platform, started, start });
        for (let warmUp = 0; warmUp < before; warmUp++) await run();
        const best = await bestOf(runs, () => measure(platform, run));
        details[workload.name] = best;
        figures.push({
          what: workload.what,
          value: best.perCore,
          unit: '/s per core',
          ...(budget === undefined ? {} : { budget: { atLeast: budget } }),
          note: `${Math.round(best.cpuMicroseconds)} µs of CPU each, ${Math.round(best.perSecond)}/s wall`,
        });
      }
      return { figures, details };
    } finally {
      await Promise.all(parts.map((part) => part.stop()));
    }
  },
};
