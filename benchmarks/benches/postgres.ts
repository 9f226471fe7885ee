import { startPostgres } from '@jackfield/testkit/postgres-server';
import { type CpuReading, type Part, startPart } from '../part.ts';
import type { WriterLoad, WriterRun, WriterStart } from '../parts/leg-writer.ts';
import type { Bench, BenchOptions, BenchResult } from '../report.ts';

interface Setting {
  readonly name: string;
  readonly processes: number;
  readonly lanes: number;
  readonly delivers: boolean;
}

const settings = {
  one: { name: 'one process, one lane', processes: 1, lanes: 1, delivers: false },
  four: { name: 'one process, four lanes', processes: 1, lanes: 4, delivers: false },
  three: { name: 'three processes, four lanes each', processes: 3, lanes: 4, delivers: false },
  oneDelivers: { name: 'one process, four lanes, deliveries', processes: 1, lanes: 4, delivers: true },
  threeDeliver: { name: 'three processes, deliveries', processes: 3, lanes: 4, delivers: true },
} satisfies Record<string, Setting>;

interface Outcome {
  readonly legsPerSecond: number;
  readonly repeats: number;
  readonly p99Ms: number;
  /** Of the writing processes, without the server. */
  readonly cpuPerLegMicroseconds: number;
}

const legsEach = 4_000;
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
    try {
      const outcomes = new Map<string, Outcome[]>();
      // Interleaved: other load on the machine hits all settings alike.
      for (let round = 0; round < rounds; round++) {
        for (const [name, setting] of Object.entries(settings)) {
          const outcome = await runSetting(await server.createDatabase(), setting, options);
          outcomes.set(name, [...(outcomes.get(name) ?? []), outcome]);
        }
      }
      return resultOf(outcomes);
    } finally {
      await server.stop();
    }
  },
};

async function runSetting(url: string, setting: Setting, { scale, profile }: BenchOptions): Promise<Outcome> {
  const { processes, lanes, delivers } = setting;
  const parts = Array.from({ length: processes }, () => startPart('leg-writer', { profile }));
  try {
    // One after another: the first one migrates.
    for (const [index, part] of parts.entries()) {
      await part.ask('start', { url, lanes, seat: index, delivers } satisfies WriterStart);
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
    await run(400 * scale);
    const before = await cpuOf(parts);
    const loads = await run(legsEach * scale);
    const cpuMs = (await cpuOf(parts)) - before;
    const legs = loads.reduce((sum, { operations }) => sum + operations, 0);
    const failures = loads.reduce((sum, load) => sum + load.failures, 0);
    if (failures > 0) throw new Error(`${setting.name}: ${failures} of ${legs} legs failed`);
    return {
      legsPerSecond: legs / Math.max(...loads.map(({ seconds }) => seconds)),
      repeats: loads.reduce((sum, load) => sum + load.repeats, 0),
      p99Ms: Math.max(...loads.map(({ p99Ms }) => p99Ms)),
      cpuPerLegMicroseconds: (cpuMs * 1000) / legs,
    };
  } finally {
    await Promise.all(parts.map((part) => part.stop()));
  }
}

async function cpuOf(parts: readonly Part[]): Promise<number> {
  const readings: readonly CpuReading[] = await Promise.all(parts.map((part) => part.cpu()));
  return readings.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

function resultOf(outcomes: ReadonlyMap<string, readonly Outcome[]>): BenchResult {
  const best = (name: keyof typeof settings): Outcome =>
    outcomes.get(name)!.reduce((left, right) => (right.legsPerSecond > left.legsPerSecond ? right : left));
  const rate = (name: keyof typeof settings) => {
    const { legsPerSecond, p99Ms, cpuPerLegMicroseconds } = best(name);
    const note = `unit p99 ${p99Ms.toFixed(0)} ms, ${cpuPerLegMicroseconds.toFixed(0)} µs of CPU a leg`;
    return { what: settings[name].name, value: legsPerSecond, unit: 'legs/s', note };
  };
  const repeats = (name: keyof typeof settings) => ({
    what: `${settings[name].name}: transactions repeated`,
    value: outcomes.get(name)!.reduce((sum, outcome) => sum + outcome.repeats, 0),
    unit: '',
    budget: { atMost: 0 },
  });
  const ratio = (what: string, value: number, budget: { atLeast: number } | { atMost: number }) => ({
    what,
    value,
    unit: '×',
    budget,
  });
  return {
    figures: [
      rate('one'),
      rate('four'),
      ratio('four lanes instead of one', best('four').legsPerSecond / best('one').legsPerSecond, {
        atLeast: 1.3,
      }),
      rate('three'),
      repeats('three'),
      ratio(
        'CPU of a leg, three processes instead of one',
        best('three').cpuPerLegMicroseconds / best('four').cpuPerLegMicroseconds,
        { atMost: 1.1 },
      ),
      rate('oneDelivers'),
      rate('threeDeliver'),
      repeats('threeDeliver'),
    ],
    details: Object.fromEntries(outcomes),
  };
}
