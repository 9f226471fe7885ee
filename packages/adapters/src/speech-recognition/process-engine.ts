import { spawn } from 'node:child_process';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SpeechEngine, SpeechRequestOptions } from '@jackfield/ports';
import { readTranscript } from './read-transcript.ts';
import { RecognitionError } from './recognition-error.ts';
import { createUtteranceEngine, type UtteranceLimits } from './utterance-engine.ts';

export interface ProcessSpeechOptions {
  /** The program and its arguments; `{language}`, `{model}` and `{hints}` in an argument are replaced. No shell reads them. */
  readonly command: readonly [string, ...string[]];
  /** Concurrent processes; by default one for each core of the machine. */
  readonly mostProcesses?: number;
  readonly limits?: Partial<UtteranceLimits>;
}

const mostBytes = 1 << 20;
/** The program gets no secret of our environment. */
const environment = { PATH: '/usr/local/bin:/usr/bin:/bin' };

/** Speech recognition by a program of this machine: a process for each utterance, which it reads from its standard input. */
export function createProcessSpeechEngine(options: ProcessSpeechOptions): SpeechEngine {
  const { command, mostProcesses = availableParallelism(), limits = {} } = options;
  const [program, ...parameters] = command;
  const turns = createTurns(mostProcesses);
  return createUtteranceEngine(async (samples, request, signal) => {
    await turns.begin(signal);
    try {
      const input = await inputOf(samples);
      const replaced = parameters.map((each) => filled(each, request));
      const output = await run(program, replaced, input, signal).finally(() => input.close());
      return readTranscript(output);
    } finally {
      turns.end();
    }
  }, limits);
}

function filled(parameter: string, { language, model, hints }: SpeechRequestOptions): string {
  return parameter
    .replaceAll('{language}', () => language)
    .replaceAll('{model}', () => model ?? 'default')
    .replaceAll('{hints}', () => hints.join(', '));
}

/** Resolves with the output when the process has ended and all of it is read: no process is left behind. */
function run(
  program: string,
  parameters: readonly string[],
  input: FileHandle,
  signal: AbortSignal,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = spawn(program, parameters, { stdio: [input.fd, 'pipe', 'ignore'], env: environment });
  const pieces: Buffer[] = [];
  let bytes = 0;
  let error: unknown;
  const stop = (reason: unknown) => {
    error ??= reason;
    child.kill('SIGKILL');
  };
  const abort = () => stop(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  child.stdout!.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > mostBytes)
      stop(new RecognitionError('engine-failed', `the speech engine wrote more than ${mostBytes} bytes`));
    else pieces.push(piece);
  });
  child.on('error', () => {
    error ??= new RecognitionError(
      'engine-unreachable',
      'the program of the speech engine cannot be started',
    );
  });
  child.on('close', (status) => {
    signal.removeEventListener('abort', abort);
    if (error !== undefined) reject(error);
    else if (status === 0) resolve(Buffer.concat(pieces).toString('utf8'));
    else
      reject(
        new RecognitionError(
          'engine-failed',
          `the program of the speech engine ended with status ${status ?? 'none'}`,
        ),
      );
  });
  return promise;
}

/**
 * A file without a name, which the system removes with its last reader. Not a stream of Node: that is a socket, and then a program cannot open
 * `/dev/stdin` (open(2): ENXIO).
 */
async function inputOf(samples: Int16Array): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), 'speech-'));
  try {
    const file = await open(join(directory, 'utterance'), 'wx+', 0o600);
    try {
      // Written by position, so that the program reads from the start.
      await file.write(samples, 0, samples.byteLength, 0);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Admits at most `most` tasks at a time, in the order of their requests. */
function createTurns(most: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async begin(signal: AbortSignal): Promise<void> {
      signal.throwIfAborted();
      if (running < most) {
        running++;
        return;
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const abort = () => {
        waiting.splice(waiting.indexOf(resolve), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
      waiting.push(resolve);
      // A process that ends passes its turn on, so the count stays.
      await promise.finally(() => signal.removeEventListener('abort', abort));
    },
    end(): void {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    },
  };
}
