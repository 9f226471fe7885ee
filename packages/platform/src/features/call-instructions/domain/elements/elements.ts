import type { PlannedElement } from '../planned-element.ts';
import { beginGetDigits, beginGetInput, type CollectState, stepCollect } from './collect-digits.ts';
import type { ElementContext, ElementInput, ElementStep } from './element.ts';
import { beginListen, type ListenState, stepListen } from './listen.ts';
import { beginMultiparty, type MultipartyState, stepMultiparty } from './multiparty.ts';
import { beginPrompt, type PromptState, stepPrompt } from './prompt.ts';
import { beginRecord, type RecordState, stepRecord } from './record.ts';
import { beginSendDigits, type SendDigitsState, stepSendDigits } from './send-digits.ts';
import { beginStream, type StreamState, stepStream } from './stream.ts';
import { beginWait, stepWait, type WaitState } from './wait.ts';

/** An element that takes time, except Dial, which is a machine with legs of its own. */
export type ElementState =
  | PromptState
  | WaitState
  | CollectState
  | ListenState
  | RecordState
  | SendDigitsState
  | MultipartyState
  | StreamState;

/** Undefined for elements that take no time, or that the run itself carries out. */
export function beginElement(
  { instruction, recording, stream }: PlannedElement,
  context: ElementContext,
): ElementStep<ElementState> | undefined {
  switch (instruction.element) {
    case 'Speak':
    case 'Play':
      return beginPrompt(instruction);
    case 'Wait':
      return beginWait(instruction, context);
    case 'GetDigits':
      return beginGetDigits(instruction, context);
    case 'GetInput':
      return instruction.speech === undefined
        ? beginGetInput(instruction, context)
        : beginListen(instruction, instruction.speech, context);
    case 'Record':
      return recording === null ? undefined : beginRecord(instruction, recording, context);
    case 'DTMF':
      return beginSendDigits(instruction, context);
    case 'MultiPartyCall':
      return beginMultiparty(instruction);
    case 'Stream':
      return stream === undefined ? undefined : beginStream(instruction, stream);
    default:
      return undefined;
  }
}

export function stepElement(
  state: ElementState,
  input: ElementInput,
  context: ElementContext,
): ElementStep<ElementState> {
  switch (state.kind) {
    case 'prompt':
      return stepPrompt(state, input);
    case 'wait':
      return stepWait(state, input, context);
    case 'collect':
      return stepCollect(state, input, context);
    case 'listen':
      return stepListen(state, input, context);
    case 'record':
      return stepRecord(state, input, context);
    case 'send-digits':
      return stepSendDigits(state, input);
    case 'multiparty':
      return stepMultiparty(state, input);
    case 'stream':
      return stepStream(state, input);
  }
}
