import type { MessagePort } from 'node:worker_threads';
import type { RecordedFile, RecordingFailure, RecordingFormat } from '@jackfield/ports';

/** Beyond these limits a recording is refused, or fails alone. */
export interface RecorderLimits {
  /** Recordings that are open at the same time. */
  readonly openRecordings: number;
  /** Bytes of one file; a WAV header counts to 4 GiB. */
  readonly bytesPerFile: number;
  /** Encoded bytes of one recording that the disk has not accepted yet. */
  readonly waitingBytes: number;
}

/** Counters of the recorder thread, for metrics. */
export interface RecorderStats {
  readonly open: number;
  readonly waitingBytes: number;
  readonly writtenBytes: number;
  /** Portions of audio for a recording that is not open, no longer open, or has failed. */
  readonly droppedPortions: number;
  readonly cpuMs: number;
}

/** The start values of the recorder thread. */
export interface RecorderThreadData {
  readonly directory: string;
  readonly limits: RecorderLimits;
}

export type ToRecorderThread =
  | { readonly type: 'captures'; readonly port: MessagePort }
  | {
      readonly type: 'open';
      readonly recording: string;
      readonly format: RecordingFormat;
      readonly channels: number;
    }
  /** Completes the file when the capture has ended, or after `waitMs` without its end. */
  | { readonly type: 'finish'; readonly recording: string; readonly waitMs: number }
  | { readonly type: 'stats'; readonly id: number };

export type FromRecorderThread =
  | { readonly type: 'ready' }
  | { readonly type: 'opened'; readonly recording: string }
  | { readonly type: 'finished'; readonly recording: string; readonly file: RecordedFile }
  /** The recording could not be opened, or broke: its last message. */
  | ({ readonly type: 'failed'; readonly recording: string } & RecordingFailure)
  | { readonly type: 'stats'; readonly id: number; readonly stats: RecorderStats };
