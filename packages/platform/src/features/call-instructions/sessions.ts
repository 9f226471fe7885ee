import type { Machine, Step, TimerFired } from '@jackfield/ports';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { SessionRunner, Sessions } from '../../kernel/session-runner.ts';
import type { DocumentRun, RunEffect, RunInput } from './domain/document-run.ts';
import { documentRunMachine } from './domain/document-run-machine.ts';
import { createPerform, type EffectDeps, ownerKind } from './effects.ts';
import { outboxEventOf } from './events.ts';
import { conversationsOf } from './runs/conversations.ts';

export interface SessionDeps extends EffectDeps {
  readonly runner: SessionRunner;
}

type SessionEffect =
  | Exclude<RunEffect, { readonly do: 'emit' }>
  | { readonly do: 'emit'; readonly event: OutboxEvent };

type SessionStep = Step<DocumentRun, SessionEffect>;

/** Effects that carry the present parameters of the call. */
const aboutTheCall: readonly string[] = ['emit', 'fetch', 'report', 'start-recording'];

/** One session for each leg that documents run on, named by it. No record is kept: its legs die with the process. */
export function defineSessions(deps: SessionDeps): Sessions<DocumentRun, RunInput> {
  function withOutboxEvents(
    machine: Machine<DocumentRun, RunInput, RunEffect>,
  ): Machine<DocumentRun, RunInput | TimerFired, SessionEffect> {
    return {
      step(before, input, now) {
        const { state, effects } = machine.step(before, input, now);
        if (!effects.some((effect) => aboutTheCall.includes(effect.do)))
          return { state, effects } as SessionStep;
        const run = { ...state, parameters: parametersOf(state) };
        return {
          state: run,
          effects: effects.map((effect) =>
            effect.do === 'emit' ? { do: 'emit', event: outboxEventOf(run, effect.event) } : effect,
          ),
        };
      },
    };
  }

  function parametersOf({ call, parameters }: DocumentRun): DocumentRun['parameters'] {
    const live = deps.calls.peek(call.leg);
    return live === undefined ? { ...parameters, CallStatus: 'completed' } : deps.calls.parametersOf(live);
  }

  const sessions = deps.runner.define<DocumentRun, RunInput, SessionEffect>({
    name: ownerKind,
    machine: withOutboxEvents(documentRunMachine),
    isEnded: (run) => run.phase === 'over',
    perform(leg, effect) {
      const run = sessions.peek(leg);
      if (run !== undefined && effect.do !== 'emit') perform(run, effect);
    },
  });

  const perform = createPerform(deps, {
    send: (leg, input) => sessions.send(leg, input),
  });

  const { send, whenHandled } = sessions;
  deps.calls.ownedBy(ownerKind, send, conversationsOf(sessions), whenHandled);
  deps.machines.listen((leg, notice) => {
    if (sessions.peek(leg) !== undefined) sessions.send(leg, notice);
  });
  deps.sounds.ownedBy(ownerKind, (owner, notice) => {
    if (notice.type !== 'play-over') return;
    const sentences = notice.problems.map(({ sentence }) => sentence);
    sessions.send(owner, { type: 'play-over', play: notice.play, sentences });
  });
  deps.recordings.ownedBy(ownerKind, (owner, notice) => {
    if (notice.type === 'recording-over') sessions.send(owner, notice);
  });
  deps.streams.ownedBy(ownerKind, (owner, { type, stream }) => {
    if (type === 'stream-ended' && sessions.peek(owner) !== undefined) sessions.send(owner, { type, stream });
  });
  deps.recognition?.subscribe((notice) => {
    const leg = notice.recognition.slice(0, notice.recognition.indexOf('/'));
    if (sessions.peek(leg) !== undefined) sessions.send(leg, notice);
  });
  return sessions;
}
