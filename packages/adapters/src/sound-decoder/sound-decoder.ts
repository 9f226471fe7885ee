import { Worker } from 'node:worker_threads';
import type { DecodeLimits, SoundClip, SoundDecoder } from '@jackfield/ports';
import { DecodeError } from './decode-error.ts';
import type { DecodeOrder, DecodeReport, DecodeThreadData } from './protocol.ts';

export interface SoundDecoderOptions {
  /** Clips of higher rates are converted to it here, where nobody waits for the next 20 ms; the media engine runs at 8,000. */
  readonly maxSampleRate?: number;
  /** Files that are decoded at the same time, slice by slice. */
  readonly maxActive?: number;
  /** Files that wait for their turn, and their bytes together. */
  readonly maxWaiting?: number;
  readonly maxWaitingBytes?: number;
  /** A slice takes milliseconds; a thread that is silent for so long hangs and is replaced. */
  readonly stallMs?: number;
  /** How often a file is begun because another one took the thread down. */
  readonly maxAttempts?: number;
  /** What the thread runs; another one in tests of what hangs. */
  readonly program?: URL;
}

export interface ThreadedSoundDecoder extends SoundDecoder {
  /** What is under way, for metrics and for the census after a test. */
  census(): { readonly active: number; readonly waiting: number; readonly threads: number };
  /** Ends the thread; what is still being decoded is rejected. */
  close(): Promise<void>;
}

const decodeThread = new URL('./decode-thread.ts', import.meta.url);

interface Job {
  readonly order: DecodeOrder;
  attempts: number;
  readonly resolve: (clip: SoundClip) => void;
  readonly reject: (error: DecodeError) => void;
}

/** Decodes in a thread that is started at the first file, and again when a file made it hang or die. */
export function createSoundDecoder(options: SoundDecoderOptions = {}): ThreadedSoundDecoder {
  const { maxSampleRate = 8_000, maxActive = 8, maxWaiting = 500, stallMs = 5_000 } = options;
  const { maxWaitingBytes = 100 << 20, maxAttempts = 3, program = decodeThread } = options;
  const active = new Map<number, Job>();
  const waiting: Job[] = [];
  let waitingBytes = 0;
  let names = 0;
  let thread: Worker | undefined;
  let atWork: number | undefined;
  let watch: NodeJS.Timeout | undefined;
  let isClosed = false;

  function start(): Worker {
    const data: DecodeThreadData = { maxSampleRate };
    const started = new Worker(program, {
      workerData: data,
      name: 'sound-decoder',
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    });
    started.on('message', (report: DecodeReport) => {
      if (started === thread) take(report);
    });
    const lost = (): void => {
      if (started === thread) replace('it made the decoder fail');
    };
    started.on('error', lost);
    started.on('exit', lost);
    return started;
  }

  function take(report: DecodeReport): void {
    if (report.type === 'turn') {
      atWork = report.job;
      watchOver();
      return;
    }
    const job = active.get(report.job);
    active.delete(report.job);
    atWork = undefined;
    if (report.type === 'done') job?.resolve(report.clip);
    else job?.reject(new DecodeError(report.code, report.sentence));
    next();
  }

  function watchOver(): void {
    clearTimeout(watch);
    // A main thread that was busy for so long finds the timer before the reports: these are taken first, then it is looked again.
    watch = setTimeout(() => {
      watch = setTimeout(() => replace('it took too long to decode'), Math.min(stallMs, 200));
    }, stallMs);
  }

  /** The one that was at work is to blame and is given up, the others begin again. */
  function replace(blame: string): void {
    const lost = thread;
    thread = undefined;
    void lost?.terminate();
    const culprit = atWork;
    atWork = undefined;
    for (const [name, job] of active) {
      if (name !== culprit && job.attempts < maxAttempts) continue;
      active.delete(name);
      job.reject(new DecodeError('broken-file', `it is broken: ${blame}`));
    }
    for (const job of active.values()) send(job);
    next();
  }

  function send(job: Job): void {
    thread ??= start();
    job.attempts++;
    thread.postMessage(job.order);
  }

  function next(): void {
    while (active.size < maxActive) {
      const job = waiting.shift();
      if (job === undefined) break;
      waitingBytes -= job.order.file.length;
      active.set(job.order.job, job);
      send(job);
    }
    if (active.size === 0) {
      clearTimeout(watch);
      // An idle thread keeps nobody from ending.
      thread?.unref();
    } else {
      thread?.ref();
      watchOver();
    }
  }

  return {
    census: () => ({ active: active.size, waiting: waiting.length, threads: thread === undefined ? 0 : 1 }),
    decode(file: Uint8Array, { seconds }: DecodeLimits) {
      if (isClosed) return Promise.reject(new DecodeError('closed', 'the decoder was closed'));
      if (waiting.length >= maxWaiting || waitingBytes + file.length > maxWaitingBytes) {
        const sentence = 'too many sound files are waiting to be decoded';
        return Promise.reject(new DecodeError('too-many-requests', sentence));
      }
      return new Promise((resolve, reject) => {
        waiting.push({ order: { job: ++names, file: alone(file), seconds }, attempts: 0, resolve, reject });
        waitingBytes += file.length;
        next();
      });
    },
    async close() {
      isClosed = true;
      clearTimeout(watch);
      const running = thread;
      thread = undefined;
      const left = [...active.values(), ...waiting.splice(0)];
      active.clear();
      for (const { reject } of left) reject(new DecodeError('closed', 'the decoder was closed'));
      await running?.terminate();
    },
  };
}

/** A view of a larger buffer would take all of that buffer along to the thread. */
function alone(file: Uint8Array): Uint8Array {
  return file.byteLength === file.buffer.byteLength ? file : new Uint8Array(file);
}
