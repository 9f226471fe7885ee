import type { Step } from '@jackfield/ports';

/** One side of a link, as it receives the orders of the other. */
interface Receiver {
  /** The number of the last order that was carried out. */
  readonly received: number;
}

export type ReplyEffect = { readonly do: 'reply'; readonly reply: boolean };

/** The other side sends a refused order again. */
export const refusedForNow: ReplyEffect = { do: 'reply', reply: false };

/** Carries out each order once, in the order of their numbers. The reply says whether the order was carried out, now or before. */
export function received<Side extends Receiver, Effect>(
  side: Side,
  number: number,
  carryOut: (side: Side) => Step<Side, Effect>,
): Step<Side, Effect | ReplyEffect> {
  if (number <= side.received) return { state: side, effects: [{ do: 'reply', reply: true }] };
  if (number > side.received + 1) return { state: side, effects: [refusedForNow] };
  const { state, effects } = carryOut({ ...side, received: number });
  return { state, effects: [...effects, { do: 'reply', reply: true }] };
}
