import { type ElementContext, type ElementInput, type ElementStep, goesOn, isOver } from './element.ts';

/** DTMF: keys sent to the caller; unless `isAsync`, the next element waits until the last key has been sent. */
export interface SendDigitsState {
  readonly kind: 'send-digits';
}

/** Held 100 ms with a gap of 60 ms (packages/media/src/codec/digit-sender.ts), and time for the repeated end packets. */
const digitMs = 200;
const pauses: Readonly<Record<string, number>> = { w: 500, W: 1000 };

export function beginSendDigits(
  { digits, isAsync }: { readonly digits: string; readonly isAsync: boolean },
  { now }: ElementContext,
): ElementStep<SendDigitsState> {
  const state: SendDigitsState = { kind: 'send-digits' };
  const send = { do: 'send-digits', digits } as const;
  if (isAsync || digits === '') return isOver(state, { type: 'next' }, send);
  let at = now;
  for (const digit of digits) at += pauses[digit] ?? digitMs;
  return goesOn(state, send, { do: 'start-timer', key: 'sent', at });
}

export function stepSendDigits(state: SendDigitsState, input: ElementInput): ElementStep<SendDigitsState> {
  return input.type === 'timer-fired' ? isOver(state) : goesOn(state);
}
