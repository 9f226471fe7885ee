import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { quantile } from '../measure.ts';
import type { Bench } from '../report.ts';

const program = join(import.meta.dirname, '../../conformance/measure-console.ts');

interface Measured {
  readonly durations: readonly number[];
  readonly waits: readonly number[];
}

/** The web console in Chromium: live rows that change, and pages that are turned. */
export const console: Bench = {
  name: 'console',
  async run({ scale }) {
    const counts = [Math.ceil(40 * scale), Math.ceil(20 * scale)].map(String);
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...counts]);
    const measured = JSON.parse(stdout) as Measured;
    const sorted = (all: readonly number[]) => [...all].sort((one, other) => one - other);
    const [durations, waits] = [sorted(measured.durations), sorted(measured.waits)];
    const figures = [
      {
        what: '100 of 500 live rows changed by a batch of events, median',
        value: quantile(durations, 0.5),
        unit: 'ms',
        budget: { atMost: 5 },
        note: `slowest of ${durations.length}: ${durations.at(-1)?.toFixed(1)} ms`,
      },
      {
        what: 'the next page of 10,000 calls, median',
        value: quantile(waits, 0.5),
        unit: 'ms',
        budget: { atMost: 50 },
        note: `each answer of the server takes 500 ms; slowest of ${waits.length}: ${waits.at(-1)?.toFixed(1)} ms`,
      },
    ];
    return { figures, details: { ...measured } };
  },
};
