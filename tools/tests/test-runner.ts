import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { oldestChild } from './oldest-child.ts';

/** Four minutes are more than a test may take. */
const silenceMs = 240_000;

/** How a run of Node's test runner ended. */
export interface RunnerEnd {
  readonly code: number;
  /** What its closing lines count, such as `tests`, `fail` and `duration_ms`; empty when it ended without them. */
  readonly counts: ReadonlyMap<string, number>;
  /** What it prints about the tests that failed, in lines; empty when none has. */
  readonly failures: readonly string[];
  /** A signal has ended it. */
  readonly isStopped: boolean;
}

export interface RunnerOptions {
  readonly root: string;
  /** Processes at once. */
  readonly concurrency: number;
  /** Further options of `node --test`. */
  readonly options: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Runs the files under Node's own runner and prints what it prints but its end: the closing lines and the details of what failed. */
export async function runTestFiles(
  files: readonly string[],
  { root, concurrency, options, env }: RunnerOptions,
): Promise<RunnerEnd> {
  const runner = spawn(
    process.execPath,
    [
      '--test',
      `--import=${join(root, 'tools/tests/random-seed.ts')}`,
      `--import=${join(root, 'tools/tests/process-cost.ts')}`,
      `--import=${join(root, 'tools/tests/test-of-error.ts')}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${join(root, 'tools/tests/slow-files.ts')}`,
      '--test-reporter-destination=stderr',
      `--test-concurrency=${concurrency}`,
      // A test that hangs fails by itself; the longest conformance test lasts two minutes.
      '--test-timeout=180000',
      ...options,
      ...files,
    ],
    // A process group of its own, so that ending it ends what the tests have started.
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], env, detached: true },
  );
  const end = (signal: NodeJS.Signals) => {
    try {
      process.kill(-runner.pid!, signal);
    } catch {
      // It has ended by itself.
    }
  };
  const ended = new Promise<number>((resolve) => {
    runner.once('close', (exitCode) => resolve(exitCode ?? 1));
  });
  let isStopped = false;
  const stop = (signal: NodeJS.Signals) => {
    isStopped = true;
    end(signal);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, stop);

  // The runner's time limit does not see a process that stays after its tests. The runner prints in the order in which processes started,
  // so the oldest process is the silent one; the others go on without it.
  const silence = setTimeout(async () => {
    const hung = await oldestChild(runner.pid!);
    if (hung === undefined) {
      console.log('no test has ended for 240 s: the runner is killed');
      end('SIGKILL');
      return;
    }
    console.log(`no test has ended for 240 s: the process of ${hung.command} is killed`);
    process.kill(hung.pid, 'SIGKILL');
    silence.refresh();
  }, silenceMs);

  const counts = new Map<string, number>();
  const failures: string[] = [];
  for await (const line of createInterface({ input: runner.stdout })) {
    silence.refresh();
    const counted = closingLine.exec(line);
    if (counted !== null) counts.set(counted[1]!, Number(counted[2]));
    else if (failures.length > 0 || line === '✖ failing tests:') failures.push(line);
    else console.log(line);
  }
  const code = await ended;
  clearTimeout(silence);
  for (const signal of signals) process.off(signal, stop);
  return { code, counts, failures, isStopped };
}

const closingLine = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) (\d[\d.]*)$/;

/** The closing lines of several runs as those of one: their sums. */
export function closingLines(ends: readonly RunnerEnd[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const { counts } of ends)
    for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums].map(([name, sum]) => `ℹ ${name} ${sum}`);
}
