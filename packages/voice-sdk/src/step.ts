/** The result of one input to a machine; effects are orders, and their outcomes come back as inputs. */
export interface Step<State, Effect> {
  readonly state: State;
  readonly effects: readonly Effect[];
}
