import { mkdir } from 'node:fs/promises';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { MixCommand, RecordedFile, Recorder, RecordingOrder } from '@jackfield/ports';
import type { FromRecorderThread, RecorderLimits, RecorderStats } from './recorder-messages.ts';
import { type RecorderThread, startRecorderThread } from './recorder-thread.ts';

/** The recorder's view of the media engine: audio goes through the port, bypassing this thread. */
export interface CaptureSource {
  send(command: MixCommand): void;
  /** Posts all captured audio there from now on; an earlier port is no longer used. */
  sendCapturesTo(port: MessagePort): void;
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
  /** Completes what is open and ends the thread; safe to call twice. */
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

/** Resolves when the thread can record; rejects when the directory cannot be created or the thread does not start. */
export async function createRecorder(options: RecorderOptions): Promise<DiskRecorder> {
  const { directory, media, endOfCaptureMs = 2_000, diskMs = 30_000 } = options;
  const limits = { ...recorderLimits, ...options.limits };
  const running = new Map<string, Running>();
  const listeners = new Set<(failure: { recording: string; sentence: string }) => void>();
  const questions = new Map<number, (stats: RecorderStats | undefined) => void>();
  let asked = 0;
  let starting: Promise<RecorderThread> | undefined;
  let closing: Promise<void> | undefined;

  await mkdir(directory, { recursive: true });
  await threadOf();

  /** The running thread, or a new one after it died. */
  function threadOf(): Promise<RecorderThread> {
    starting ??= startRecorderThread({ directory, limits }, heard, () => {
      starting = undefined;
      for (const answer of questions.values()) answer(undefined);
      questions.clear();
      for (const recording of [...running.keys()]) fail(recording, 'the recorder thread died');
    }).then(
      (thread) => {
        const { port1, port2 } = new MessageChannel();
        thread.post({ type: 'captures', port: port2 }, [port2]);
        media.sendCapturesTo(port1);
        return thread;
      },
      (error: unknown) => {
        starting = undefined;
        throw error;
      },
    );
    return starting;
  }

  function heard(message: FromRecorderThread): void {
    switch (message.type) {
      case 'opened':
        if (running.has(message.recording)) running.get(message.recording)?.opened.resolve();
        else closeLate(message.recording);
        return;
      case 'finished':
        running.get(message.recording)?.finished.resolve(message.file);
        running.delete(message.recording);
        return;
      case 'failed':
        fail(message.recording, message.sentence);
        return;
      case 'stats':
        questions.get(message.id)?.(message.stats);
        questions.delete(message.id);
    }
  }

  /** The recording has already failed, so no caller waits for it. */
  function closeLate(recording: string): void {
    starting?.then(
      (thread) => thread.post({ type: 'finish', recording, waitMs: 0 }),
      () => {},
    );
  }

  /** Reports a failure once: to a waiting caller, otherwise to the listeners. */
  function fail(recording: string, sentence: string): void {
    const each = running.get(recording);
    if (each === undefined) return;
    running.delete(recording);
    if (each.phase === 'opening') each.opened.reject(new Error(sentence));
    else if (each.phase === 'finishing') each.finished.reject(new Error(sentence));
    else {
      media.send({ do: 'end-capture', capture: recording });
      for (const listener of listeners) listener({ recording, sentence });
    }
  }

  async function begin(each: Running, { recording, format, tracks }: RecordingOrder): Promise<void> {
    const late = () => fail(recording, 'the disk did not open the file in time');
    const limit = setTimeout(late, diskMs);
    try {
      const thread = await threadOf();
      thread.post({ type: 'open', recording, format, channels: tracks.length });
      await each.opened.promise;
    } catch (error) {
      if (running.get(recording) === each) running.delete(recording);
      throw error;
    } finally {
      clearTimeout(limit);
    }
    each.phase = 'recording';
    media.send({ do: 'capture', capture: recording, tracks });
  }

  function ifRunning(recording: string, command: MixCommand): void {
    if (running.get(recording)?.phase === 'recording') media.send(command);
  }

  const recorder: DiskRecorder = {
    async start({ recording, format, tracks }) {
      if (closing !== undefined) throw new Error('the recorder is closed');
      if (running.has(recording)) throw new Error(`recording ${recording} runs already`);
      if (tracks.length === 0 || (format === 'mp3' && tracks.length > 2)) {
        throw new Error(`${tracks.length} tracks do not fit into a file of format ${format}`);
      }
      const each: Running = {
        phase: 'opening',
        opened: Promise.withResolvers(),
        started: Promise.resolve(),
        finished: Promise.withResolvers(),
      };
      running.set(recording, each);
      // It may fail while no caller waits.
      each.opened.promise.catch(() => {});
      each.finished.promise.catch(() => {});
      each.started = begin(each, { recording, format, tracks });
      return each.started;
    },
    retrack: (recording, tracks) => ifRunning(recording, { do: 'capture', capture: recording, tracks }),
    pause: (recording) => ifRunning(recording, { do: 'pause-capture', capture: recording, paused: true }),
    resume: (recording) => ifRunning(recording, { do: 'pause-capture', capture: recording, paused: false }),
    async stop(recording) {
      const each = running.get(recording);
      if (each === undefined) throw new Error(`recording ${recording} does not run`);
      await each.started;
      if (each.phase !== 'finishing') {
        each.phase = 'finishing';
        media.send({ do: 'end-capture', capture: recording });
        const thread = await threadOf();
        thread.post({ type: 'finish', recording, waitMs: endOfCaptureMs });
      }
      const limit = setTimeout(
        () => fail(recording, 'the disk did not take the file in time'),
        endOfCaptureMs + diskMs,
      );
      return each.finished.promise.finally(() => clearTimeout(limit));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async stats() {
      const thread = await starting;
      if (thread === undefined) return undefined;
      const id = ++asked;
      return new Promise((resolve) => {
        questions.set(id, resolve);
        thread.post({ type: 'stats', id });
      });
    },
    close() {
      closing ??= (async () => {
        await Promise.allSettled([...running.keys()].map((recording) => recorder.stop(recording)));
        const thread = await starting?.catch(() => undefined);
        await thread?.end();
      })();
      return closing;
    },
  };
  return recorder;
}
