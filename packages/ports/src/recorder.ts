import type { CaptureTrack } from './media.ts';

/**
 * Writes the audio of calls into sound files, outside the main thread and the media ticks. A UUID names a recording, and its
 * file is `<recording>.<format>` from the start: the part that a crash leaves can be played.
 */
export interface Recorder {
  /** Opens the file and begins to record. Rejects when the file cannot be opened or too many are open. */
  start(order: RecordingOrder): Promise<void>;
  /** Replaces the legs of the tracks without a gap; ignored for a recording that is not running. */
  retrack(recording: string, tracks: readonly CaptureTrack[]): void;
  pause(recording: string): void;
  resume(recording: string): void;
  /** Completes the file. Rejects when the recording is not running, or has failed. */
  stop(recording: string): Promise<RecordedFile>;
  /** Reports a recording that failed (disk full, encoder gone); its file keeps the part that was written. */
  subscribe(listener: (failure: RecordingFailure & { readonly recording: string }) => void): () => void;
}

/** Why a recording has no complete file: for programs, and for people. A rejection is an Error with this `code`. */
export interface RecordingFailure {
  readonly code: RecordingFailureCode;
  readonly sentence: string;
}

/** Whether the disk, a limit or a fault of the program ended the file. */
export type RecordingFailureCode =
  | 'disk-full'
  | 'disk-slow'
  | 'disk-failed'
  | 'file-too-large'
  | 'too-many-recordings'
  | 'internal';

/** A new file, and the tracks in it. */
export interface RecordingOrder {
  readonly recording: string;
  readonly format: RecordingFormat;
  /** One or two: mono, or left and right. Any number for WAV. */
  readonly tracks: readonly CaptureTrack[];
}

/** Also the extension of the file. */
export type RecordingFormat = 'mp3' | 'wav';

/** The content of a file. */
export interface RecordedFile {
  readonly durationMs: number;
  readonly bytes: number;
  /** Absent for a file without sound, and for a file that was repaired. */
  readonly peaks?: RecordedPeaks;
}

/** The least and the greatest sample of each `pairMs` of a recording, in a bounded number. */
export interface RecordedPeaks {
  /** 100, or a multiple of it for a long recording. */
  readonly pairMs: number;
  /** For each channel its pairs, one after another, from −127 to 127. */
  readonly channels: readonly Int8Array[];
}
