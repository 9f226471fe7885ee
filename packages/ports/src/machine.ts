/** Milliseconds since the Unix epoch. Time is always an argument; a machine never reads a clock. */
export type Instant = number;

/**
 * The one mental model: every live thing is a machine. `step` is pure; it returns the next state and the
 * orders to carry out. Nothing is awaited inside, and outcomes of effects come back later as inputs.
 */
export interface Machine<State, Input, Effect> {
  step(state: State, input: Input, now: Instant): Step<State, Effect>;
}

/** What one input leads to. */
export interface Step<State, Effect> {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** Fed back into the machine when a timer that it started falls due. */
export interface TimerFired {
  readonly type: 'timer-fired';
  readonly key: string;
}
