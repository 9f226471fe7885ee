import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Part } from './part.ts';

/** The result of a load generator. */
export interface Load {
  readonly operations: number;
  readonly seconds: number;
  readonly failures: number;
}

/** A load with the CPU time of the part under test. */
export type Measured<Loaded extends Load> = Loaded & {
  /** Operations per CPU second of the part under test. */
  readonly perCore: number;
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
};

/** Every operation begins and ends between the two readings of the CPU time. */
export async function measure<Loaded extends Load>(
  tested: Part,
  load: () => Promise<Loaded>,
): Promise<Measured<Loaded>> {
  const before = await tested.cpu();
  const loaded = await load();
  const after = await tested.cpu();
  const cpuMs = after.cpuMs - before.cpuMs;
  return {
    ...loaded,
    perCore: (loaded.operations / cpuMs) * 1000,
    perSecond: loaded.operations / loaded.seconds,
    cpuMicroseconds: (cpuMs * 1000) / loaded.operations,
  };
}

/** The best of several runs by `perCore`, because other load only lowers it. */
export async function bestOf<Loaded extends Load>(
  runs: number,
  run: () => Promise<Measured<Loaded>>,
): Promise<Measured<Loaded> & { readonly runs: readonly number[] }> {
  const all: Measured<Loaded>[] = [];
  for (let index = 0; index < runs; index++) all.push(await run());
  const best = all.reduce((left, right) => (right.perCore > left.perCore ? right : left));
  if (best.failures > 0) throw new Error(`${best.failures} of ${best.operations} operations failed`);
  return { ...best, runs: all.map(({ perCore }) => Math.round(perCore)) };
}

/** Runs work and measures the share of the machine that other processes used meanwhile, in percent. */
export async function besideOthers<Value>(
  parts: readonly Part[],
  work: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly othersPercent: number }> {
  const read = async () => {
    const ours = await Promise.all(parts.map((part) => part.cpu()));
    const { user, system } = process.cpuUsage();
    const oursMs = ours.reduce((sum, { cpuMs }) => sum + cpuMs, (user + system) / 1000);
    const times = cpus().map((cpu) => cpu.times);
    const busyMs = times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0);
    const idleMs = times.reduce((sum, { idle }) => sum + idle, 0);
    return { oursMs, busyMs, allMs: busyMs + idleMs };
  };
  const before = await read();
  const value = await work();
  const after = await read();
  const othersMs = after.busyMs - before.busyMs - (after.oursMs - before.oursMs);
  return { value, othersPercent: Math.max(0, (othersMs / (after.allMs - before.allMs)) * 100) };
}

/** CPU of the children of this process that have ended, in ms. */
export function cpuOfChildren(): number {
  return cpuTimesOf('self').endedChildrenMs;
}

/** CPU of a process, its children and those that have ended, in ms; not of their children. */
export function cpuOfFamily(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const { ownMs, endedChildrenMs } = cpuTimesOf(pid);
  const running = children === '' ? [] : children.split(' ').map((child) => cpuTimesOf(child).ownMs);
  return running.reduce((sum, childMs) => sum + childMs, ownMs + endedChildrenMs);
}

/** `utime` and `stime`, `cutime` and `cstime` of proc(5): fields 14 to 17, in ticks of 10 ms. A process that has ended has none. */
function cpuTimesOf(pid: number | string): { readonly ownMs: number; readonly endedChildrenMs: number } {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return { ownMs: 0, endedChildrenMs: 0 };
  }
  // Behind the name of the program, which may have spaces, field 3 comes first.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return { ownMs: 10 * (fields[11]! + fields[12]!), endedChildrenMs: 10 * (fields[13]! + fields[14]!) };
}

const quietPercent = 15;
const lookMs = 400;

/** Waits until other processes are nearly idle, or until the limit. */
export async function quietMachine(limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (performance.now() < end) {
    const { othersPercent } = await besideOthers([], () => wait(lookMs));
    if (othersPercent < quietPercent) return;
  }
}

/** The value below which this share of the sorted values lies. */
export function quantile(sorted: readonly number[] | Float64Array, part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}
