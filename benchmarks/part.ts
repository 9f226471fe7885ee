import { fork, spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** One process of a bench: the part under test, a load generator or a floor. */
export interface Part {
  ask<Value>(question: string, argument?: unknown): Promise<Value>;
  cpu(): Promise<CpuReading>;
  stop(): Promise<void>;
}

/** CPU time of a process since its start, all threads, with the time of reading. */
export interface CpuReading {
  readonly cpuMs: number;
  readonly atMs: number;
}

// biome-ignore lint/suspicious/noExplicitAny: each question knows the type of its own argument
export type Questions = Readonly<Record<string, (argument: any) => unknown>>;

interface Question {
  readonly id: number;
  readonly question: string;
  readonly argument: unknown;
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

export interface PartOptions {
  /** Directory for a CPU profile of this process. */
  readonly profile?: string | undefined;
  /** The core on which it runs, all its threads; needs `taskset`. Any core when left out. */
  readonly core?: number;
  /** Another checkout of this repository, whose part runs in place of the present one. */
  readonly checkout?: string | undefined;
}

/** Starts `parts/<name>.ts` in its own process. */
export function startPart(name: string, { profile, core, checkout }: PartOptions = {}): Part {
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const pinned = core === undefined ? [] : ['-c', String(core), process.execPath];
  const benchmarks = checkout === undefined ? import.meta.dirname : join(checkout, 'benchmarks');
  const child = fork(join(benchmarks, 'parts', `${name}.ts`), {
    ...(core === undefined ? {} : { execPath: 'taskset' }),
    execArgv: [...pinned, '--expose-gc', ...profiling],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;
  let exited: Error | undefined;
  const hasExited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.on('message', (answer: Answer) => {
    const question = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.error === undefined) question?.resolve(answer.value);
    else question?.reject(new Error(`${name}: ${answer.error}`));
  });
  child.once('exit', (code, signal) => {
    exited = new Error(`${name} has ended (${signal ?? code})`);
    for (const { reject } of waiting.values()) reject(exited);
  });

  function ask<Value>(question: string, argument?: unknown): Promise<Value> {
    if (exited !== undefined) return Promise.reject(exited);
    const id = ++asked;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    child.send({ id, question, argument } satisfies Question);
    return answer.promise as Promise<Value>;
  }

  return {
    ask,
    cpu: () => ask<CpuReading>('cpu'),
    async stop() {
      if (exited !== undefined) return;
      await ask('stop').catch(() => {});
      await hasExited;
    },
  };
}

/** Keeps all threads of a part on one core. */
export async function pin(part: Part, core: number): Promise<void> {
  const pid = await part.ask<number>('pid');
  const { status, stderr } = spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)]);
  if (status !== 0) throw new Error(`taskset: ${stderr}`);
}

/** Serves a part: answers the questions of the bench. `stop` closes the part, and the process ends. */
export function servePart(questions: Questions): void {
  const all: Questions = { cpu: readCpu, pid: () => process.pid, ...questions };
  process.on('message', async ({ id, question, argument }: Question) => {
    const answer = await answerOf(all, question, argument);
    process.send?.({ id, ...answer } satisfies Answer, undefined, {}, () => {
      if (question === 'stop') process.exit();
    });
  });
  process.on('disconnect', () => process.exit(1));
}

async function answerOf(questions: Questions, question: string, argument: unknown) {
  try {
    if (question === 'stop' && questions.stop === undefined) return {};
    const answer = questions[question];
    if (answer === undefined)
      return {
        error: `there is no question '${question}': the questions are ${Object.keys(questions).join(', ')}`,
      };
    const value = await answer(argument);
    // The result of `stop` is not sent.
    return question === 'stop' ? {} : { value };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function readCpu(): CpuReading {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, atMs: performance.now() };
}
