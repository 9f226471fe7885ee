import type { MultiPartyCall } from '../instruction.ts';
import { actionOrNext, type ElementInput, type ElementStep, goesOn, isOver } from './element.ts';

/** MultiPartyCall: the leg is lent until it comes back. */
export interface MultipartyState {
  readonly kind: 'multiparty';
  readonly instruction: MultiPartyCall;
}

export function beginMultiparty(instruction: MultiPartyCall): ElementStep<MultipartyState> {
  return goesOn({ kind: 'multiparty', instruction }, { do: 'join', instruction });
}

export function stepMultiparty(state: MultipartyState, input: ElementInput): ElementStep<MultipartyState> {
  switch (input.type) {
    case 'returned':
      // docs/interface/multiparty-calls.md#the-element: the next element, unless onExitActionUrl returned XML.
      return isOver(state, actionOrNext(state.instruction.onExitAction, true, input.fields));
    case 'join-refused':
      return isOver(state, { type: 'next' }, { do: 'warn', sentence: input.sentence });
    default:
      return goesOn(state);
  }
}
