import type { SpeechProblem } from '@jackfield/ports';

/** A text that was not spoken. Its sentence quotes neither the text nor the engine. */
export class VoiceError extends Error {
  readonly code: SpeechProblem;

  constructor(code: SpeechProblem, sentence: string) {
    super(sentence);
    this.name = 'VoiceError';
    this.code = code;
  }
}
