/** Why an item cannot be played, in a sentence for the customer. */
export class SoundProblem extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'SoundProblem';
  }
}
