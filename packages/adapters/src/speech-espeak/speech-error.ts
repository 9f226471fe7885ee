import type { SpeechProblem } from '@jackfield/ports';
export class SpeechError extends Error {
  readonly code: SpeechProblem;

  constructor(code: SpeechProblem, sentence: string) {
    super(sentence);
    this.name = 'SpeechError';
    this.code = code;
  }
}
