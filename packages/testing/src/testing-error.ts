/** Why a test could not go on. */
export type TestingCode =
  | 'api-refused'
  | 'bad-answer'
  | 'bad-duration'
  | 'bad-number'
  | 'bad-option'
  | 'call-failed'
  | 'clock-not-virtual'
  | 'no-call'
  | 'no-phone'
  | 'not-within'
  | 'server-unreachable'
  | 'unknown-fault'
  | 'world-closed';

/** An expectation of a test that did not hold, or an argument that cannot be used: what was wrong, where, and what is allowed. */
export class TestingError extends Error {
  override readonly name = 'TestingError';
  readonly code: TestingCode;

  constructor(code: TestingCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.code = code;
  }
}
