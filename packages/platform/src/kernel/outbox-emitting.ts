import type { Instant, Machine } from '@jackfield/ports';
import type { OutboxEvent } from './kernel-effects.ts';

/** Effects of a machine whose events have the form of the outbox. */
export type WithOutboxEvents<Effect extends { readonly do: string }> =
  | Exclude<Effect, { readonly do: 'emit' }>
  | { readonly do: 'emit'; readonly event: OutboxEvent };

/** The machine, with each event in the form of the outbox; `state` is the one after the step. */
export function withOutboxEvents<State, Input, Effect extends { readonly do: string }>(
  machine: Machine<State, Input, Effect>,
  outboxEventOf: (state: State, emit: Extract<Effect, { readonly do: 'emit' }>, now: Instant) => OutboxEvent,
): Machine<State, Input, WithOutboxEvents<Effect>> {
  const isEmit = (effect: Effect): effect is Extract<Effect, { readonly do: 'emit' }> => effect.do === 'emit';
  return {
    step(before, input, now) {
      const { state, effects } = machine.step(before, input, now);
      const converted = effects.map((effect) =>
        isEmit(effect) ? { do: 'emit', event: outboxEventOf(state, effect, now) } : effect,
      );
      return { state, effects: converted as readonly WithOutboxEvents<Effect>[] };
    },
  };
}
