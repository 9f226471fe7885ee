/** Codes of errors that methods of a phone or call throw. */
export type VoiceErrorCode =
  /** An argument is not allowed; the message names it. */
  | 'invalid-argument'
  /** The phone is not registered, or the call is over. */
  | 'wrong-state'
  /** The server refused the password or token. */
  | 'refused'
  /** The function that fetches tokens failed, or gave no token. */
  | 'no-token'
  /** The server could not be reached. */
  | 'unreachable'
  /** A transfer was refused, or its target did not answer. */
  | 'transfer-failed';

/** An error with a code; `status` is that of the SIP response, `tokenError` the server's reason to refuse a token. */
export class VoiceError extends Error {
  readonly code: VoiceErrorCode;
  readonly status: number | undefined;
  readonly tokenError: number | undefined;

  constructor(code: VoiceErrorCode, sentence: string, about: { status?: number; tokenError?: number } = {}) {
    super(sentence);
    this.name = 'VoiceError';
    this.code = code;
    this.status = about.status;
    this.tokenError = about.tokenError;
  }
}
