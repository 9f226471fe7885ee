import { setTimeout as wait } from 'node:timers/promises';
import { startPart } from '../part.ts';
import type { Bench } from '../report.ts';

const settleMs = 4000;
const measuredMs = 10_000;
const mebibyte = 2 ** 20;

/** The whole platform without a call: CPU time of all its threads, and resident memory. */
export const idle: Bench = {
  name: 'idle',
  async run({ profile }) {
    const platform = startPart('platform', { profile });
    try {
      await platform.ask('start');
      await wait(settleMs);
      const before = await platform.cpu();
      await wait(measuredMs);
      const after = await platform.cpu();
      const percent = ((after.cpuMs - before.cpuMs) / (after.atMs - before.atMs)) * 100;
      const { rss } = await platform.ask<{ readonly rss: number }>('memory');
      return {
        figures: [
          { what: 'CPU of the idle process', value: percent, unit: '% of a core', budget: { atMost: 1 } },
          {
            what: 'resident memory of the idle process',
            value: rss / mebibyte,
            unit: 'MiB',
            budget: { atMost: 200 },
          },
        ],
        details: { before, after, rss },
      };
    } finally {
      await platform.stop();
    }
  },
};
