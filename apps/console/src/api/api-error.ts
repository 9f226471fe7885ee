import { texts } from '../texts/en-table.ts';

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

/** What the reader is shown of any fault: what happened, and what to do where the sentence of the server does not say it. */
export function sentenceOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  const hint = fault instanceof ApiError ? hintOf(fault.status) : '';
  return hint === '' ? fault.message : `${asSentence(fault.message)} ${hint}`;
}

/** As `sentenceOf`, of a list: it is not deleted, and the page knows its address, so the server's sentence alone says why it is missing. */
export function sentenceOfList(fault: unknown): string {
  return fault instanceof ApiError && fault.status === 404 ? asSentence(fault.message) : sentenceOf(fault);
}

function hintOf(status: number): string {
  if (status === 403) return texts.hints.forbidden;
  if (status === 404) return texts.hints.missing;
  if (status === 429) return texts.hints.limited;
  return status >= 500 ? texts.hints.failed : '';
}

/** Sentences of the server begin with the name of a parameter, and have no full stop. */
function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
