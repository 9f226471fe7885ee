import type { Instant } from '@jackfield/ports';
import type { SessionTimer } from './session-timers.ts';

export interface Caller {
  resolve(reply: unknown): void;
  reject(error: unknown): void;
}

/** An input in the mailbox of a session. */
export interface Letter {
  readonly input: unknown;
  /** Of its arrival: a database that is away makes no call longer. */
  readonly at: Instant;
  readonly timer?: SessionTimer;
  readonly caller?: Caller;
  /** See `OpenOptions`. */
  readonly isPromised?: boolean;
  /** How often the database refused to save its step. */
  readonly failures?: number;
}

/** An input for no machine: its caller waits for those ahead of it. */
export const nothing: unknown = {};

/** The type alone: the whole input may hold secrets. */
export function typeOf(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'type' in input ? input.type : undefined;
}
