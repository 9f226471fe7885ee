import type { CaptureTrack } from './media.ts';

/**
 * Writes what calls say into sound files, away from the main thread and from the ticks. A recording is named by its UUID, and
 * its file appears in the recording files under `<recording>.<format>` from the start: what a crash leaves of it can be played.
 */
export interface Recorder {
  /** Opens the file and begins to take down. Rejects when the file cannot be opened or too many are. */
  start(order: RecordingOrder): Promise<void>;
  /** Other legs on the same tracks, without a gap; nothing for one that is not running. */
  retrack(recording: string, tracks: readonly CaptureTrack[]): void;
  pause(recording: string): void;
  resume(recording: string): void;
  /** Completes the file. Rejects when nothing of the kind runs, or when the file broke. */
  stop(recording: string): Promise<RecordedFile>;
  /** A recording that broke by itself (disk full, encoder gone); its file keeps what was written. */
  subscribe(
    listener: (failure: { readonly recording: string; readonly sentence: string }) => void,
  ): () => void;
}

/** What is to be recorded: a new file, and the tracks in it. */
export interface RecordingOrder {
  readonly recording: string;
  readonly format: RecordingFormat;
  /** One or two: mono, or left and right. Any number for WAV. */
  readonly tracks: readonly CaptureTrack[];
}

/** The ending of the file's name as well. */
export type RecordingFormat = 'mp3' | 'wav';

/** What stands in a file. */
export interface RecordedFile {
  readonly durationMs: number;
  readonly bytes: number;
}
