import type { SoundClip } from './media.ts';

/** Turns text into sound. Equal requests may share one clip: nobody writes into its samples. */
export interface Speech {
  /** Speaks plain text (no markup). Rejects with an Error whose `code` is a `SpeechProblem`. */
  speak(request: SpeechRequest): Promise<SoundClip>;
}

/** A speech engine that knows what it can say. */
export interface SpeechLanguages {
  /** BCP 47 tags in alphabetical order; `speak` takes each of them. Rejects with an Error whose `code` is a `SpeechProblem`. */
  languages(): Promise<readonly string[]>;
}

/** What is to be said; `language` is a BCP 47 tag such as `en-US`, matched without case and, if need be, without its region. */
export interface SpeechRequest {
  readonly text: string;
  readonly language: string;
  /** Defaults to `woman`. */
  readonly voice?: 'woman' | 'man';
}

/** Why nothing was said; the first three are mistakes of the request, the others are over when it is repeated later. */
export type SpeechProblem =
  | 'text-empty'
  | 'text-too-long'
  | 'unknown-language'
  | 'too-many-requests'
  | 'timeout'
  | 'engine-failed'
  | 'closed';
