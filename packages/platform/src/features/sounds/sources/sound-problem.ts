import type { SoundProblemCode } from '../domain/play-order.ts';

/** Why an item cannot be played, as a code and in a sentence for the customer. */
export class SoundProblem extends Error {
  readonly code: SoundProblemCode;

  constructor(code: SoundProblemCode, sentence: string) {
    super(sentence);
    this.name = 'SoundProblem';
    this.code = code;
  }
}
