import type { SoundClip } from './media.ts';

/** Turns text into sound. Equal requests may share one clip, so its samples are read-only. */
export interface Speech {
  /** Speaks a text. Rejects with an Error whose `code` is a `SpeechProblem`. */
  speak(request: SpeechRequest): Promise<SoundClip>;
  /**
   * The same in pieces, the first as soon as it is made. Rejects as `speak` does, with the first piece or with a later one. Undefined for a text
   * that is made whole, absent from an engine that makes all of them whole.
   */
  stream?(request: SpeechRequest, signal: AbortSignal): AsyncIterable<SoundClip> | undefined;
  /** The engine of an account, for caches by text: two engines speak differently. One for all when absent. */
  engineOf?(accounts: readonly string[]): string;
  /** Texts that it makes at a time, in all and for one account. */
  readonly concurrent?: { readonly atOnce: number; readonly perGroup: number };
}

/** A speech engine that lists its languages. */
export interface SpeechLanguages {
  /** BCP 47 tags in alphabetical order; `speak` accepts each. Rejects with an Error whose `code` is a `SpeechProblem`. */
  languages(): Promise<readonly string[]>;
}

/** A text to speak; `language` is a BCP 47 tag such as `en-US`, matched without case and, if need be, without its region. */
export interface SpeechRequest {
  readonly text: string;
  /**
   * The same words as SSML, well-formed, of the elements in docs/reference/speech.md#markup with checked values. An engine that follows no markup
   * speaks `text`.
   */
  readonly markup?: string;
  readonly language: string;
  /** Defaults to `woman`. */
  readonly voice?: 'woman' | 'man';
  /** Who speaks: the account, then its main account. Without one the embedded engine speaks. */
  readonly accounts?: readonly string[];
}

/** Why the text was not spoken; the first three are faults of the request, the others may pass on a later retry. */
export type SpeechProblem =
  | 'text-empty'
  | 'text-too-long'
  | 'unknown-language'
  | 'too-many-requests'
  | 'timeout'
  | 'engine-failed'
  | 'closed';
