import type { SoundClip } from './media.ts';

/** Reads sound files, away from the main thread. */
export interface SoundDecoder {
  /** MP3 or WAV, recognised by its bytes; several channels become one. Rejects with an Error whose `code` is a `DecodeProblem`. */
  decode(file: Uint8Array, limits: DecodeLimits): Promise<SoundClip>;
}

/** How much of a file is taken. */
export interface DecodeLimits {
  /** What lies beyond is refused, whatever the file claims. */
  readonly seconds: number;
}

/** The first three are faults of the file. */
export type DecodeProblem = 'unknown-format' | 'broken-file' | 'too-long' | 'too-many-requests' | 'closed';
