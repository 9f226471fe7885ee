import type { Clock, Database, Instant, Logger, Machine, TimerFired, Write } from '@jackfield/ports';
import type { Alive } from './incarnation.ts';
import type { OutboxEvent } from './kernel-effects.ts';

/** One kind of live session: its machine, how it is stored, and who carries out its effects. */
export interface SessionKind<State, Input, Effect extends { readonly do: string }> {
  readonly name: string;
  readonly machine: Machine<State, Input | TimerFired, Effect>;
  /**
   * Writes what changed between two states; runs inside the transaction that also writes the events. A new row names the incarnation.
   * Absent for a kind that keeps no record. Not called when `before === after` (a step that changes no record returns the same state object).
   */
  save?(
    write: Write,
    id: string,
    before: State | undefined,
    after: State,
    incarnation: number,
  ): Promise<void>;
  /**
   * False when the change between two states is no part of the record: then nothing is written, and effects run without a
   * commit. Every change is recorded when left out.
   */
  isRecorded?(before: State, after: State): boolean;
  /** Carries out an effect that the kernel does not know, after the commit. Its outcome comes back through `send`. */
  perform(id: string, effect: Effect): void;
  /** Steps of all sessions of this kind are committed one after another: they count in the same rows. */
  readonly laneKey?: string;
  /** The session's duration is billed: while it is alive, the process writes the time every few seconds. False when left out. */
  readonly isBilled?: boolean;
  /** An ended session leaves memory after its last effects; later inputs for it are dropped and counted. */
  isEnded(state: State): boolean;
}

export interface SessionRunner {
  /** In which the sessions live. */
  readonly incarnation: number;
  /** Registers a kind; once per name. */
  define<State, Input, Effect extends { readonly do: string }>(
    kind: SessionKind<State, Input, Effect>,
  ): Sessions<State, Input>;
  /**
   * How many sessions of each kind are alive: for metrics and for the census after a test. `dropped` counts inputs since the
   * start whose session was not alive.
   */
  census(): Readonly<Record<string, { sessions: number; timers: number; queued: number; dropped: number }>>;
  /** How many sessions of one kind are alive, for what is asked with each call. */
  alive(kind: string): number;
  /** Resolves when every mailbox is empty and every commit is done. */
  idle(): Promise<void>;
  /** Stops timers; inputs that come later are dropped. */
  close(): Promise<void>;
}

export interface OpenOptions {
  /**
   * A client has the id already: while the database is away the first step is saved again every second, and inputs wait behind it.
   * False when left out.
   */
  readonly isPromised?: boolean;
}

export interface Sessions<State, Input> {
  /** Creates the session with its first state and input; rejects when the id is alive already or `save` failed. */
  open<Reply = void>(id: string, initial: State, input: Input, options?: OpenOptions): Promise<Reply>;
  /** Continues a session with a state that was loaded from the database, without writing it; its first input is `input`. */
  resume(id: string, state: State, input: Input): void;
  /**
   * Appends to the mailbox. A session handles its inputs in order, one at a time. An input whose step cannot be saved stays first
   * and is handled again every second: up to a minute, or for as long as the database cannot be reached.
   */
  send(id: string, input: Input): void;
  /** Like `send`, and resolves with what the step replied, after its commit; undefined when there is no such session. */
  ask<Reply>(id: string, input: Input): Promise<Reply | undefined>;
  /** Resolves when the inputs that have arrived are handled and saved, and what they sent to other sessions has arrived there. */
  whenHandled(id: string): Promise<void>;
  /** The state after the last committed step, for reads of live sessions. */
  peek(id: string): State | undefined;
  /** Resolves when the session leaves memory, or at once when there is none. */
  whenOver(id: string): Promise<void>;
  /** The time of the session: `now` of its next step. For a session that is not alive, the time of the wall clock. */
  nowOf(id: string): Instant;
}

export interface SessionRunnerDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** Writes the events of a step to the outbox, in the transaction of its state. */
  readonly appendEvents: (write: Write, events: readonly OutboxEvent[]) => Promise<void>;
  /** In which the sessions live; 0 when left out, of no process. */
  readonly incarnation?: number;
  /** Notified of sessions that are billed. */
  readonly alive?: Alive;
  /** Called after each commit with events, so that the outbox need not be polled. */
  readonly eventsCommitted?: () => void;
}
