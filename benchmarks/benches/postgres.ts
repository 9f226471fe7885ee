import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '@jackfield/testkit/postgres-server';
import { cpuOfFamily, median } from '../measure.ts';
import { type CpuReading, type Part, startPart } from '../part.ts';
import type { WriterLoad, WriterRun, WriterStart } from '../parts/leg-writer.ts';
import type { SlowHopStart } from '../parts/slow-hop.ts';
import type { Bench, BenchOptions, BenchResult } from '../report.ts';

interface Setting {
  readonly name: string;
  readonly processes: number;
  /** In each process; one when left out. */
  readonly nodes?: number;
  readonly lanes: number;
  readonly delivers?: boolean;
  /** The answers of the server come 1 ms later than over the local socket. */
  readonly isRemote?: boolean;
}

const settings = {
  one: { name: 'one process, one lane', processes: 1, lanes: 1 },
  four: { name: 'one process, four lanes', processes: 1, lanes: 4 },
  remoteOne: { name: 'one process, one lane, server 1 ms away', processes: 1, lanes: 1, isRemote: true },
  remoteFour: { name: 'one process, four lanes, server 1 ms away', processes: 1, lanes: 4, isRemote: true },
  threeNodes: { name: 'three nodes in one process, four lanes each', processes: 1, nodes: 3, lanes: 4 },
  three: { name: 'three processes, four lanes each', processes: 3, lanes: 4 },
  oneDelivers: { name: 'one process, four lanes, deliveries', processes: 1, lanes: 4, delivers: true },
  threeDeliver: { name: 'three processes, deliveries', processes: 3, lanes: 4, delivers: true },
} satisfies Record<string, Setting>;

interface Outcome {
  readonly legsPerSecond: number;
  readonly repeats: number;
  readonly p99Ms: number;
  /** Of the writing processes, without the server. */
  readonly cpuPerLegMicroseconds: number;
  readonly serverCpuPerLegMicroseconds: number;
  /** Cores that the processes and the server together kept busy. */
  readonly busyCores: number;
}

const remoteMs = 1;
const measuredLegs = 4_000;
/** A lane waits for the network most of the time: fewer legs take as long. */
const remoteLegs = 1_000;
/** In each process: V8 has compiled by then what runs often, which costs as much as a thousand legs, in three processes thrice. */
const warmLegs = 2_000;
/** In flight in all processes together. */
const inFlight = 120;
const rounds = 3;

/** Records of calls and their events, by one and by several processes on one PostgreSQL server, all for one account. */
export const postgres: Bench = {
  name: 'postgres',
  async run(options): Promise<BenchResult> {
    const started = await startPostgres({ durable: true });
    if (started.server === undefined) throw new Error(started.reason);
    const { server } = started;
    const hop = startPart('slow-hop');
    try {
      const directory = directoryOf(server.url);
      const remote = await hop.ask<string>('start', { directory, delayMs: remoteMs } satisfies SlowHopStart);
      const outcomes = new Map<string, Outcome[]>();
      // Interleaved: other load on the machine hits all settings alike.
      for (let round = 0; round < rounds; round++) {
        for (const [name, setting] of Object.entries(settings)) {
          const outcome = await runSetting(await server.createDatabase(), setting, remote, options);
          outcomes.set(name, [...(outcomes.get(name) ?? []), outcome]);
        }
      }
      return resultOf(outcomes);
    } finally {
      await hop.stop();
      await server.stop();
    }
  },
};

async function runSetting(
  local: string,
  setting: Setting,
  remote: string,
  { scale, profile }: BenchOptions,
): Promise<Outcome> {
  const { processes, nodes = 1, lanes, delivers = false, isRemote = false } = setting;
  const url = isRemote ? throughDirectory(local, remote) : local;
  const postmaster = postmasterIn(directoryOf(local));
  const parts = Array.from({ length: processes }, () => startPart('leg-writer', { profile }));
  try {
    // One after another: the first one migrates.
    for (const [index, part] of parts.entries()) {
      const seats = Array.from({ length: nodes }, (_, node) => index * nodes + node);
      await part.ask('start', { url, lanes, seats, delivers } satisfies WriterStart);
    }
    const run = (legs: number): Promise<readonly WriterLoad[]> =>
      Promise.all(
        parts.map((part) =>
          part.ask<WriterLoad>('run', {
            legs: Math.ceil(legs / processes),
            inFlight: Math.ceil(inFlight / processes),
          } satisfies WriterRun),
        ),
      );
    await run(warmLegs * (isRemote ? remoteLegs / measuredLegs : processes) * scale);
    const before = { writers: await cpuOf(parts), server: cpuOfFamily(postmaster) };
    const loads = await run((isRemote ? remoteLegs : measuredLegs) * scale);
    const cpuMs = (await cpuOf(parts)) - before.writers;
    const serverCpuMs = cpuOfFamily(postmaster) - before.server;
    const seconds = Math.max(...loads.map((load) => load.seconds));
    const legs = loads.reduce((sum, { operations }) => sum + operations, 0);
    const failures = loads.reduce((sum, load) => sum + load.failures, 0);
    if (failures > 0) throw new Error(`${setting.name}: ${failures} of ${legs} legs failed`);
    return {
      legsPerSecond: legs / seconds,
      repeats: loads.reduce((sum, load) => sum + load.repeats, 0),
      p99Ms: Math.max(...loads.map(({ p99Ms }) => p99Ms)),
      cpuPerLegMicroseconds: (cpuMs * 1000) / legs,
      serverCpuPerLegMicroseconds: (serverCpuMs * 1000) / legs,
      busyCores: (cpuMs + serverCpuMs) / 1000 / seconds,
    };
  } finally {
    await Promise.all(parts.map((part) => part.stop()));
  }
}

async function cpuOf(parts: readonly Part[]): Promise<number> {
  const readings: readonly CpuReading[] = await Promise.all(parts.map((part) => part.cpu()));
  return readings.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

function directoryOf(url: string): string {
  return new URL(url).searchParams.get('host')!;
}

function throughDirectory(url: string, directory: string): string {
  const through = new URL(url);
  through.searchParams.set('host', directory);
  return through.href;
}

function postmasterIn(directory: string): number {
  return Number(readFileSync(join(directory, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

function resultOf(outcomes: ReadonlyMap<string, readonly Outcome[]>): BenchResult {
  const best = (name: keyof typeof settings): Outcome =>
    outcomes.get(name)!.reduce((left, right) => (right.legsPerSecond > left.legsPerSecond ? right : left));
  const rate = (name: keyof typeof settings) => {
    const { legsPerSecond, p99Ms, busyCores, ...cost } = best(name);
    const [own, servers] = [cost.cpuPerLegMicroseconds, cost.serverCpuPerLegMicroseconds];
    const note = `unit p99 ${p99Ms.toFixed(0)} ms, CPU a leg ${own.toFixed(0)} µs and ${servers.toFixed(0)} µs of the server, ${busyCores.toFixed(1)} cores busy`;
    return { what: settings[name].name, value: legsPerSecond, unit: 'legs/s', note };
  };
  const repeats = (name: keyof typeof settings) => ({
    what: `${settings[name].name}: transactions repeated`,
    value: outcomes.get(name)!.reduce((sum, outcome) => sum + outcome.repeats, 0),
    unit: '',
    budget: { atMost: 0 },
  });
  const ratio = (what: string, value: number, budget?: { atLeast: number } | { atMost: number }) => ({
    what,
    value,
    unit: '×',
    ...(budget && { budget }),
  });
  /** The median of the ratios within each round, in which other load on the machine hits both alike. */
  const ofRounds = (
    over: keyof typeof settings,
    under: keyof typeof settings,
    of: (outcome: Outcome) => number,
  ) => median(outcomes.get(over)!.map((outcome, round) => of(outcome) / of(outcomes.get(under)![round]!)));
  const lanesInsteadOfOne = (what: string, four: keyof typeof settings, one: keyof typeof settings) =>
    ratio(
      what,
      ofRounds(four, one, ({ legsPerSecond }) => legsPerSecond),
      { atLeast: 1.3 },
    );
  const cpuOfLeg = ({ cpuPerLegMicroseconds }: Outcome) => cpuPerLegMicroseconds;
  return {
    figures: [
      rate('one'),
      rate('four'),
      lanesInsteadOfOne('four lanes instead of one', 'four', 'one'),
      rate('remoteOne'),
      rate('remoteFour'),
      lanesInsteadOfOne('four lanes instead of one, server 1 ms away', 'remoteFour', 'remoteOne'),
      rate('threeNodes'),
      repeats('threeNodes'),
      ratio('CPU of a leg, three nodes instead of one', ofRounds('threeNodes', 'four', cpuOfLeg), {
        atMost: 1.1,
      }),
      rate('three'),
      repeats('three'),
      ratio('CPU of a leg, three processes instead of one', ofRounds('three', 'four', cpuOfLeg)),
      rate('oneDelivers'),
      rate('threeDeliver'),
      repeats('threeDeliver'),
    ],
    details: Object.fromEntries(outcomes),
  };
}
