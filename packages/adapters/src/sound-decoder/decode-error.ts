import type { DecodeProblem } from '@jackfield/ports';

/** Why there is no clip; the message is a sentence for customers. */
export class DecodeError extends Error {
  readonly code: DecodeProblem;

  constructor(code: DecodeProblem, sentence: string) {
    super(sentence);
    this.name = 'DecodeError';
    this.code = code;
  }
}
