import type { Logger, Machine, Media, MixCommand, TimerFired } from '@jackfield/ports';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { SessionRunner, Sessions } from '../../kernel/session-runner.ts';
import type { RunOrder } from '../call-instructions/index.ts';
import { type CallEnd, type Calls, callEnds, type OutboundLeg, type OwnedLegNotice } from '../calls/index.ts';
import type { Recordings } from '../recordings/index.ts';
import type { Sounds } from '../sounds/index.ts';
import type { Streams } from '../streams/index.ts';
import type { Usage } from '../usage/index.ts';
import { withHearingHistory } from './domain/hearing-history.ts';
import type {
  LetGoCause,
  MultipartyCall,
  MultipartyCallEffect,
  MultipartyCallInput,
} from './domain/multiparty-call.ts';
import { multipartyCallMachine } from './domain/multiparty-call-machine.ts';
import type { Participant } from './domain/participant.ts';
import { withRecordings } from './domain/room-recording-machine.ts';
import type { RoomEffect, RoomInput } from './domain/room-step.ts';
import { outboxEventsOf } from './events.ts';
import { createAgentStreams } from './rooms/agent-streams.ts';
import { withBills } from './rooms/billing.ts';
import { exitFieldsOf } from './rooms/exit-fields.ts';
import { createRoomRecordings } from './rooms/room-recordings.ts';
import { createRoomSounds } from './rooms/room-sounds.ts';
import { type Room, roomOf } from './rooms/rooms.ts';
import { saveMultipartyCall } from './store.ts';

export interface SessionDeps {
  readonly runner: SessionRunner;
  readonly calls: Calls;
  readonly media: Media;
  readonly sounds: Sounds;
  readonly recordings: Recordings;
  readonly usage: Pick<Usage, 'rateOf' | 'rateOfStreams' | 'amountOf'>;
  /** For participants that are programs. */
  readonly streams: Pick<Streams, 'ownedBy' | 'start' | 'stop' | 'retrack'>;
  readonly newUuid: () => string;
  readonly log: Logger;
  /** Told after each commit that changed who is in a call, or how. */
  readonly roomChanged?: (room: Room) => void;
  /** Runs a document on an answered leg; false where there is no such leg any more, or none that can run one. */
  readonly runDocument: (order: RunOrder) => Promise<boolean>;
}

/** Legs of multiparty calls are owned under this name; the owner's id is the call's UUID. */
export const ownerKind = 'multiparty-call';

export function ownerOf(uuid: string) {
  return { kind: ownerKind, id: uuid };
}

/** Live effects, with events as the outbox keeps them. */
type SessionEffect =
  | Exclude<RoomEffect, { readonly do: 'emit' }>
  | { readonly do: 'tell-room' }
  | { readonly do: 'emit'; readonly event: OutboxEvent };

/** One session for each live call: its machine, its record, and the only place that orders legs and media about. */
export function defineSessions(deps: SessionDeps): Sessions<MultipartyCall, RoomInput> {
  const roomSounds = createRoomSounds({ ...deps, ownerKind, send: sendIfLive });
  const agents = createAgentStreams({ ...deps, ownerKind, send: sendIfLive });
  const roomRecordings = createRoomRecordings({
    ...deps,
    ownerKind,
    send: (uuid, input) => sessions.send(uuid, input),
  });
  const sessions = deps.runner.define<MultipartyCall, RoomInput, SessionEffect>({
    name: ownerKind,
    machine: withOutboxEvents(
      withBills(withHearingHistory(withRecordings(multipartyCallMachine)), deps.usage),
    ),
    save: (write, _uuid, before, after) => saveMultipartyCall(write, before, after),
    isBilled: true,
    isEnded: (call) => call.status === 'ended' && !call.recordings.isEndOwed,
    perform(uuid, effect) {
      switch (effect.do) {
        case 'tell-room':
          return tellRoom(uuid);
        case 'dial':
          if (effect.participant.agent !== undefined) {
            return agents.connect(uuid, effect.call, effect.participant, effect.participant.agent);
          }
          return dial(uuid, effect.call, effect.participant);
        case 'hang-up':
          if (!agents.disconnect(effect.leg)) deps.calls.hangUp(effect.leg, endOf(effect.because));
          return;
        case 'give-back': {
          const { name, participant } = effect;
          const fields = exitFieldsOf({ uuid, name }, participant);
          return deps.calls.giveBack(participant.leg, ownerOf(uuid), fields);
        }
        case 'run-exit-document':
          return runExitDocument(uuid, effect);
        case 'start-sound':
          return roomSounds.start(uuid, effect);
        case 'stop-sound':
          return roomSounds.stop(uuid, effect.key);
        case 'watch-voice':
        case 'send-digits':
          return deps.media.send(effect);
        case 'open-mix':
        case 'close-mix':
        case 'set-hearing':
        case 'play':
        case 'stop-play':
          return deps.media.send({ ...effect, mix: uuid } as MixCommand);
        case 'start-timer':
        case 'cancel-timer':
        case 'reply':
        case 'emit':
          // The runner has done it.
          return;
        default:
          return roomRecordings.perform(uuid, effect);
      }
    },
  });

  function sendIfLive(uuid: string, input: MultipartyCallInput): void {
    if (sessions.peek(uuid) !== undefined) sessions.send(uuid, input);
  }

  function tellRoom(uuid: string): void {
    const call = sessions.peek(uuid);
    if (call === undefined) return;
    const room = roomOf(call);
    agents.changed(room);
    deps.roomChanged?.(room);
  }

  function dial(uuid: string, call: DialledFor, participant: Participant): void {
    const { leg, spec, requestUuid } = participant;
    const { account, mainAccount } = call;
    deps.calls
      .dial({
        leg,
        account,
        mainAccount,
        owner: ownerOf(uuid),
        spec,
        requestUuid,
        ...callbacksOf(uuid, call, participant),
      })
      .catch((error: unknown) => {
        deps.log.error({ mpc: uuid, leg, err: error }, 'The leg of a participant could not be recorded.');
        sessions.send(uuid, { type: 'leg-ended', leg });
      });
  }

  /** Without a document its leg ends as if there were no exit action (docs/interface/multiparty-calls.md#endings). */
  function runExitDocument(
    uuid: string,
    { name, participant, because }: Extract<MultipartyCallEffect, { readonly do: 'run-exit-document' }>,
  ): void {
    const { leg, onExitAction: request } = participant;
    if (request === null) return;
    const end = endOf(because);
    const fields = exitFieldsOf({ uuid, name }, participant);
    deps.runDocument({ leg, request, fields, endWithout: end }).then(
      (runs) => {
        const owner = deps.calls.peek(leg)?.owner;
        // Somebody else may have taken it meanwhile.
        if (!runs && owner?.kind === ownerKind && owner.id === uuid) deps.calls.hangUp(leg, end);
      },
      (error: unknown) => {
        deps.log.error({ mpc: uuid, leg, err: error }, 'The document of an exit action could not be begun.');
        deps.calls.hangUp(leg, end);
      },
    );
  }

  deps.calls.ownedBy(ownerKind, (uuid, notice) => {
    const input = inputOf(notice);
    if (input !== undefined) sessions.send(uuid, input);
  });
  return sessions;
}

/** Undefined for what the one who asked for a leg knows already, and for what concerns the owners of unanswered legs. */
function inputOf(notice: OwnedLegNotice): MultipartyCallInput | undefined {
  const { type, leg } = notice;
  switch (type) {
    case 'leg-ringing':
    case 'leg-answered':
    case 'leg-taken':
      return { type, leg };
    case 'leg-ended': {
      // `DELETE Request/`: 1000 Canceled.
      const { code, source } = notice.end;
      return { type, leg, isRequestCancelled: code === 1000 && source === 'API Request' };
    }
    case 'leg-digit':
    case 'leg-voice':
      return notice;
    default:
      return undefined;
  }
}

type DialledFor = Extract<MultipartyCallEffect, { readonly do: 'dial' }>['call'];

/** docs/interface/multiparty-calls.md#call-status-callbacks: what becomes of the dialled leg, with the names of its multiparty call. */
function callbacksOf(
  uuid: string,
  { name }: DialledFor,
  { callStatusCallback: target, memberId }: Participant,
): Pick<OutboundLeg, 'callbacks'> {
  if (target === null) return {};
  const fields = { MPCName: name, MPCUUID: uuid, MemberID: String(memberId) };
  return { callbacks: { ring: target, answer: target, hangup: target, fields } };
}

/** The cause that the leg's own record keeps (docs/interface/multiparty-calls.md#adding-participants, docs/interface/multiparty-calls.md#endings). */
export function endOf(because: LetGoCause): CallEnd {
  switch (because) {
    case 'kicked':
      return callEnds(4030, 'API Request');
    case 'end-requested':
      return callEnds(4020, 'API Request');
    case 'call-ended':
    case 'alone':
      return callEnds(4020, 'Service');
    case 'lost-race':
      return callEnds(9000, 'Service');
    case 'not-confirmed':
      return callEnds(9110, 'Service');
  }
}

function withOutboxEvents(
  machine: Machine<MultipartyCall, RoomInput, RoomEffect>,
): Machine<MultipartyCall, RoomInput | TimerFired, SessionEffect> {
  return {
    step(call, input, now) {
      const { state, effects } = machine.step(call, input, now);
      const told = effects.flatMap((effect): readonly SessionEffect[] =>
        effect.do === 'emit'
          ? outboxEventsOf(state, effect.event, now).map((event) => ({ do: 'emit', event }))
          : [effect],
      );
      const isChanged = state.participants !== call.participants || state.status !== call.status;
      return { state, effects: isChanged ? [...told, { do: 'tell-room' }] : told };
    },
  };
}
