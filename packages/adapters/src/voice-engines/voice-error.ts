import type { SpeechProblem } from '@jackfield/ports';

/** The reason why a text was not spoken. It quotes neither the text nor the engine. */
export class VoiceError extends Error {
  readonly code: SpeechProblem;

  constructor(code: SpeechProblem, sentence: string) {
    super(sentence);
    this.name = 'VoiceError';
    this.code = code;
  }
}
