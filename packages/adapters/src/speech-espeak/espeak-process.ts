import { type ChildProcess, fork } from 'node:child_process';
import type {
  EngineOrder,
  EngineOutcome,
  ListOrder,
  ListOutcome,
  SpeakOrder,
  SpeakOutcome,
} from './protocol.ts';
import { SpeechError } from './speech-error.ts';

/** The engine's process: started with its first order, and restarted after it died or was killed for slowness. */
export interface EspeakProcess {
  /** Orders without an outcome. */
  readonly pending: number;
  /** Orders run one after another. */
  order(order: SpeakOrder): Promise<SpeakOutcome>;
  order(order: ListOrder): Promise<ListOutcome>;
  /** The process id while one runs. */
  readonly pid: number | undefined;
  close(): void;
}

export interface EspeakProcessOptions {
  readonly timeoutMs: number;
  readonly maxWaiting: number;
}

interface Waiting {
  readonly order: EngineOrder;
  readonly resolve: (outcome: EngineOutcome) => void;
  readonly reject: (error: SpeechError) => void;
}

export function createEspeakProcess({ timeoutMs, maxWaiting }: EspeakProcessOptions): EspeakProcess {
  const waiting: Waiting[] = [];
  let child: ChildProcess | undefined;
  let current: Waiting | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let closed = false;

  const start = (): ChildProcess => {
    const started = fork(new URL('./espeak-child.ts', import.meta.url), {
      // The process needs no environment, no flags and no terminal.
      env: {},
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    started.on('message', (outcome) => {
      if (started === child) settle((one) => one.resolve(outcome as EngineOutcome));
    });
    const lost = () => {
      if (started !== child) return;
      child = undefined;
      settle((one) => one.reject(new SpeechError('engine-failed', 'the speech engine ended unexpectedly')));
    };
    started.on('exit', lost);
    started.on('error', lost);
    return started;
  };

  const settle = (by: (one: Waiting) => void) => {
    const one = current;
    current = undefined;
    clearTimeout(deadline);
    // An idle engine keeps no process alive.
    child?.unref();
    child?.channel?.unref();
    if (one !== undefined) by(one);
    next();
  };

  const next = () => {
    if (current !== undefined || closed) return;
    current = waiting.shift();
    if (current === undefined) return;
    child ??= start();
    child.ref();
    child.channel?.ref();
    child.send(current.order, (error) => {
      // Any failure of the channel also ends the process; its `exit` settles the order.
      if (error !== null) child?.kill('SIGKILL');
    });
    deadline = setTimeout(() => {
      const slow = child;
      child = undefined;
      slow?.kill('SIGKILL');
      settle((one) => one.reject(new SpeechError('timeout', `no speech within ${timeoutMs} ms`)));
    }, timeoutMs);
  };

  return {
    get pending() {
      return waiting.length + (current === undefined ? 0 : 1);
    },
    get pid() {
      return child?.pid;
    },
    order<Outcome extends EngineOutcome>(order: EngineOrder): Promise<Outcome> {
      if (closed) return Promise.reject(new SpeechError('closed', 'the speech engine was closed'));
      if (waiting.length >= maxWaiting) {
        return Promise.reject(
          new SpeechError('too-many-requests', `${maxWaiting} texts are already waiting`),
        );
      }
      return new Promise((resolve, reject) => {
        waiting.push({ order, resolve: resolve as Waiting['resolve'], reject });
        next();
      });
    },
    close() {
      closed = true;
      clearTimeout(deadline);
      const running = child;
      child = undefined;
      running?.kill('SIGKILL');
      const left = current === undefined ? waiting.splice(0) : [current, ...waiting.splice(0)];
      current = undefined;
      for (const one of left) one.reject(new SpeechError('closed', 'the speech engine was closed'));
    },
  };
}
