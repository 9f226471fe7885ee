import type { RecordedFile, RecordingFormat } from './recorder.ts';

/** The store of recordings: a directory by default. Names are `<recording uuid>.<format>`; any other is refused. */
export interface RecordingFiles {
  /** Undefined when there is no such file; rejects while the store is unreachable. */
  size(name: string): Promise<number | undefined>;
  /** Bytes `from` to `to` inclusive; rejects when they do not exist. */
  read(name: string, from: number, to: number): Promise<AsyncIterable<Uint8Array>>;
  /** Ignored when the file does not exist. */
  remove(name: string): Promise<void>;
  /** After a crash: completes the file (the length in a WAV header) and returns its content; undefined without a file. */
  repair(name: string, format: RecordingFormat): Promise<RecordedFile | undefined>;
  /**
   * Moves a complete file to its permanent store. Resolves when it is there, even if it was before, or when the file does not
   * exist. Rejects with a sentence for the operator; the caller then retries. Absent if files stay where they were written.
   */
  keep?(name: string, signal: AbortSignal): Promise<void>;
}
