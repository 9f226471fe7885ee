import { mkdir } from 'node:fs/promises';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type {
  CaptureTrack,
  MixCommand,
  RecordedFile,
  Recorder,
  RecordingFailure,
  RecordingOrder,
} from '@jackfield/ports';
import type { FromRecorderThread, RecorderLimits, RecorderStats } from './recorder-messages.ts';
import { type RecorderThread, startRecorderThread } from './recorder-thread.ts';
import { RecordingError } from './recording-error.ts';

/** The recorder's view of the media engine: audio goes through the port, bypassing this thread. */
export interface CaptureSource {
  send(command: MixCommand): void;
  /** Each media thread posts its captured audio to a port of its own from now on; earlier ports are no longer used. */
  sendCapturesTo(openPort: () => MessagePort): void;
}

export interface RecorderOptions {
  /** Created when missing. */
  readonly directory: string;
  readonly media: CaptureSource;
  readonly limits?: Partial<RecorderLimits>;
  /** How long to wait for the end of a capture before the file is completed without it. */
  readonly endOfCaptureMs?: number;
  /** How long a disk may take to open a file, and to complete it. */
  readonly diskMs?: number;
}

/** Writes recordings in a thread of its own. */
export interface DiskRecorder extends Recorder {
  /** Undefined while no thread runs. */
  stats(): Promise<RecorderStats | undefined>;
  /** Completes open recordings and ends the thread; safe to call twice. */
  close(): Promise<void>;
}

const recorderLimits: RecorderLimits = {
  openRecordings: 1000,
  // Just below the limit of a WAV header: seven hours of ten tracks at 8 kHz.
  bytesPerFile: 4 * 1024 ** 3 - 1024 ** 2,
  // Half a minute of one track at 8 kHz in WAV.
  waitingBytes: 512 * 1024,
};

interface Running {
  phase: 'opening' | 'recording' | 'finishing';
  readonly opened: PromiseWithResolvers<void>;
  started: Promise<void>;
  readonly finished: PromiseWithResolvers<RecordedFile>;
}

type Failed = RecordingFailure & { readonly recording: string };

/** Resolves when the thread can record; rejects when the directory cannot be created or the thread does not start. */
export async function createRecorder(options: RecorderOptions): Promise<DiskRecorder> {
  await mkdir(options.directory, { recursive: true });
  const recorder = new ThreadRecorder(options);
  await recorder.begin();
  return recorder;
}

class ThreadRecorder implements DiskRecorder {
  readonly #directory: string;
  readonly #media: CaptureSource;
  readonly #limits: RecorderLimits;
  readonly #endOfCaptureMs: number;
  readonly #diskMs: number;
  readonly #running = new Map<string, Running>();
  readonly #listeners = new Set<(failure: Failed) => void>();
  readonly #questions = new Map<number, (stats: RecorderStats | undefined) => void>();
  #asked = 0;
  #starting: Promise<RecorderThread> | undefined;
  #closing: Promise<void> | undefined;

  constructor({ directory, media, limits, endOfCaptureMs = 2_000, diskMs = 30_000 }: RecorderOptions) {
    this.#directory = directory;
    this.#media = media;
    this.#limits = { ...recorderLimits, ...limits };
    this.#endOfCaptureMs = endOfCaptureMs;
    this.#diskMs = diskMs;
  }

  async begin(): Promise<void> {
    await this.#thread();
  }

  async start({ recording, format, tracks }: RecordingOrder): Promise<void> {
    if (this.#closing !== undefined) throw new RecordingError('internal', 'the recorder is closed');
    if (this.#running.has(recording)) {
      throw new RecordingError('internal', `recording ${recording} runs already`);
    }
    if (tracks.length === 0 || (format === 'mp3' && tracks.length > 2)) {
      const sentence = `${tracks.length} tracks do not fit into a file of format ${format}`;
      throw new RecordingError('internal', sentence);
    }
    const each: Running = {
      phase: 'opening',
      opened: Promise.withResolvers(),
      started: Promise.resolve(),
      finished: Promise.withResolvers(),
    };
    this.#running.set(recording, each);
    // It may fail while no caller waits.
    each.opened.promise.catch(() => {});
    each.finished.promise.catch(() => {});
    each.started = this.#open(each, { recording, format, tracks });
    return each.started;
  }

  retrack(recording: string, tracks: readonly CaptureTrack[]): void {
    this.#ifRunning(recording, { do: 'capture', capture: recording, tracks });
  }

  pause(recording: string): void {
    this.#ifRunning(recording, { do: 'pause-capture', capture: recording, paused: true });
  }

  resume(recording: string): void {
    this.#ifRunning(recording, { do: 'pause-capture', capture: recording, paused: false });
  }

  async stop(recording: string): Promise<RecordedFile> {
    const each = this.#running.get(recording);
    if (each === undefined) throw new RecordingError('internal', `recording ${recording} does not run`);
    await each.started;
    const waitMs = this.#endOfCaptureMs;
    if (each.phase !== 'finishing') {
      each.phase = 'finishing';
      this.#media.send({ do: 'end-capture', capture: recording });
      const thread = await this.#thread();
      thread.post({ type: 'finish', recording, waitMs });
    }
    const late = {
      recording,
      code: 'disk-slow',
      sentence: 'the disk did not complete the file in time',
    } as const;
    const limit = setTimeout(() => this.#fail(late), waitMs + this.#diskMs);
    return each.finished.promise.finally(() => clearTimeout(limit));
  }

  subscribe(listener: (failure: Failed) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async stats(): Promise<RecorderStats | undefined> {
    const thread = await this.#starting;
    if (thread === undefined) return undefined;
    const id = ++this.#asked;
    return new Promise((resolve) => {
      this.#questions.set(id, resolve);
      thread.post({ type: 'stats', id });
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await Promise.allSettled([...this.#running.keys()].map((recording) => this.stop(recording)));
    const thread = await this.#starting?.catch(() => undefined);
    await thread?.end();
  }

  /** The running thread, or a new one after it died. */
  #thread(): Promise<RecorderThread> {
    const start = { directory: this.#directory, limits: this.#limits };
    this.#starting ??= startRecorderThread(
      start,
      (message) => this.#handle(message),
      () => this.#died(),
    ).then(
      (thread) => {
        this.#media.sendCapturesTo(() => {
          const { port1, port2 } = new MessageChannel();
          thread.post({ type: 'captures', port: port2 }, [port2]);
          return port1;
        });
        return thread;
      },
      (error: unknown) => {
        this.#starting = undefined;
        throw error;
      },
    );
    return this.#starting;
  }

  #died(): void {
    this.#starting = undefined;
    for (const answer of this.#questions.values()) answer(undefined);
    this.#questions.clear();
    for (const recording of [...this.#running.keys()]) {
      this.#fail({ recording, code: 'internal', sentence: 'the recorder thread died' });
    }
  }

  #handle(message: FromRecorderThread): void {
    switch (message.type) {
      case 'opened':
        if (this.#running.has(message.recording)) this.#running.get(message.recording)?.opened.resolve();
        else this.#closeLate(message.recording);
        return;
      case 'finished':
        this.#running.get(message.recording)?.finished.resolve(message.file);
        this.#running.delete(message.recording);
        return;
      case 'failed': {
        const { recording, code, sentence } = message;
        this.#fail({ recording, code, sentence });
        return;
      }
      case 'stats':
        this.#questions.get(message.id)?.(message.stats);
        this.#questions.delete(message.id);
    }
  }

  /** The recording has already failed, so no caller waits for it. */
  #closeLate(recording: string): void {
    this.#starting?.then(
      (thread) => thread.post({ type: 'finish', recording, waitMs: 0 }),
      () => {},
    );
  }

  /** Reports a failure once: to a waiting caller, otherwise to the listeners. */
  #fail(failed: Failed): void {
    const { recording, code, sentence } = failed;
    const each = this.#running.get(recording);
    if (each === undefined) return;
    this.#running.delete(recording);
    if (each.phase === 'opening') each.opened.reject(new RecordingError(code, sentence));
    else if (each.phase === 'finishing') each.finished.reject(new RecordingError(code, sentence));
    else {
      this.#media.send({ do: 'end-capture', capture: recording });
      for (const listener of this.#listeners) listener(failed);
    }
  }

  async #open(each: Running, { recording, format, tracks }: RecordingOrder): Promise<void> {
    const late = {
      recording,
      code: 'disk-slow',
      sentence: 'the disk did not open the file in time',
    } as const;
    const limit = setTimeout(() => this.#fail(late), this.#diskMs);
    try {
      const thread = await this.#thread();
      thread.post({ type: 'open', recording, format, channels: tracks.length });
      await each.opened.promise;
    } catch (error) {
      if (this.#running.get(recording) === each) this.#running.delete(recording);
      throw error;
    } finally {
      clearTimeout(limit);
    }
    each.phase = 'recording';
    this.#media.send({ do: 'capture', capture: recording, tracks });
  }

  #ifRunning(recording: string, command: MixCommand): void {
    if (this.#running.get(recording)?.phase === 'recording') this.#media.send(command);
  }
}
