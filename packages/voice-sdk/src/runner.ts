import type { Step } from './step.ts';

/** A machine that runs: one input at a time, its effects before the next input. */
export interface Runner<State, Input> {
  readonly state: State;
  feed(input: Input): void;
}

/** Runs a machine; an input that comes while effects are carried out waits until the last of them is done. */
export function createRunner<State, Input, Effect>(
  initial: State,
  step: (state: State, input: Input, now: number) => Step<State, Effect>,
  now: () => number,
  perform: (effect: Effect) => void,
): Runner<State, Input> {
  let state = initial;
  let isRunning = false;
  const waiting: Input[] = [];
  return {
    get state() {
      return state;
    },
    feed(input) {
      waiting.push(input);
      if (isRunning) return;
      isRunning = true;
      try {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const { state: after, effects } = step(state, next, now());
          state = after;
          for (const effect of effects) perform(effect);
        }
      } finally {
        isRunning = false;
      }
    },
  };
}
