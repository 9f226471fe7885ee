import type { ReadDocument } from '../domain/instruction.ts';

export type Fault = Extract<ReadDocument, { readonly ok: false }>['fault'];

/** What is noted down while a document is read. Reading goes on behind a fault; only the first is told. */
export interface Reading {
  refuse(line: number, sentence: string, fault?: Fault): void;
  /** What the document asks for and does not get. */
  remark(line: number, sentence: string): void;
  readonly fault: { readonly fault: Fault; readonly sentence: string } | undefined;
  readonly remarks: readonly string[];
}

/** Beyond this many nobody reads on. */
const maxRemarks = 50;

export function createReading(): Reading {
  let first: Reading['fault'];
  const remarks = new Set<string>();
  return {
    refuse(line, sentence, fault = 'xml') {
      first ??= { fault, sentence: `line ${line}: ${sentence}` };
    },
    remark(line, sentence) {
      if (remarks.size < maxRemarks) remarks.add(`line ${line}: ${sentence}`);
    },
    get fault() {
      return first;
    },
    get remarks() {
      return [...remarks];
    },
  };
}
