import type { Prompt } from '../instruction.ts';
import { type ElementInput, type ElementStep, goesOn, isOver } from './element.ts';
import { itemOfPrompt } from './play-items.ts';

/** Speak and Play: heard to their end; keys do not interrupt them. */
export interface PromptState {
  readonly kind: 'prompt';
}

const playKey = 'prompt';

export function beginPrompt(prompt: Prompt): ElementStep<PromptState> {
  return goesOn({ kind: 'prompt' }, { do: 'play', key: playKey, items: [itemOfPrompt(prompt)], loop: 1 });
}

export function stepPrompt(state: PromptState, input: ElementInput): ElementStep<PromptState> {
  return input.type === 'play-over' ? isOver(state) : goesOn(state);
}
