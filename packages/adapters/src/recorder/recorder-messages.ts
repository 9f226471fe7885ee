import type { MessagePort } from 'node:worker_threads';
import type { RecordedFile, RecordingFormat } from '@jackfield/ports';

/** Beyond them a recording is refused, or fails alone. */
export interface RecorderLimits {
  /** Recordings that are open at the same time. */
  readonly openRecordings: number;
  /** Of one file; a WAV header counts to 4 GiB. */
  readonly bytesPerFile: number;
  /** Of one recording, encoded and not yet taken by the disk. */
  readonly waitingBytes: number;
}

/** Counters of the recorder thread, for metrics. */
export interface RecorderStats {
  readonly open: number;
  readonly waitingBytes: number;
  readonly writtenBytes: number;
  /** Portions of audio that came for a recording that is not open (any more), or that has failed. */
  readonly droppedPortions: number;
  readonly cpuMs: number;
}

/** What the recorder thread starts with. */
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
  /** It could not be opened, or broke: its last word. */
  | { readonly type: 'failed'; readonly recording: string; readonly sentence: string }
  | { readonly type: 'stats'; readonly id: number; readonly stats: RecorderStats };
