import type { DecodeProblem } from '@jackfield/ports';

/** Why there is no clip; the message is a sentence that a customer may read. */
export class DecodeError extends Error {
  readonly code: DecodeProblem;

  constructor(code: DecodeProblem, sentence: string) {
    super(sentence);
    this.name = 'DecodeError';
    this.code = code;
  }
}
