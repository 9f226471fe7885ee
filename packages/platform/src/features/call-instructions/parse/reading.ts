import type { ReadDocument } from '../domain/instruction.ts';

export type Fault = Extract<ReadDocument, { readonly ok: false }>['fault'];

/** Faults and warnings of a document that is being read. Reading continues behind a fault; only the first fault is kept. */
export interface Reading {
  /** An engine recognises speech. */
  readonly recognisesSpeech: boolean;
  refuse(line: number, sentence: string, fault?: Fault): void;
  /** Notes a part of the document that is not carried out. */
  warn(line: number, sentence: string): void;
  readonly fault: { readonly fault: Fault; readonly sentence: string } | undefined;
  readonly warnings: readonly string[];
}

/** More warnings are of no use to the customer. */
const maxWarnings = 50;

export function createReading(recognisesSpeech = false): Reading {
  let first: Reading['fault'];
  const warnings = new Set<string>();
  return {
    recognisesSpeech,
    refuse(line, sentence, fault = 'xml') {
      first ??= { fault, sentence: `line ${line}: ${sentence}` };
    },
    warn(line, sentence) {
      if (warnings.size < maxWarnings) warnings.add(`line ${line}: ${sentence}`);
    },
    get fault() {
      return first;
    },
    get warnings() {
      return [...warnings];
    },
  };
}
