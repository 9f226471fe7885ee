import type { RecordedFile, RecordingFormat } from './recorder.ts';

/** Where recordings lie: a directory by default. Names are `<recording uuid>.<format>`; anything else is refused. */
export interface RecordingFiles {
  /** Undefined when there is no such file; rejects when nobody can tell now. */
  size(name: string): Promise<number | undefined>;
  /** Bytes `from` to `to` inclusive; rejects when they do not exist. */
  read(name: string, from: number, to: number): Promise<AsyncIterable<Uint8Array>>;
  /** Nothing when it is gone already. */
  remove(name: string): Promise<void>;
  /** After a crash: makes the file whole (a WAV header that says its length) and tells what is in it; undefined without file. */
  repair(name: string, format: RecordingFormat): Promise<RecordedFile | undefined>;
  /**
   * Takes a file that is complete to the place where it stays; resolves when it is there, also when it was before, or when there
   * is no such file any more. Rejects with a sentence for the operator; then it is asked again. Absent where files stay where
   * they were written.
   */
  keep?(name: string, signal: AbortSignal): Promise<void>;
}
