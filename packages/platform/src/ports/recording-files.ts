import type { RecordedFile, RecordingFormat } from './recorder.ts';

/** Where recordings lie: a directory by default. Names are `<recording uuid>.<format>`; anything else is refused. */
export interface RecordingFiles {
  /** Undefined when there is no such file. */
  size(name: string): Promise<number | undefined>;
  /** Bytes `from` to `to` inclusive; rejects when they do not exist. */
  read(name: string, from: number, to: number): Promise<AsyncIterable<Uint8Array>>;
  /** Nothing when it is gone already. */
  remove(name: string): Promise<void>;
  /** After a crash: makes the file whole (a WAV header that says its length) and tells what is in it; undefined without file. */
  repair(name: string, format: RecordingFormat): Promise<RecordedFile | undefined>;
}
