import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { StartedPlatform } from './benches/api.ts';
import { type Load, measure, quantile } from './measure.ts';
import { type Part, pin, startPart } from './part.ts';
import { added, direct, document, loadAddresses, register, trunk, type Workload } from './workloads.ts';

/**
 * `npx node benchmarks/compare.ts <other checkout> [workload…]`: the CPU time of an operation here, as a share of that of the other
 * checkout. Both platforms work at the same time on one core and their loads on another, so that other load hits both alike.
 */
const all = [register, direct, trunk, document, added];
const [underTest, ofLoads] = [0, 1];
/** Short rounds: other load changes from second to second. */
const share = 0.2;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '12' } },
});
const [other, ...names] = positionals;
const unknown = names.filter((name) => !all.some((workload) => workload.name === name));
if (other === undefined || unknown.length > 0) {
  const known = all.map(({ name }) => name).join(', ');
  const what =
    other === undefined ? 'No other checkout was named' : `There is no workload ${unknown.join(', ')}`;
  process.stderr.write(`${what}: npx node benchmarks/compare.ts <other checkout> [${known}].\n`);
  process.exit(2);
}

for (const workload of names.length === 0 ? all : all.filter(({ name }) => names.includes(name))) {
  process.stdout.write(`${await compared(workload, resolve(other), Number(values.rounds))}\n`);
}
process.exit();

async function compared(workload: Workload, checkout: string, rounds: number): Promise<string> {
  const parts: Part[] = [];
  try {
    const here = await prepared(workload, undefined, parts);
    const there = await prepared(workload, checkout, parts);
    // A new process compiles in its first runs.
    for (let warmUp = 0; warmUp < 6; warmUp++) await Promise.all([here(), there()]);
    const ratios: number[] = [];
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      const [one, two] = await Promise.all([here(), there()]);
      if (one.failures + two.failures > 0) throw new Error(`${workload.name}: operations failed`);
      ours.push(one.cpuMicroseconds);
      theirs.push(two.cpuMicroseconds);
      ratios.push(one.cpuMicroseconds / two.cpuMicroseconds);
    }
    const at = (list: readonly number[], part: number) =>
      quantile(
        list.toSorted((a, b) => a - b),
        part,
      );
    const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => at(ratios, part).toFixed(3));
    const each = `${at(ours, 0.5).toFixed(0)} µs, there ${at(theirs, 0.5).toFixed(0)} µs`;
    return `${workload.name.padEnd(10)} ${middle} (quartiles ${low} to ${high}, ${rounds} rounds): ${each}`;
  } finally {
    await Promise.all(parts.map((part) => part.stop()));
  }
}

/** Starts a platform with its loads; the returned function runs the load once and measures the platform. */
async function prepared(workload: Workload, checkout: string | undefined, parts: Part[]) {
  const startPinned = async (name: string, core: number, of?: string) => {
    const part = startPart(name, { checkout: of });
    parts.push(part);
    await pin(part, core);
    return part;
  };
  const platform = await startPinned('platform', underTest, checkout);
  // Both share one address.
  const first = checkout === undefined ? 20_000 : 24_000;
  const rtpPorts = { first, last: first + 3999 };
  const started = await platform.ask<StartedPlatform>('start', { egressAllow: loadAddresses, rtpPorts });
  const start = (name: string) => startPinned(name, ofLoads);
  const run: (share: number) => Promise<Load> = await workload.prepare({ platform, started, start });
  return () => measure(platform, () => run(share));
}
