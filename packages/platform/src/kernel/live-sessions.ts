import {
  type Instant,
  isDatabaseUnavailable,
  type Step,
  type TimerFired,
  type UnitOptions,
  type Write,
} from '@jackfield/ports';
import { eventsOf, type KernelEffect, type OutboxEvent } from './kernel-effects.ts';
import { type Caller, type Letter, nothing, typeOf } from './letters.ts';
import { Mailbox } from './mailbox.ts';
import type { RunQueue } from './run-queue.ts';
import { RunnerClosedError } from './runner-closed.ts';
import type { OpenOptions, SessionKind, SessionRunnerDeps, Sessions } from './session-runner.ts';
import { type SessionTimer, SessionTimers } from './session-timers.ts';

/** Pause before a timer or a sent input whose step was not saved is handled again. */
const retryMs = 1_000;
/**
 * After so many refusals by the database an input is dropped, or it would block its session. An unreachable database does not
 * count: a leg whose end was dropped would stay alive until the next start.
 */
const maxAttempts = 60;

interface Session<State> {
  readonly id: string;
  /**
   * From the clock's `now()` to the time of the session: how far the wall clock had been stepped when the session was opened. It
   * never changes, so that later steps of the clock are no part of the session's durations.
   */
  readonly aheadMs: number;
  /** After the last committed step; the initial state until the first commit. */
  state: State;
  /** False until the first commit: the session has no record yet, and `peek` does not show it. */
  isOpened: boolean;
  isSaving: boolean;
  isInLine: boolean;
  /** Cancels the pause after a step that was not saved. */
  endPause: (() => void) | undefined;
  readonly mailbox: Mailbox<Letter>;
  readonly timers: SessionTimers;
  /** Called when the session leaves memory. */
  readonly whenOver: (() => void)[];
  readonly run: () => void;
}

interface HandledStep<State, Effect> extends Step<State, Effect> {
  readonly events: readonly OutboxEvent[];
  readonly changesRecord: boolean;
  readonly ends: boolean;
}

/** What the kinds of one runner share. */
export interface RunnerState extends SessionRunnerDeps {
  /** Steps and conclusions of all kinds, one after another. */
  readonly line: RunQueue;
  isClosed(): boolean;
  /** +1 when a transaction begins, −1 when its conclusion is carried out. */
  savingChanged(change: 1 | -1): void;
}

/** `dropped` counts inputs for a session that is not alive. */
export interface KindCounts {
  sessions: number;
  timers: number;
  queued: number;
  dropped: number;
}

/** Live sessions of one kind: handles an input, steps, saves state and events in one transaction, carries the effects out. */
export class LiveSessions<State, Input, Effect extends { readonly do: string }>
  implements Sessions<State, Input>
{
  readonly counts: KindCounts = { sessions: 0, timers: 0, queued: 0, dropped: 0 };
  readonly #runner: RunnerState;
  readonly #kind: SessionKind<State, Input, Effect>;
  readonly #sessions = new Map<string, Session<State>>();

  constructor(runner: RunnerState, kind: SessionKind<State, Input, Effect>) {
    this.#runner = runner;
    this.#kind = kind;
  }

  // Bound functions: features pass single ones on.
  readonly open = <Reply>(
    id: string,
    initial: State,
    input: Input,
    { isPromised = false }: OpenOptions = {},
  ): Promise<Reply> =>
    new Promise<Reply>((resolve, reject) => {
      if (this.#runner.isClosed()) throw new RunnerClosedError();
      this.#assertNew(id);
      this.#put(this.#create(id, initial, false), {
        ...this.#arrived(input),
        caller: { resolve: resolve as Caller['resolve'], reject },
        isPromised,
      });
    });

  readonly resume = (id: string, state: State, input: Input): void => {
    if (this.#runner.isClosed()) {
      this.#drop(this.#arrived(input));
      return;
    }
    this.#assertNew(id);
    this.#put(this.#create(id, state, true), this.#arrived(input));
  };

  readonly send = (id: string, input: Input): void => this.#send(id, this.#arrived(input));

  readonly ask = <Reply>(id: string, input: Input): Promise<Reply | undefined> =>
    new Promise<Reply | undefined>((resolve, reject) => {
      this.#send(id, { ...this.#arrived(input), caller: { resolve: resolve as Caller['resolve'], reject } });
    });

  readonly whenHandled = (id: string): Promise<void> => this.ask(id, nothing as Input) as Promise<void>;

  readonly nowOf = (id: string): Instant => {
    const { clock } = this.#runner;
    const session = this.#sessions.get(id);
    return session === undefined ? clock.wallNow() : clock.now() + session.aheadMs;
  };

  readonly peek = (id: string): State | undefined => {
    const session = this.#sessions.get(id);
    return session?.isOpened ? session.state : undefined;
  };

  readonly whenOver = (id: string): Promise<void> =>
    new Promise((resolve) => {
      const session = this.#sessions.get(id);
      if (session === undefined) resolve();
      else session.whenOver.push(resolve);
    });

  cancelTimers(): void {
    for (const { timers, endPause } of this.#sessions.values()) {
      timers.cancelAll();
      endPause?.();
    }
  }

  readonly #countTimers = (change: number): void => {
    this.counts.timers += change;
  };

  #arrived(input: unknown): Letter {
    return { input, at: this.#runner.clock.now() };
  }

  #assertNew(id: string): void {
    if (this.#sessions.has(id)) throw new Error(`${this.#kind.name} ${id} is alive already`);
  }

  #send(id: string, letter: Letter): void {
    const session = this.#sessions.get(id);
    if (session === undefined || this.#runner.isClosed()) this.#drop(letter);
    else this.#put(session, letter);
  }

  #create(id: string, state: State, isOpened: boolean): Session<State> {
    const { clock, alive } = this.#runner;
    const session: Session<State> = {
      id,
      aheadMs: clock.wallNow() - clock.now(),
      state,
      isOpened,
      isSaving: false,
      isInLine: false,
      endPause: undefined,
      mailbox: new Mailbox(),
      timers: new SessionTimers({
        clock,
        fired: (timer) =>
          this.#put(session, {
            ...this.#arrived({ type: 'timer-fired', key: timer.key } satisfies TimerFired),
            timer,
          }),
        counted: this.#countTimers,
      }),
      whenOver: [],
      run: () => this.#run(session),
    };
    this.#sessions.set(id, session);
    this.counts.sessions++;
    if (this.#kind.isBilled) alive?.enter();
    return session;
  }

  #put(session: Session<State>, letter: Letter): void {
    session.mailbox.put(letter);
    this.counts.queued++;
    this.#getInLine(session);
  }

  #getInLine(session: Session<State>): void {
    if (session.isInLine || session.isSaving || session.endPause || session.mailbox.size === 0) return;
    session.isInLine = true;
    this.#runner.line.push(session.run);
  }

  #run(session: Session<State>): void {
    session.isInLine = false;
    const letter = session.mailbox.take();
    if (letter === undefined) return;
    this.counts.queued--;
    this.#handle(session, letter);
    this.#getInLine(session);
  }

  #drop(letter: Letter): void {
    this.counts.dropped++;
    letter.caller?.resolve(undefined);
  }

  #handle(session: Session<State>, letter: Letter): void {
    if (this.#sessions.get(session.id) !== session) {
      this.#drop(letter);
      return;
    }
    if (letter.input === nothing) {
      letter.caller?.resolve(undefined);
      return;
    }
    // A timer that was cancelled or replaced while its input waited never reaches the machine.
    if (letter.timer !== undefined && !session.timers.consume(letter.timer)) return;
    let handled: HandledStep<State, Effect>;
    try {
      handled = this.#step(session, letter);
    } catch (error) {
      this.#runner.log.error(this.#about(session, letter, error), 'machine threw; its input was dropped');
      this.#fail(session, letter, error);
      return;
    }
    if (handled.changesRecord || handled.events.length > 0) this.#save(session, letter, handled);
    else this.#finish(session, letter, handled);
  }

  #step(session: Session<State>, letter: Letter): HandledStep<State, Effect> {
    const { state, effects } = this.#kind.machine.step(
      session.state,
      letter.input as Input | TimerFired,
      letter.at + session.aheadMs,
    );
    return {
      state,
      effects,
      events: eventsOf(effects),
      changesRecord: this.#kind.save !== undefined && this.#isRecorded(session, state),
      ends: this.#kind.isEnded(state),
    };
  }

  #isRecorded(session: Session<State>, after: State): boolean {
    if (!session.isOpened) return true;
    return after !== session.state && (this.#kind.isRecorded?.(session.state, after) ?? true);
  }

  #save(session: Session<State>, letter: Letter, handled: HandledStep<State, Effect>): void {
    const { log, eventsCommitted, savingChanged } = this.#runner;
    session.isSaving = true;
    savingChanged(1);
    this.#commit(session, handled).then(
      () => {
        if (handled.events.length > 0) eventsCommitted?.();
        this.#conclude(session, () => this.#finish(session, letter, handled));
      },
      (error: unknown) =>
        this.#conclude(session, () => {
          log.error(this.#about(session, letter, error), 'step not saved; it was undone');
          this.#rearm(session, letter.timer);
          if (!this.#retryLater(session, letter, error)) this.#fail(session, letter, error);
        }),
    );
  }

  /** Async: a database that throws instead of rejecting fails like any other. */
  async #commit(session: Session<State>, handled: HandledStep<State, Effect>): Promise<void> {
    const { database, appendEvents, incarnation = 0 } = this.#runner;
    const before = session.isOpened ? session.state : undefined;
    await database.transact(
      async (write: Write): Promise<void> => {
        if (handled.changesRecord)
          await this.#kind.save!(write, session.id, before, handled.state, incarnation);
        if (handled.events.length > 0) await appendEvents(write, handled.events);
      },
      this.#unitOf(session, handled),
    );
  }

  /** A step writes its own rows, and those of its events' resource: sessions that share a resource share a lane. */
  #unitOf({ id }: Session<State>, { events }: HandledStep<State, Effect>): UnitOptions {
    const { name, laneKey = events[0]?.resource ?? `${name}/${id}` } = this.#kind;
    return { isolation: 'read-committed', key: laneKey };
  }

  /** Queued like a step, so that effects never run inside the effects of another session. */
  #conclude(session: Session<State>, conclusion: () => void): void {
    this.#runner.line.push(() => {
      this.#runner.savingChanged(-1);
      session.isSaving = false;
      conclusion();
      this.#getInLine(session);
    });
  }

  /**
   * A sent input has no caller that could send it again: it stays first in the mailbox, and the session pauses. So does the
   * opening of what was promised, while the database is away. Other callers of `open` and `ask` get the error; timers are armed again.
   */
  #retryLater(session: Session<State>, letter: Letter, error: unknown): boolean {
    const { clock, isClosed } = this.#runner;
    const isAway = isDatabaseUnavailable(error);
    const failures = (letter.failures ?? 0) + (isAway ? 0 : 1);
    const isSent = letter.caller === undefined && letter.timer === undefined;
    const isRepeated = isSent || (isAway && letter.isPromised === true);
    if (!isRepeated || isClosed() || failures === maxAttempts) return false;
    session.mailbox.putBack({ ...letter, failures });
    this.counts.queued++;
    session.endPause = clock.startTimer(clock.now() + retryMs, () => {
      session.endPause = undefined;
      this.#getInLine(session);
    });
    return true;
  }

  #finish(session: Session<State>, letter: Letter, handled: HandledStep<State, Effect>): void {
    session.state = handled.state;
    session.isOpened = true;
    for (const effect of handled.effects) this.#carryOut(session, letter, effect);
    letter.caller?.resolve(undefined);
    if (handled.ends) this.#remove(session);
  }

  #fail(session: Session<State>, letter: Letter, error: unknown): void {
    letter.caller?.reject(error);
    if (!session.isOpened) this.#remove(session);
  }

  #about(session: Session<State>, letter: Letter, error: unknown): object {
    return { kind: this.#kind.name, session: session.id, input: typeOf(letter.input), err: error };
  }

  #rearm(session: Session<State>, timer: SessionTimer | undefined): void {
    if (timer === undefined || this.#runner.isClosed() || session.timers.has(timer.key)) return;
    session.timers.start(timer.key, this.#runner.clock.now() + retryMs);
  }

  #carryOut(session: Session<State>, letter: Letter, effect: Effect): void {
    const known = effect as unknown as KernelEffect<OutboxEvent, unknown>;
    try {
      switch (known.do) {
        case 'start-timer':
          if (!this.#runner.isClosed()) session.timers.start(known.key, known.at - session.aheadMs);
          return;
        case 'cancel-timer':
          session.timers.cancel(known.key);
          return;
        case 'reply':
          letter.caller?.resolve(known.reply);
          return;
        case 'emit':
          return;
      }
      this.#kind.perform(session.id, effect);
    } catch (error) {
      const fields = { kind: this.#kind.name, session: session.id, effect: effect.do, err: error };
      this.#runner.log.error(fields, 'effect threw while it was carried out');
    }
  }

  #remove(session: Session<State>): void {
    this.#sessions.delete(session.id);
    this.counts.sessions--;
    if (this.#kind.isBilled) this.#runner.alive?.leave();
    session.timers.cancelAll();
    session.endPause?.();
    for (let letter = session.mailbox.take(); letter !== undefined; letter = session.mailbox.take()) {
      this.counts.queued--;
      this.#drop(letter);
    }
    for (const resolve of session.whenOver) resolve();
  }
}
