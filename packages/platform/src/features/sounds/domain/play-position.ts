import type { PlayOrder } from './play-order.ts';

/** Position of a play: the round of the whole order, the item, and the repetition of that item, all from 0. */
export interface PlayPosition {
  readonly round: number;
  readonly item: number;
  readonly repeat: number;
}

/** Undefined behind the last position; `wholeItem` skips the other repetitions of the item. */
export function positionAfter(
  order: PlayOrder,
  position: PlayPosition,
  wholeItem: boolean,
): PlayPosition | undefined {
  const { round, item, repeat } = position;
  if (!wholeItem && repeat + 1 < repeatsOf(order, item)) return { round, item, repeat: repeat + 1 };
  if (item + 1 < order.items.length) return { round, item: item + 1, repeat: 0 };
  return hasRoundAfter(order, round) ? { round: round + 1, item: 0, repeat: 0 } : undefined;
}

/** The item that follows this item and its repetitions. */
export function itemAfter(order: PlayOrder, { round, item }: PlayPosition): number | undefined {
  if (repeatsOf(order, item) === Number.POSITIVE_INFINITY) return undefined;
  if (item + 1 < order.items.length) return item + 1;
  return hasRoundAfter(order, round) ? 0 : undefined;
}

function hasRoundAfter({ loop }: PlayOrder, round: number): boolean {
  return loop === 0 || round + 1 < loop;
}

function repeatsOf(order: PlayOrder, at: number): number {
  const item = order.items[at]!;
  if (item.kind === 'silence') return 1;
  return item.loop === 0 ? Number.POSITIVE_INFINITY : (item.loop ?? 1);
}
