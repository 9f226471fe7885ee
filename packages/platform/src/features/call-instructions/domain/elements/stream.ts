import type { Stream } from '../instruction.ts';
import { type ElementInput, type ElementStep, goesOn, isOver } from './element.ts';

/** Stream with keepCallAlive: the next element waits for its end. Without it, the stream runs beside the document. */
export interface StreamState {
  readonly kind: 'stream';
  readonly stream: string;
  /** No stop is needed: it runs beside the document, or has ended. */
  readonly isOver: boolean;
}

export function beginStream(instruction: Stream, stream: string): ElementStep<StreamState> {
  const order = { do: 'start-stream', stream, instruction } as const;
  return instruction.keepCallAlive
    ? goesOn({ kind: 'stream', stream, isOver: false }, order)
    : isOver({ kind: 'stream', stream, isOver: true }, { type: 'next' }, order);
}

export function stepStream(state: StreamState, input: ElementInput): ElementStep<StreamState> {
  return input.type === 'stream-ended' && input.stream === state.stream
    ? isOver({ ...state, isOver: true })
    : goesOn(state);
}
