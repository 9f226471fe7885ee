/** An answer of the API that is no success; the sentence is the server's. */
export class ApiError extends Error {
  readonly status: number;
  /** Of docs/reference/errors.md; empty where no answer came. */
  readonly code: string;

  constructor(status: number, code: string, sentence: string) {
    super(sentence);
    this.status = status;
    this.code = code;
  }
}

/** What the reader is shown of any fault. */
export function sentenceOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
