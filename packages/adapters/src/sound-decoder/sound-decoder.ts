import type { DecodeLimits, SoundClip, SoundDecoder } from '@jackfield/ports';
import { DecodeError } from './decode-error.ts';
import { type DecoderProcess, startDecoderProcess } from './decoder-process.ts';
import type { DecodeReport } from './protocol.ts';
import { createReceivedClip, type ReceivedClip } from './received-clip.ts';

export interface SoundDecoderOptions {
  /** Clips of higher rates are converted to it in the process; the media engine runs at 8,000. */
  readonly maxSampleRate?: number;
  /** Files that are decoded concurrently, slice by slice. */
  readonly maxActive?: number;
  /** Files that wait, and their bytes together. */
  readonly maxWaiting?: number;
  readonly maxWaitingBytes?: number;
  /** A slice takes milliseconds; a process that is silent for this long hangs and is replaced. */
  readonly stallMs?: number;
  /** How often a file is restarted after another file ended the process. */
  readonly maxAttempts?: number;
  /** An idle process ends after this time, which frees its memory. */
  readonly idleMs?: number;
  /** The program of the process; another one in tests of hangs. */
  readonly program?: URL;
}

export interface SoundDecoderOfFiles extends SoundDecoder {
  /** Current work, for metrics and for the census after a test. */
  census(): { readonly active: number; readonly waiting: number; readonly processes: number };
  /** The process id while one runs. */
  readonly pid: number | undefined;
  /** Ends the process; files still being decoded are rejected. */
  close(): Promise<void>;
}

const decodeChild = new URL('./decode-child.ts', import.meta.url);

interface Job {
  readonly name: number;
  readonly file: Uint8Array;
  readonly seconds: number;
  attempts: number;
  clip?: ReceivedClip;
  readonly resolve: (clip: SoundClip) => void;
  readonly reject: (error: DecodeError) => void;
}

/**
 * Decodes in a process that starts with the first file, after a file made it hang or die, and after an idle time. A process instead of a
 * thread: memory that a thread frees stays with the server, 100 to 400 MB after some long files.
 */
export function createSoundDecoder(options: SoundDecoderOptions = {}): SoundDecoderOfFiles {
  const { maxSampleRate = 8_000, maxActive = 8, maxWaiting = 500, stallMs = 5_000 } = options;
  const { maxWaitingBytes = 100 << 20, maxAttempts = 3, idleMs = 30_000, program = decodeChild } = options;
  const active = new Map<number, Job>();
  const waiting: Job[] = [];
  let waitingBytes = 0;
  let names = 0;
  let running: DecoderProcess | undefined;
  let atWork: number | undefined;
  let watch: NodeJS.Timeout | undefined;
  let isClosed = false;

  function start(): DecoderProcess {
    return startDecoderProcess({
      program,
      maxSampleRate,
      reported: take,
      lost: () => replace('it made the decoder fail'),
    });
  }

  function take(report: DecodeReport): void {
    const job = active.get(report.job);
    switch (report.type) {
      case 'turn':
        atWork = report.job;
        watchOver();
        return;
      case 'begun':
        if (job !== undefined) job.clip = createReceivedClip(report.sampleRate, report.mostSamples);
        return;
      case 'samples':
        job?.clip?.take(report.samples);
        return;
      case 'done':
      case 'failed':
        active.delete(report.job);
        atWork = undefined;
        if (report.type === 'failed') job?.reject(new DecodeError(report.code, report.sentence));
        else if (job?.clip !== undefined) job.resolve(job.clip.finish());
        next();
    }
  }

  function watchOver(): void {
    clearTimeout(watch);
    // After a long busy time this thread sees the timer before the reports: a second timer lets it handle the reports first.
    watch = setTimeout(() => {
      watch = setTimeout(() => replace('it took too long to decode'), Math.min(stallMs, 200));
    }, stallMs);
  }

  /** Gives up the file that was being decoded and restarts the others. */
  function replace(blame: string): void {
    end();
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

  function end(): Promise<void> | undefined {
    const ended = running?.end();
    running = undefined;
    return ended;
  }

  function send(job: Job): void {
    running ??= start();
    job.attempts++;
    delete job.clip;
    running.decode(job.name, job.file, job.seconds);
  }

  function next(): void {
    while (active.size < maxActive) {
      const job = waiting.shift();
      if (job === undefined) break;
      waitingBytes -= job.file.length;
      active.set(job.name, job);
      send(job);
    }
    running?.hold(active.size > 0);
    if (active.size > 0) {
      watchOver();
      return;
    }
    clearTimeout(watch);
    // An idle process, and its end, keep no other process alive.
    watch = setTimeout(end, idleMs).unref();
  }

  return {
    get pid() {
      return running?.pid;
    },
    census: () => ({
      active: active.size,
      waiting: waiting.length,
      processes: running === undefined ? 0 : 1,
    }),
    decode(file: Uint8Array, { seconds }: DecodeLimits) {
      if (isClosed) return Promise.reject(new DecodeError('closed', 'the decoder was closed'));
      if (waiting.length >= maxWaiting || waitingBytes + file.length > maxWaitingBytes) {
        const sentence = 'too many sound files are waiting to be decoded';
        return Promise.reject(new DecodeError('too-many-requests', sentence));
      }
      return new Promise((resolve, reject) => {
        waiting.push({ name: ++names, file, seconds, attempts: 0, resolve, reject });
        waitingBytes += file.length;
        next();
      });
    },
    async close() {
      isClosed = true;
      clearTimeout(watch);
      const left = [...active.values(), ...waiting.splice(0)];
      active.clear();
      for (const { reject } of left) reject(new DecodeError('closed', 'the decoder was closed'));
      running?.hold(true);
      await end();
    },
  };
}
