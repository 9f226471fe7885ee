import type { Step, TimerFired, Write } from '@jackfield/ports';
import type { KernelEffect, OutboxEvent } from './kernel-effects.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import { createRunQueue } from './run-queue.ts';
import type { SessionKind, SessionRunner, SessionRunnerDeps, Sessions } from './session-runner.ts';
import { createSessionTimers, type SessionTimer, type SessionTimers } from './session-timers.ts';

/** A timer or a sent input whose step could not be saved is taken again after this long, or the session would wait for it for ever. */
const retryMs = 1_000;
/**
 * A step that the database itself refuses for so long is given up, or it would block its session. A database that is out of
 * reach is waited for: a leg whose end was lost would stay alive until the next start.
 */
const maxAttempts = 60;

interface Caller {
  resolve(reply: unknown): void;
  reject(error: unknown): void;
}

interface Letter {
  readonly input: unknown;
  readonly timer?: SessionTimer;
  readonly caller?: Caller;
  /** How often its step has failed to be saved. */
  readonly failures?: number;
}

interface Session<State> {
  readonly id: string;
  /**
   * From the clock's `now()` to the time of the session: how far the wall clock had been stepped when the session was opened. It
   * stays: a session has right dates, and the clock's steps are no part of its durations.
   */
  readonly aheadMs: number;
  /** After the last committed step; the one it was created with until its first step. */
  state: State;
  /** A session that is being opened has no record yet, and nobody can see it. */
  isOpened: boolean;
  isSaving: boolean;
  isInLine: boolean;
  /** Cancels the pause after a step that could not be saved. */
  endPause: (() => void) | undefined;
  readonly mailbox: Mailbox<Letter>;
  readonly timers: SessionTimers;
  readonly run: () => void;
}

interface TakenStep<State, Effect> extends Step<State, Effect> {
  readonly events: readonly OutboxEvent[];
  readonly changesRecord: boolean;
  readonly ends: boolean;
}

/** The only driver of machines: take an input, step, save state and events in one transaction, carry the effects out. */
export function createSessionRunner(deps: SessionRunnerDeps): SessionRunner {
  const { database, clock, log } = deps;
  const census = new Map<string, { sessions: number; timers: number; queued: number; dropped: number }>();
  const cancelTimers = new Set<() => void>();
  let idlers: (() => void)[] = [];
  let saving = 0;
  let isClosed = false;
  const line = createRunQueue(whenQuiet);

  function whenQuiet(): void {
    if (saving > 0 || !line.isEmpty) return;
    const waiting = idlers;
    idlers = [];
    for (const resolve of waiting) resolve();
  }

  function idle(): Promise<void> {
    if (saving === 0 && line.isEmpty) return Promise.resolve();
    return new Promise((resolve) => idlers.push(resolve));
  }

  /** A database that throws instead of rejecting is one that has failed, like any other. */
  async function transact(work: (write: Write) => Promise<void>): Promise<void> {
    await database.transact(work);
  }

  function define<State, Input, Effect extends { readonly do: string }>(
    kind: SessionKind<State, Input, Effect>,
  ): Sessions<State, Input> {
    if (census.has(kind.name)) throw new Error(`the kind of session '${kind.name}' is defined already`);
    const counts = { sessions: 0, timers: 0, queued: 0, dropped: 0 };
    census.set(kind.name, counts);
    const sessions = new Map<string, Session<State>>();
    cancelTimers.add(() => {
      for (const { timers, endPause } of sessions.values()) {
        timers.cancelAll();
        endPause?.();
      }
    });

    function create(id: string, state: State, isOpened: boolean): Session<State> {
      const session: Session<State> = {
        id,
        aheadMs: clock.wallNow() - clock.now(),
        state,
        isOpened,
        isSaving: false,
        isInLine: false,
        endPause: undefined,
        mailbox: createMailbox(),
        timers: createSessionTimers(
          clock,
          (timer) =>
            put(session, { input: { type: 'timer-fired', key: timer.key } satisfies TimerFired, timer }),
          (change) => {
            counts.timers += change;
          },
        ),
        run: () => {
          session.isInLine = false;
          const letter = session.mailbox.take();
          if (letter === undefined) return;
          counts.queued--;
          take(session, letter);
          getInLine(session);
        },
      };
      sessions.set(id, session);
      counts.sessions++;
      if (kind.isBilled) deps.alive?.enter();
      return session;
    }

    function put(session: Session<State>, letter: Letter): void {
      session.mailbox.put(letter);
      counts.queued++;
      getInLine(session);
    }

    function getInLine(session: Session<State>): void {
      if (session.isInLine || session.isSaving || session.endPause || session.mailbox.size === 0) return;
      session.isInLine = true;
      line.push(session.run);
    }

    function drop(letter: Letter): void {
      counts.dropped++;
      letter.caller?.resolve(undefined);
    }

    function take(session: Session<State>, letter: Letter): void {
      if (sessions.get(session.id) !== session) {
        drop(letter);
        return;
      }
      // Cancelled or replaced while its input waited: the machine has been promised not to hear of it.
      if (letter.timer !== undefined && !session.timers.take(letter.timer)) return;
      let taken: TakenStep<State, Effect>;
      try {
        taken = step(session, letter);
      } catch (error) {
        log.error(about(session, letter, error), 'A machine threw; its input was dropped.');
        fail(session, letter, error);
        return;
      }
      if (taken.changesRecord || taken.events.length > 0) save(session, letter, taken);
      else finish(session, letter, taken);
    }

    function step(session: Session<State>, letter: Letter): TakenStep<State, Effect> {
      const { state, effects } = kind.machine.step(
        session.state,
        letter.input as Input | TimerFired,
        clock.now() + session.aheadMs,
      );
      return {
        state,
        effects,
        events: eventsOf(effects),
        changesRecord: kind.save !== undefined && isRecorded(session, state),
        ends: kind.isEnded(state),
      };
    }

    function isRecorded(session: Session<State>, after: State): boolean {
      if (!session.isOpened) return true;
      return after !== session.state && (kind.isRecorded?.(session.state, after) ?? true);
    }

    function save(session: Session<State>, letter: Letter, taken: TakenStep<State, Effect>): void {
      const before = session.isOpened ? session.state : undefined;
      const work = async (write: Write): Promise<void> => {
        if (taken.changesRecord) await kind.save!(write, session.id, before, taken.state);
        if (taken.events.length > 0) await deps.appendEvents(write, taken.events);
      };
      // In line like a step, so that effects never run inside the effects of another session.
      const conclude = (conclusion: () => void): void =>
        line.push(() => {
          saving--;
          session.isSaving = false;
          conclusion();
          getInLine(session);
        });
      session.isSaving = true;
      saving++;
      transact(work).then(
        () => {
          if (taken.events.length > 0) deps.eventsCommitted?.();
          conclude(() => finish(session, letter, taken));
        },
        (error: unknown) =>
          conclude(() => {
            log.error(about(session, letter, error), 'A step could not be saved; it was undone.');
            rearm(session, letter.timer);
            if (!takeAgain(session, letter, error)) fail(session, letter, error);
          }),
      );
    }

    /**
     * Nobody waits for the outcome of a sent input, so nobody would send it again: it keeps its place, and the session pauses.
     * Callers of `open` and `ask` are told instead; timers are armed again.
     */
    function takeAgain(session: Session<State>, letter: Letter, error: unknown): boolean {
      const failures = (letter.failures ?? 0) + (isOutOfReach(error) ? 0 : 1);
      const isSent = letter.caller === undefined && letter.timer === undefined;
      if (!isSent || isClosed || failures === maxAttempts) return false;
      session.mailbox.putBack({ ...letter, failures });
      counts.queued++;
      session.endPause = clock.startTimer(clock.now() + retryMs, () => {
        session.endPause = undefined;
        getInLine(session);
      });
      return true;
    }

    function finish(session: Session<State>, letter: Letter, taken: TakenStep<State, Effect>): void {
      session.state = taken.state;
      session.isOpened = true;
      for (const effect of taken.effects) carryOut(session, letter, effect);
      letter.caller?.resolve(undefined);
      if (taken.ends) remove(session);
    }

    function fail(session: Session<State>, letter: Letter, error: unknown): void {
      letter.caller?.reject(error);
      if (!session.isOpened) remove(session);
    }

    function about(session: Session<State>, letter: Letter, error: unknown): object {
      return { kind: kind.name, session: session.id, input: typeOf(letter.input), err: error };
    }

    function rearm(session: Session<State>, timer: SessionTimer | undefined): void {
      if (timer === undefined || isClosed || session.timers.has(timer.key)) return;
      session.timers.start(timer.key, clock.now() + retryMs);
    }

    function carryOut(session: Session<State>, letter: Letter, effect: Effect): void {
      const known = effect as unknown as KernelEffect<OutboxEvent, unknown>;
      try {
        switch (known.do) {
          case 'start-timer':
            if (!isClosed) session.timers.start(known.key, known.at - session.aheadMs);
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
        kind.perform(session.id, effect);
      } catch (error) {
        const fields = { kind: kind.name, session: session.id, effect: effect.do, err: error };
        log.error(fields, 'An effect threw while it was carried out.');
      }
    }

    function remove(session: Session<State>): void {
      sessions.delete(session.id);
      counts.sessions--;
      if (kind.isBilled) deps.alive?.leave();
      session.timers.cancelAll();
      session.endPause?.();
      for (let letter = session.mailbox.take(); letter !== undefined; letter = session.mailbox.take()) {
        counts.queued--;
        drop(letter);
      }
    }

    function send(id: string, letter: Letter): void {
      const session = sessions.get(id);
      if (session === undefined || isClosed) drop(letter);
      else put(session, letter);
    }

    return {
      open<Reply>(id: string, initial: State, input: Input) {
        return new Promise<Reply>((resolve, reject) => {
          if (isClosed) throw new Error('the session runner is closed');
          if (sessions.has(id)) throw new Error(`${kind.name} ${id} is alive already`);
          put(create(id, initial, false), {
            input,
            caller: { resolve: resolve as Caller['resolve'], reject },
          });
        });
      },
      resume(id, state, input) {
        if (isClosed) {
          drop({ input });
          return;
        }
        if (sessions.has(id)) throw new Error(`${kind.name} ${id} is alive already`);
        put(create(id, state, true), { input });
      },
      send: (id, input) => send(id, { input }),
      ask<Reply>(id: string, input: Input) {
        return new Promise<Reply | undefined>((resolve, reject) => {
          send(id, { input, caller: { resolve: resolve as Caller['resolve'], reject } });
        });
      },
      nowOf(id) {
        const session = sessions.get(id);
        return session === undefined ? clock.wallNow() : clock.now() + session.aheadMs;
      },
      peek(id) {
        const session = sessions.get(id);
        return session?.isOpened ? session.state : undefined;
      },
    };
  }

  return {
    define,
    census: () => Object.fromEntries([...census].map(([name, counts]) => [name, { ...counts }])),
    idle,
    close() {
      isClosed = true;
      for (const cancel of cancelTimers) cancel();
      return idle();
    },
  };
}

/** What ports/database.ts says of a database that cannot be reached, or written, at this moment. */
function isOutOfReach(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'database-unavailable';
}

function eventsOf(effects: readonly { readonly do: string }[]): readonly OutboxEvent[] {
  let events: OutboxEvent[] | undefined;
  for (const effect of effects) {
    if (effect.do !== 'emit') continue;
    events ??= [];
    events.push((effect as unknown as { readonly event: OutboxEvent }).event);
  }
  return events ?? none;
}

const none: readonly OutboxEvent[] = [];

/** Enough to find the place; the input as a whole may hold what no log should. */
function typeOf(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'type' in input ? input.type : undefined;
}
