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
  /** A new process may be silent for this long: it starts slowly on a busy machine, which is not the fault of a file. */
  readonly startMs?: number;
  /** How many times a file is restarted after another file ended the process. */
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
  return new ProcessDecoder({ ...defaults, ...options });
}

const defaults: Required<SoundDecoderOptions> = {
  maxSampleRate: 8_000,
  maxActive: 8,
  maxWaiting: 500,
  maxWaitingBytes: 100 << 20,
  stallMs: 5_000,
  startMs: 30_000,
  maxAttempts: 3,
  idleMs: 30_000,
  program: decodeChild,
};

class ProcessDecoder implements SoundDecoderOfFiles {
  readonly #options: Required<SoundDecoderOptions>;
  readonly #active = new Map<number, Job>();
  readonly #waiting: Job[] = [];
  #waitingBytes = 0;
  #names = 0;
  #running: DecoderProcess | undefined;
  #atWork: number | undefined;
  /** The running process has reported something. */
  #hasReported = false;
  #watch: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: Required<SoundDecoderOptions>) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#running?.pid;
  }

  census() {
    return {
      active: this.#active.size,
      waiting: this.#waiting.length,
      processes: this.#running === undefined ? 0 : 1,
    };
  }

  decode(file: Uint8Array, { seconds }: DecodeLimits): Promise<SoundClip> {
    if (this.#isClosed) return Promise.reject(new DecodeError('closed', 'the decoder was closed'));
    const { maxWaiting, maxWaitingBytes } = this.#options;
    if (this.#waiting.length >= maxWaiting || this.#waitingBytes + file.length > maxWaitingBytes) {
      const sentence = 'too many sound files are waiting to be decoded';
      return Promise.reject(new DecodeError('too-many-requests', sentence));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ name: ++this.#names, file, seconds, attempts: 0, resolve, reject });
      this.#waitingBytes += file.length;
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#watch);
    const left = [...this.#active.values(), ...this.#waiting.splice(0)];
    this.#active.clear();
    for (const { reject } of left) reject(new DecodeError('closed', 'the decoder was closed'));
    this.#running?.hold(true);
    await this.#end();
  }

  #start(): DecoderProcess {
    const { program, maxSampleRate } = this.#options;
    this.#hasReported = false;
    return startDecoderProcess({
      program,
      maxSampleRate,
      reported: (report) => this.#handle(report),
      lost: () => this.#replace('it made the decoder fail'),
    });
  }

  #handle(report: DecodeReport): void {
    this.#hasReported = true;
    const job = this.#active.get(report.job);
    switch (report.type) {
      case 'turn':
        this.#atWork = report.job;
        this.#watchOver();
        return;
      case 'begun':
        if (job !== undefined) job.clip = createReceivedClip(report.sampleRate, report.mostSamples);
        return;
      case 'samples':
        job?.clip?.take(report.samples);
        return;
      case 'done':
      case 'failed':
        this.#active.delete(report.job);
        this.#atWork = undefined;
        if (report.type === 'failed') job?.reject(new DecodeError(report.code, report.sentence));
        else if (job?.clip !== undefined) job.resolve(job.clip.finish());
        this.#next();
    }
  }

  #watchOver(): void {
    const { stallMs, startMs } = this.#options;
    clearTimeout(this.#watch);
    // After a long busy time this thread sees the timer before the reports: a second timer lets it handle the reports first.
    this.#watch = setTimeout(
      () => {
        this.#watch = setTimeout(() => this.#replace('it took too long to decode'), Math.min(stallMs, 200));
      },
      this.#hasReported ? stallMs : startMs,
    );
  }

  /** Gives up the file that was being decoded and restarts the others. */
  #replace(blame: string): void {
    this.#end();
    const culprit = this.#atWork;
    this.#atWork = undefined;
    for (const [name, job] of this.#active) {
      if (name !== culprit && job.attempts < this.#options.maxAttempts) continue;
      this.#active.delete(name);
      job.reject(new DecodeError('broken-file', `it is broken: ${blame}`));
    }
    for (const job of this.#active.values()) this.#send(job);
    this.#next();
  }

  #end(): Promise<void> | undefined {
    const ended = this.#running?.end();
    this.#running = undefined;
    return ended;
  }

  #send(job: Job): void {
    this.#running ??= this.#start();
    job.attempts++;
    delete job.clip;
    this.#running.decode(job.name, job.file, job.seconds);
  }

  #next(): void {
    while (this.#active.size < this.#options.maxActive) {
      const job = this.#waiting.shift();
      if (job === undefined) break;
      this.#waitingBytes -= job.file.length;
      this.#active.set(job.name, job);
      this.#send(job);
    }
    this.#running?.hold(this.#active.size > 0);
    if (this.#active.size > 0) {
      this.#watchOver();
      return;
    }
    clearTimeout(this.#watch);
    // An idle process, and its end, keep no other process alive.
    this.#watch = setTimeout(() => this.#end(), this.#options.idleMs).unref();
  }
}
