import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { StartedPlatform } from './benches/api.ts';
import { tryRooms } from './benches/mix.ts';
import { type Load, type Measured, measure, quantile } from './measure.ts';
import { type Part, pin, startPart } from './part.ts';
import type { MixStart } from './parts/mix.ts';
import { added, direct, document, loadAddresses, register, trunk, type Workload } from './workloads.ts';

/**
 * `npx node benchmarks/compare.ts <other checkout> [workload…]`: the CPU time of an operation here, as a share of that of the other
 * checkout. Both platforms work at the same time on one core and their loads on another, so that other load hits both alike.
 */
const all: readonly Compared[] = [
  ...[register, direct, trunk, document, added].map((workload) => ({
    name: workload.name,
    // A new process compiles in its first runs.
    warmUps: 6,
    prepare: (checkout: string | undefined, start: Start) => prepared(workload, checkout, start),
  })),
  { name: 'mix', warmUps: 1, prepare: preparedMix },
];
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

type Start = (name: string, core: number, checkout?: string) => Promise<Part>;

interface Compared {
  readonly name: string;
  readonly warmUps: number;
  /** Starts what is compared, ours without a checkout; the returned function runs its load once. */
  prepare(
    checkout: string | undefined,
    start: Start,
  ): Promise<() => Promise<Pick<Measured<Load>, 'cpuMicroseconds' | 'failures'>>>;
}

async function compared(workload: Compared, checkout: string, rounds: number): Promise<string> {
  const parts: Part[] = [];
  const start: Start = async (name, core, of) => {
    const part = startPart(name, { checkout: of });
    parts.push(part);
    await pin(part, core);
    return part;
  };
  try {
    const here = await workload.prepare(undefined, start);
    const there = await workload.prepare(checkout, start);
    for (let warmUp = 0; warmUp < workload.warmUps; warmUp++) await Promise.all([here(), there()]);
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
async function prepared(workload: Workload, checkout: string | undefined, start: Start) {
  const platform = await start('platform', underTest, checkout);
  // Both share one address.
  const first = checkout === undefined ? 20_000 : 24_000;
  const rtpPorts = { first, last: first + 3999 };
  const started = await platform.ask<StartedPlatform>('start', { egressAllow: loadAddresses, rtpPorts });
  const startLoad = (name: string) => start(name, ofLoads);
  const run: (share: number) => Promise<Load> = await workload.prepare({
    platform,
    started,
    start: startLoad,
  });
  return () => measure(platform, () => run(share));
}

/** Rooms of three, G.711, in one media thread: the CPU of a participant's frame. */
async function preparedMix(checkout: string | undefined, start: Start) {
  const engine = await start('mix', underTest, checkout);
  await engine.ask('start', { sockets: 'native', thread: 'worker' } satisfies MixStart);
  const load = await start('rtp-load', ofLoads);
  const remotePort = checkout === undefined ? 9_510 : 9_511;
  await load.ask('bind', { port: remotePort });
  return async () => {
    // A quarter of what one core holds, for each of two: where a wake serves few packets, it is the wakes that are compared.
    const { microseconds } = await tryRooms(engine, load, { legs: 270, room: 3, remotePort });
    return { cpuMicroseconds: microseconds, failures: 0 };
  };
}
