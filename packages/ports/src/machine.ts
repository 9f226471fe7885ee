/** Milliseconds since the Unix epoch. Time is always an argument; a machine never reads a clock. */
export type Instant = number;

/**
 * Everything live (a call, a document, a dialog) is a machine. `step` is pure: it returns the next state and the effects to
 * carry out. It awaits nothing; outcomes of effects come back later as inputs.
 */
export interface Machine<State, Input, Effect> {
  step(state: State, input: Input, now: Instant): Step<State, Effect>;
}

/** The result of one input. */
export interface Step<State, Effect> {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** The result of an input that changes nothing but the state, if that. */
export function stay<State>(state: State): Step<State, never> {
  return { state, effects: [] };
}

/** Fed back into the machine when a timer that it started falls due. */
export interface TimerFired {
  readonly type: 'timer-fired';
  readonly key: string;
}
