import type { CaptureTrack } from './media.ts';

/**
 * Turns what callers say into words. A name of the caller's choice names a recognition. After `start`, results follow, and exactly one
 * `recognition-over` comes last, whatever the engine does.
 */
export interface SpeechRecognition {
  /** The same name twice is an error of the caller. */
  start(order: RecognitionOrder): void;
  /** No more audio: results of what was said follow, then `recognition-over`. Ignored for an unknown name. */
  finish(recognition: string): void;
  /** Gives up: `recognition-over` follows without further results. Ignored for an unknown name. */
  cancel(recognition: string): void;
  subscribe(listener: (notice: RecognitionNotice) => void): () => void;
}

/** What is recognised, and in which language. */
export interface RecognitionOrder extends SpeechRequestOptions {
  readonly recognition: string;
  /** The legs whose voices are recognised as one. */
  readonly track: CaptureTrack;
}

/** What an engine may know of the words before it hears them. An engine ignores what it has no use for, except for the language. */
export interface SpeechRequestOptions {
  /** A BCP 47 tag such as `en-US`. */
  readonly language: string;
  /** Words and phrases that are likely; empty: none. */
  readonly hints: readonly string[];
  /** A name of the engine's own; null: its default. */
  readonly model: string | null;
  /** Masks profane words. */
  readonly profanityFilter: boolean;
  /** Requests partial results, which an engine may leave out. */
  readonly interim: boolean;
}

/** Words that an engine has understood. Times count from the begin of the audio. */
export interface SpeechResult {
  /** False: replaces the partial result before it, and is replaced by the next result. */
  readonly isFinal: boolean;
  readonly text: string;
  /** From 0 to 1; null from an engine that gives none. */
  readonly confidence: number | null;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What happens to recognitions, in order for each. */
export type RecognitionNotice =
  | { readonly type: 'recognised'; readonly recognition: string; readonly result: SpeechResult }
  /** `problem` is null after a complete recognition. */
  | {
      readonly type: 'recognition-over';
      readonly recognition: string;
      readonly problem: RecognitionProblem | null;
    };

/** Why a recognition has ended early: for programs, and for people. The sentence contains no word of the caller. */
export interface RecognitionProblem {
  readonly code: RecognitionProblemCode;
  readonly sentence: string;
}

/** The first is a fault of the request; the others may pass on a later attempt. */
export type RecognitionProblemCode =
  | 'unknown-language'
  | 'too-many-recognitions'
  | 'engine-unreachable'
  | 'engine-slow'
  | 'engine-failed'
  | 'no-audio'
  | 'closed';

/** One engine behind the port: audio in, results out. It knows no legs. */
export interface SpeechEngine {
  /** Never throws; a failure is reported. */
  open(request: SpeechRequestOptions, report: SpeechReport): SpeechSession;
  /** Ends all sessions with `closed`. */
  close(): void;
}

/** The audio of one recognition on its way to an engine. */
export interface SpeechSession {
  /** 16-bit samples, mono, at `engineSampleRate`; any number. The engine may keep them. */
  write(samples: Int16Array): void;
  /** No more audio. Results may follow, then `over`. */
  finish(): void;
  /** Frees the session; nothing is reported any more. */
  cancel(): void;
}

/** What an engine reports of one session; nothing follows `over`. */
export interface SpeechReport {
  result(result: SpeechResult): void;
  over(problem: RecognitionProblem | null): void;
}

/** In Hz: what most models were trained with. Audio of telephones is converted. */
export const engineSampleRate = 16_000;
