import { cpus } from 'node:os';
import { startPostgres } from '@jackfield/testkit/postgres-server';
import { Client } from 'pg';
import { type Filling, fill } from '../growth/filled.ts';
import { postmasterOf, type Reading, read, readTables, type TableReading } from '../growth/readings.ts';
import { type Part, startPart } from '../part.ts';
import type { GrowthKind, GrowthOutcome, GrowthRun, GrowthWriterStart } from '../parts/growth-writer.ts';
import type { Bench, BenchResult, Figure } from '../report.ts';

/** One hundredth of a platform with a million phones, which register for 300 s, and 100,000 calls at once of 180 s. */
const hundredth = {
  phones: 10_000,
  /** A phone refreshes after half of its expiry. */
  registersPerSecond: 1_000_000 / 150 / 100,
  callsPerSecond: 100_000 / 180 / 100,
  liveLegs: 2_000,
  /** Of an hour. */
  endedLegs: 40_000,
  callbacks: 60_000,
  /** The outbox keeps a million. */
  events: 10_000,
};
const hourMs = 3_600_000;
const processes = 2;
const lanes = 4;
const grantedSeconds = 300;
/** So that no phone registers twice in a run: a phone comes back after minutes, which the run has not. */
const phones = 6 * hundredth.phones;
const stepSeconds = 10;
/** Two cores do not reach the last one. */
const factors = [1, 2, 4, 8, 16, 32, 64];
/** A kind with less has fallen behind. */
const enough = 0.95;
/** With slack every fourth refresh is stored: of those after 150, 300, 450 and 600 s the last one. */
const storedEvery = 4;

const settings = {
  plain: { name: 'without slack', slack: 1 },
  slack: { name: 'with slack 3', slack: 3 },
};
type Setting = (typeof settings)[keyof typeof settings];

const namesOf: Readonly<Record<GrowthKind, string>> = {
  registers: 'REGISTERs',
  steps: 'steps of legs',
  deliveries: 'deliveries of callbacks',
};
const kinds = Object.keys(namesOf) as GrowthKind[];

/** What a kind of work got in a step, over all processes. */
interface Reached {
  readonly due: number;
  readonly reached: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Shares of what there is: 1 is all of it. */
type Used = Readonly<
  Record<'CPU of the machine' | 'the main thread of a writer' | 'syncs of the log', number>
>;

interface Step {
  readonly factor: number;
  readonly kinds: Readonly<Record<GrowthKind, Reached>>;
  readonly serverCores: number;
  readonly writersCores: number;
  /** Of programs that are no part of the bench. */
  readonly othersCores: number;
  readonly used: Used;
  readonly walBytesPerSecond: number;
  readonly commitsPerSecond: number;
  readonly removedPerSecond: number;
  readonly tables: readonly TableReading[];
}

/**
 * The writes of a large platform at a hundredth, from the stores of registrations, legs, events and callbacks into one PostgreSQL; then twice
 * as many and so on, until one kind falls behind.
 */
export const growth: Bench = {
  name: 'growth',
  async run({ scale, profile }): Promise<BenchResult> {
    const started = await startPostgres({
      durable: true,
      // A busy server has more memory than one of a test, and checkpoints less often.
      settings: [
        'track_wal_io_timing=on',
        'shared_buffers=512MB',
        'max_wal_size=4GB',
        'autovacuum_naptime=5s',
      ],
    });
    if (started.server === undefined) throw new Error(started.reason);
    const { server } = started;
    try {
      const steps: Record<string, readonly Step[]> = {};
      for (const [name, setting] of Object.entries(settings))
        steps[name] = await stepsOf(await server.createDatabase(), setting, stepSeconds * scale, profile);
      const figures = Object.entries(settings).flatMap(([name, setting]) => figuresOf(setting, steps[name]!));
      return { figures, details: steps };
    } finally {
      await server.stop();
    }
  },
};

/** Steps with more and more load, up to the first one in which a kind falls behind, and one between that and the one before. */
async function stepsOf(
  url: string,
  setting: Setting,
  seconds: number,
  profile: string | undefined,
): Promise<readonly Step[]> {
  const writers = Array.from({ length: processes }, () => startPart('growth-writer', { profile }));
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await prepare(url, setting, writers, client);
    const steps: Step[] = [];
    let removeBefore = Date.now() - hourMs;
    const stepAt = async (factor: number) => {
      const step = await stepOf(factor, seconds, removeBefore, { url, writers, client });
      removeBefore += seconds * factor * 1_000;
      process.stderr.write(`growth ${setting.name}: ${describe(step)}\n`);
      steps.push(step);
      return behind(step).length > 0;
    };
    // Code is compiled, caches are filled.
    await stepOf(1, seconds / 2, removeBefore, { url, writers, client });
    for (const [index, factor] of factors.entries()) {
      if (!(await stepAt(factor))) continue;
      if (index > 0) await stepAt((factor + factors[index - 1]!) / 2);
      break;
    }
    return steps;
  } finally {
    await client.end();
    await Promise.all(writers.map((writer) => writer.stop()));
  }
}

async function prepare(
  url: string,
  { slack }: Setting,
  writers: readonly Part[],
  client: Client,
): Promise<void> {
  const start = {
    url,
    lanes,
    processes,
    slack,
    grantedSeconds,
    phones,
    keepEvents: hundredth.events,
    keepMs: hourMs,
  };
  // One after another: the first one migrates.
  for (const [seat, writer] of writers.entries())
    await writer.ask('start', { ...start, seat } satisfies GrowthWriterStart);
  for (const writer of writers) await writer.ask('hold', Math.round(hundredth.liveLegs / processes));
  await fill(client, {
    phones,
    longSeconds: grantedSeconds * 3 - 1,
    shortSeconds: grantedSeconds - 1,
    shortEvery: storedEvery,
    endedLegs: hundredth.endedLegs,
    events: hundredth.events,
    callbacks: hundredth.callbacks,
    spreadMs: hourMs,
  } satisfies Filling);
}

interface Running {
  readonly url: string;
  readonly writers: readonly Part[];
  readonly client: Client;
}

async function stepOf(
  factor: number,
  seconds: number,
  removeBefore: number,
  { url, writers, client }: Running,
): Promise<Step> {
  const postmaster = postmasterOf(url);
  const share = factor / processes;
  const due = {
    registers: hundredth.registersPerSecond * share,
    calls: hundredth.callsPerSecond * share,
  };
  const run: GrowthRun = { rates: due, seconds, removeBefore, removedMsPerSecond: 1_000 * factor };
  const before = await read(client, postmaster, writers);
  const outcomes = await Promise.all(writers.map((writer) => writer.ask<GrowthOutcome>('run', run)));
  const after = await read(client, postmaster, writers);
  const failures = kinds.flatMap((kind) => outcomes.map((outcome) => outcome[kind].failures));
  if (failures.some((count) => count > 0)) throw new Error(`units failed: ${failures.join(', ')}`);
  const reached = (kind: GrowthKind): Reached => ({
    due: sumOf(outcomes.map((outcome) => outcome[kind].due)) / seconds,
    reached: sumOf(outcomes.map((outcome) => outcome[kind].reached)) / seconds,
    p50Ms: Math.max(...outcomes.map((outcome) => outcome[kind].p50Ms)),
    p99Ms: Math.max(...outcomes.map((outcome) => outcome[kind].p99Ms)),
  });
  return {
    factor,
    kinds: {
      registers: reached('registers'),
      steps: reached('steps'),
      deliveries: reached('deliveries'),
    },
    ...usageOf(before, after),
    removedPerSecond: sumOf(outcomes.map(({ removed }) => removed)) / seconds,
    tables: await readTables(client),
  };
}

function usageOf(before: Reading, after: Reading) {
  const ms = after.atMs - before.atMs;
  const writers = after.writersCpuMs.map((cpuMs, index) => (cpuMs - before.writersCpuMs[index]!) / ms);
  const serverCores = (after.serverCpuMs - before.serverCpuMs) / ms;
  const writersCores = sumOf(writers);
  const machineCores = (after.machineCpuMs - before.machineCpuMs) / ms;
  const used: Used = {
    'CPU of the machine': machineCores / cpus().length,
    'the main thread of a writer': Math.max(...writers),
    'syncs of the log': (after.walSyncMs - before.walSyncMs) / ms,
  };
  return {
    serverCores,
    writersCores,
    othersCores: Math.max(0, machineCores - serverCores - writersCores),
    used,
    walBytesPerSecond: ((after.walBytes - before.walBytes) / ms) * 1_000,
    commitsPerSecond: ((after.commits - before.commits) / ms) * 1_000,
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

/** Those that got less than was due, the worst first. */
function behind({ kinds: all }: Step): readonly GrowthKind[] {
  const share = (kind: GrowthKind) => all[kind].reached / all[kind].due;
  return kinds.filter((kind) => share(kind) < enough).sort((one, other) => share(one) - share(other));
}

function describe(step: Step): string {
  const each = kinds.map((kind) => {
    const { due, reached, p50Ms, p99Ms } = step.kinds[kind];
    return `${namesOf[kind]} ${reached.toFixed(0)} of ${due.toFixed(0)}/s (p50 ${p50Ms.toFixed(0)}, p99 ${p99Ms.toFixed(0)} ms)`;
  });
  const dead = step.tables.map(({ table, rows, deadRows }) => `${table} ${rows}/${deadRows}`).join(', ');
  return `×${step.factor}: ${each.join('; ')}; ${costOf(step)}; removed ${step.removedPerSecond.toFixed(0)}/s; rows/dead ${dead}`;
}

function costOf(step: Step): string {
  const { serverCores, writersCores, othersCores, walBytesPerSecond, commitsPerSecond } = step;
  return `PostgreSQL ${serverCores.toFixed(2)}, writers ${writersCores.toFixed(2)} and other programs ${othersCores.toFixed(2)} cores, ${(walBytesPerSecond / 1e6).toFixed(2)} MB/s of log, ${commitsPerSecond.toFixed(0)} commits/s`;
}

function figuresOf({ name }: Setting, steps: readonly Step[]): readonly Figure[] {
  const [first] = steps as readonly [Step, ...Step[]];
  const rates = kinds.map((kind) => {
    const { due, reached, p50Ms, p99Ms } = first.kinds[kind];
    return {
      what: `${namesOf[kind]} at a hundredth, ${name}`,
      value: reached,
      unit: '/s',
      budget: { atLeast: due * enough },
      note: `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
    };
  });
  const carried = steps
    .filter((step) => behind(step).length === 0)
    .reduce((most, { factor }) => Math.max(most, factor), 0);
  const [lowest] = steps
    .filter((step) => behind(step).length > 0)
    .sort((one, other) => one.factor - other.factor);
  return [
    ...rates,
    {
      what: `log at a hundredth, ${name}`,
      value: first.walBytesPerSecond / 1_000,
      unit: 'kB/s',
      note: costOf(first),
    },
    {
      what: `carried of a hundredth, ${name}`,
      value: carried,
      unit: '×',
      note: lowest === undefined ? 'nothing fell behind' : saturation(lowest),
    },
  ];
}

/** What fell behind first, and what there was least of. */
function saturation(step: Step): string {
  const names = behind(step).map((kind) => namesOf[kind]);
  const [scarce, share] = Object.entries(step.used).sort(([, one], [, other]) => other - one)[0]!;
  return `at ×${step.factor} ${names.join(' and ')} fell behind: ${(share * 100).toFixed(0)} % of ${scarce} used; ${costOf(step)}`;
}
