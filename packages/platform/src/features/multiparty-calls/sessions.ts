import type { Machine, TimerFired } from '@jackfield/ports';
import type { SessionRunner, Sessions } from '../../kernel/session-runner.ts';
import type { OwnedLegNotice } from '../calls/index.ts';
import type { Usage } from '../usage/index.ts';
import { withHearingHistory } from './domain/hearing-history.ts';
import type { MultipartyCall, MultipartyCallInput } from './domain/multiparty-call.ts';
import { multipartyCallMachine } from './domain/multiparty-call-machine.ts';
import { withRecordings } from './domain/room-recording-machine.ts';
import type { RoomEffect, RoomInput } from './domain/room-step.ts';
import { createEffects, type EffectsDeps, type SessionEffect } from './effects.ts';
import { hearingEventOf, outboxEventsOf } from './events.ts';
import { withBills } from './rooms/billing.ts';
import { ownerKind } from './rooms/leg-owner.ts';
import { saveMultipartyCall } from './store.ts';

export interface SessionDeps extends EffectsDeps {
  readonly runner: SessionRunner;
  readonly usage: Pick<Usage, 'rateOfStreams' | 'amountOf'>;
}

/** One session for each live call: its machine, its record and its effects. */
export function defineSessions(deps: SessionDeps): Sessions<MultipartyCall, RoomInput> {
  const perform = createEffects(deps, {
    peek: (uuid) => sessions.peek(uuid),
    send: (uuid, input) => sessions.send(uuid, input),
  });
  const sessions = deps.runner.define<MultipartyCall, RoomInput, SessionEffect>({
    name: ownerKind,
    machine: withOutboxEvents(
      withBills(withHearingHistory(withRecordings(multipartyCallMachine)), deps.usage),
    ),
    save: (write, _uuid, before, after, incarnation) => saveMultipartyCall(write, before, after, incarnation),
    isBilled: true,
    isEnded: (call) => call.status === 'ended' && !call.recordings.isEndOwed,
    perform,
  });
  const notify = (uuid: string, notice: OwnedLegNotice) => {
    const input = inputOf(notice);
    if (input !== undefined) sessions.send(uuid, input);
  };
  deps.calls.ownedBy(ownerKind, notify, undefined, sessions.whenHandled);
  return sessions;
}

/** Undefined for outcomes that the requester has already, and for notices about unanswered legs. */
function inputOf(notice: OwnedLegNotice): MultipartyCallInput | undefined {
  const { type, leg } = notice;
  switch (type) {
    case 'leg-ringing':
    case 'leg-answered':
    case 'leg-taken':
    case 'leg-ended':
      return { type, leg };
    case 'leg-digit':
    case 'leg-voice':
      return notice;
    default:
      return undefined;
  }
}

function withOutboxEvents(
  machine: Machine<MultipartyCall, RoomInput, RoomEffect>,
): Machine<MultipartyCall, RoomInput | TimerFired, SessionEffect> {
  return {
    step(call, input, now) {
      const step = machine.step(call, input, now);
      const { state } = step;
      const effects = step.effects.flatMap((effect): readonly SessionEffect[] =>
        effect.do === 'emit'
          ? outboxEventsOf(state, effect.event, now).map((event) => ({ do: 'emit', event }))
          : [effect],
      );
      const { hearingChange } = state;
      if (hearingChange !== null && hearingChange !== call.hearingChange) {
        effects.push({ do: 'emit', event: hearingEventOf(state, hearingChange) });
      }
      const isChanged = state.participants !== call.participants || state.status !== call.status;
      return { state, effects: isChanged ? [...effects, { do: 'report-room' }] : effects };
    },
  };
}
