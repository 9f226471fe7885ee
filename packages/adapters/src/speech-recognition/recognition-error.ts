import type { RecognitionProblem, RecognitionProblemCode } from '@jackfield/ports';

/** A problem of an engine as a rejection. Its sentence never quotes the answer of the engine. */
export class RecognitionError extends Error {
  readonly code: RecognitionProblemCode;

  constructor(code: RecognitionProblemCode, sentence: string) {
    super(sentence);
    this.name = 'RecognitionError';
    this.code = code;
  }
}

/** The problem behind any rejection; an unexpected one is a failure of the engine. */
export function problemOf(error: unknown): RecognitionProblem {
  if (error instanceof RecognitionError) return { code: error.code, sentence: error.message };
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return { code: 'engine-slow', sentence: 'the speech engine did not answer in time' };
  }
  return { code: 'engine-failed', sentence: 'the speech engine failed' };
}

export const closedProblem: RecognitionProblem = { code: 'closed', sentence: 'the speech engine was closed' };
