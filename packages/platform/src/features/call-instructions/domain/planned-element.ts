import type { Instruction } from './instruction.ts';

/** An element of a document with names for the legs, recordings and streams that it may start: machines draw no random numbers. */
export interface PlannedElement {
  readonly instruction: Instruction;
  /** Of a Record: its UUID and the URL of its file. */
  readonly recording: { readonly uuid: string; readonly url: string } | null;
  /** Of a Dial: one call UUID for each destination. */
  readonly legs: readonly string[];
  /** Of a Stream: its UUID. */
  readonly stream?: string;
}

/** The medium that the caller's leg needs before the element can begin; null: any. */
export type NeededMedium = 'early' | 'answered' | null;

/** docs/interface/documents.md#order, in our reading: an element that talks or listens answers; PreAnswer's children are heard before. */
export function neededMedium({ element }: Instruction, isBeforeAnswer: boolean): NeededMedium {
  switch (element) {
    case 'Speak':
    case 'Play':
      return isBeforeAnswer ? 'early' : 'answered';
    case 'Wait':
      return isBeforeAnswer ? 'early' : null;
    case 'GetDigits':
    case 'GetInput':
    case 'Record':
    case 'MultiPartyCall':
    case 'DTMF':
    case 'Stream':
      return 'answered';
    case 'PreAnswer':
    case 'Redirect':
    case 'Hangup':
    case 'Dial':
      return null;
  }
}
