/** What the owner of a recording asks for. */
export interface TranscriptRequest {
  /** A BCP 47 tag such as `en-US`. */
  readonly language: string;
  /** Digits are masked before a word is written. */
  readonly redactsDigits: boolean;
  /** Gets the whole text once. */
  readonly callback: { readonly url: string; readonly method: 'GET' | 'POST' } | null;
}
