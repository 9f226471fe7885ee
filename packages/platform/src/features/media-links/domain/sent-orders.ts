import type { Instant } from '@jackfield/ports';

/** Orders of one side of a link to the other: numbered from 1, sent one after another, and repeated until they are acknowledged. */
export interface SentOrders<Order> {
  readonly lastNumber: number;
  readonly waiting: readonly NumberedOrder<Order>[];
  /** The first one is on its way. */
  readonly isSending: boolean;
}

export interface NumberedOrder<Order> {
  readonly number: number;
  readonly order: Order;
}

export type SendingEffect<Order> =
  | { readonly do: 'send'; readonly number: number; readonly order: Order }
  | { readonly do: 'start-timer'; readonly key: typeof repeatTimer; readonly at: Instant };

interface Sending<Order> {
  readonly orders: SentOrders<Order>;
  readonly effects: readonly SendingEffect<Order>[];
}

export const repeatTimer = 'repeat';
/** A bus that is away is back within two seconds in most cases. */
const repeatMs = 1_000;

export function noOrders<Order>(): SentOrders<Order> {
  return { lastNumber: 0, waiting: [], isSending: false };
}

export function withOrder<Order>(orders: SentOrders<Order>, order: Order): SentOrders<Order> {
  const number = orders.lastNumber + 1;
  return { ...orders, lastNumber: number, waiting: [...orders.waiting, { number, order }] };
}

/** Sends the first one, unless one is on its way. */
export function sent<Order>(orders: SentOrders<Order>): Sending<Order> {
  const [first] = orders.waiting;
  if (first === undefined || orders.isSending) return { orders, effects: [] };
  return { orders: { ...orders, isSending: true }, effects: [{ do: 'send', ...first }] };
}

export function acknowledged<Order>(orders: SentOrders<Order>, number: number): SentOrders<Order> {
  if (orders.waiting[0]?.number !== number) return orders;
  return { ...orders, waiting: orders.waiting.slice(1), isSending: false };
}

/** Whether the other side has the order is not known: it is repeated with its number. */
export function notAcknowledged<Order>(orders: SentOrders<Order>, now: Instant): Sending<Order> {
  return {
    orders: { ...orders, isSending: false },
    effects: [{ do: 'start-timer', key: repeatTimer, at: now + repeatMs }],
  };
}
