import type { SoundClip } from './media.ts';

/** Decodes sound files outside the main thread. */
export interface SoundDecoder {
  /** MP3 or WAV, recognised by its bytes; several channels become one. Rejects with an Error whose `code` is a `DecodeProblem`. */
  decode(file: Uint8Array, limits: DecodeLimits): Promise<SoundClip>;
}

/** Limits on a file. */
export interface DecodeLimits {
  /** A longer sound is refused, whatever length the file claims. */
  readonly seconds: number;
}

/** The first three are faults of the file. */
export type DecodeProblem = 'unknown-format' | 'broken-file' | 'too-long' | 'too-many-requests' | 'closed';
