import type { TranscriptionProblemCode } from '@jackfield/ports';

/** A recording that cannot be transcribed. */
export class TranscriptionError extends Error {
  readonly code: TranscriptionProblemCode;

  constructor(code: TranscriptionProblemCode, sentence: string) {
    super(sentence);
    this.name = 'TranscriptionError';
    this.code = code;
  }
}
