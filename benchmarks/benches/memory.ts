import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Part, startPart } from '../part.ts';
import type { CallOutcome, CallRun } from '../parts/phones.ts';
import type { Bench, Figure } from '../report.ts';
import { loadAddresses, startPhones, untilNoLegs } from '../workloads.ts';
import type { StartedPlatform } from './api.ts';

const calls = { count: 400, atOnce: 32 } satisfies CallRun;
/** Tables and caches reach their size. */
const warmUp = { count: 1500, atOnce: 32 } satisfies CallRun;
/** 64 × T1 (RFC 3261 §17): no transaction lives longer after its call, and a margin. */
const transactionsMs = 36_000;
const legsOfCall = 2;

interface Memory {
  /** Heap and external memory of the main thread. */
  readonly kept: number;
  readonly rss: number;
}

/** Memory of the platform: of a leg while its call is up, of a call whose transactions still live, and of a call after them. */
export const memory: Bench = {
  name: 'memory',
  async run({ profile }) {
    const parts: Part[] = [];
    const start = async (name: string) => {
      const part = startPart(name);
      parts.push(part);
      return part;
    };
    try {
      const platform = await start('platform');
      const started = await platform.ask<StartedPlatform>('start', { egressAllow: loadAddresses });
      const { load } = await startPhones({ started, start }, 'memoryphone');
      const read = async (name: string): Promise<Memory> => {
        if (profile !== undefined) await platform.ask('snapshot', join(profile, `${name}.heapsnapshot`));
        return platform.ask<Memory>('memory');
      };
      const hold = async (run: CallRun) => {
        const { failures } = await load.ask<CallOutcome>('hold', run);
        if (failures > 0) throw new Error(`${failures} of ${run.count} calls failed`);
      };
      const end = async () => {
        await load.ask('hangUp');
        await untilNoLegs(platform);
      };
      /** Holds calls and ends them; afterwards no transaction lives. */
      const cycle = async (run: CallRun, name: string) => {
        await hold(run);
        const during = await read(`${name}-during`);
        await end();
        const ended = await read(`${name}-ended`);
        await wait(transactionsMs);
        return { during, ended, after: await read(`${name}-after`) };
      };
      await cycle(warmUp, 'warm-up');
      const first = await cycle(calls, 'first');
      const second = await cycle(calls, 'second');
      const details = { first, second };
      return { figures: figuresOf({ before: first.after, ...second }), details };
    } finally {
      await Promise.all(parts.map((part) => part.stop()));
    }
  },
};

function figuresOf(
  read: Readonly<Record<'before' | 'during' | 'ended' | 'after', Memory>>,
): readonly Figure[] {
  const each = (of: Memory, what: keyof Memory, count: number) =>
    (of[what] - read.before[what]) / count / 1024;
  const legs = calls.count * legsOfCall;
  const rss = (of: Memory, count: number) =>
    `resident set ${each(of, 'rss', count).toFixed(1)} KiB each, with the media thread`;
  return [
    {
      what: 'memory of a leg of a call that is up',
      value: each(read.during, 'kept', legs),
      unit: 'KiB',
      budget: { atMost: 48 },
      note: rss(read.during, legs),
    },
    {
      what: 'memory of a call at its end, while its transactions live',
      value: each(read.ended, 'kept', calls.count),
      unit: 'KiB',
      budget: { atMost: 15 },
      note: rss(read.ended, calls.count),
    },
    {
      what: `memory of a call ${transactionsMs / 1000} s after its end`,
      value: each(read.after, 'kept', calls.count),
      unit: 'KiB',
      budget: { atMost: 1 },
      note: rss(read.after, calls.count),
    },
  ];
}
