import type { RecordingFormat } from './recorder.ts';

/** Turns the file of a recording into words, in parts; also while the recorder still writes it. */
export interface Transcription {
  /**
   * The words of the next part of the file, half a minute of each channel at most. Rejects with an Error whose `code` is a
   * `TranscriptionProblemCode` and whose sentence contains no word of a caller, or with the reason of the signal.
   */
  next(order: TranscriptionOrder, signal: AbortSignal): Promise<TranscribedPart>;
}

/** The part of a file that is transcribed next. */
export interface TranscriptionOrder {
  readonly recording: string;
  readonly format: RecordingFormat;
  /** Milliseconds of each channel that are transcribed already; empty for a file that is begun. */
  readonly positions: readonly number[];
  /** The recorder writes no more: the last words are complete. */
  readonly isComplete: boolean;
  /** A BCP 47 tag such as `en-US`. */
  readonly language: string;
}

/** The words of a part, in order of time, and where the next part begins. */
export interface TranscribedPart {
  readonly positions: readonly number[];
  readonly words: readonly TranscribedWords[];
  /** Nothing follows in a complete file. */
  readonly isOver: boolean;
}

/** What one channel says between two pauses. */
export interface TranscribedWords {
  /** Counted from 0. */
  readonly channel: number;
  readonly text: string;
  /** From 0 to 1; null from an engine that gives none. */
  readonly confidence: number | null;
  /** Milliseconds of the file. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** `no-file`: there is no such file, or it has no sound that can be read. The engine may do better on a later attempt, except for the language. */
export type TranscriptionProblemCode =
  | 'unknown-language'
  | 'engine-unreachable'
  | 'engine-slow'
  | 'engine-failed'
  | 'no-file';
