import type { Logger, Media, MixCommand, Promised } from '@jackfield/ports';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { Calls, OutboundLeg } from '../calls/index.ts';
import type { Recordings } from '../recordings/index.ts';
import type { Sounds } from '../sounds/index.ts';
import type { Streams } from '../streams/index.ts';
import type { MultipartyCall, MultipartyCallEffect, MultipartyCallInput } from './domain/multiparty-call.ts';
import type { Participant } from './domain/participant.ts';
import type { RoomEffect, RoomInput } from './domain/room-step.ts';
import { createAgentStreams } from './rooms/agent-streams.ts';
import type { ExitDocuments } from './rooms/exit-documents.ts';
import { exitFieldsOf } from './rooms/exit-fields.ts';
import { endOf, ownerKind, ownerOf } from './rooms/leg-owner.ts';
import type { RoomChanges } from './rooms/room-changes.ts';
import { createRoomRecordings } from './rooms/room-recordings.ts';
import { createRoomSounds } from './rooms/room-sounds.ts';
import { roomOf } from './rooms/rooms.ts';

export interface EffectsDeps {
  readonly calls: Calls;
  readonly media: Media;
  readonly sounds: Sounds;
  readonly recordings: Recordings;
  /** For participants that are programs. */
  readonly streams: Pick<Streams, 'ownedBy' | 'start' | 'stop' | 'retrack'>;
  readonly exitDocuments: ExitDocuments;
  readonly changes: RoomChanges;
  readonly newUuid: () => string;
  readonly log: Logger;
  /** True for a disabled subaccount. */
  readonly isDisabled: (account: string) => Promised<boolean>;
}

/** The sessions to which outcomes go. */
export interface Outcomes {
  readonly peek: (uuid: string) => MultipartyCall | undefined;
  readonly send: (uuid: string, input: RoomInput) => void;
}

/** Live effects, with events as the outbox keeps them. */
export type SessionEffect =
  | Exclude<RoomEffect, { readonly do: 'emit' }>
  | { readonly do: 'report-room' }
  | { readonly do: 'emit'; readonly event: OutboxEvent };

/** Carries out the effects of multiparty calls: only this function gives orders to their legs and media. */
export function createEffects(deps: EffectsDeps, { peek, send }: Outcomes) {
  const sendIfLive = (uuid: string, input: MultipartyCallInput): void => {
    if (peek(uuid) !== undefined) send(uuid, input);
  };
  const roomSounds = createRoomSounds({ ...deps, ownerKind, send: sendIfLive });
  const agents = createAgentStreams({ ...deps, ownerKind, send: sendIfLive });
  const roomRecordings = createRoomRecordings({ ...deps, ownerKind, send });

  function reportRoom(uuid: string): void {
    const call = peek(uuid);
    if (call === undefined) return;
    const room = roomOf(call);
    agents.changed(room);
    deps.changes.report(room);
  }

  return (uuid: string, effect: SessionEffect) => {
    switch (effect.do) {
      case 'report-room':
        return reportRoom(uuid);
      case 'dial': {
        const { call, participant } = effect;
        if (participant.agent !== undefined) {
          return agents.connect(uuid, call, participant, participant.agent);
        }
        if (participant.delaySeconds === 0) return dial(deps, send, uuid, effect);
        return dialLater(deps, { peek, send }, uuid, effect);
      }
      case 'hang-up':
        if (!agents.disconnect(effect.leg)) deps.calls.hangUp(effect.leg, endOf(effect.because));
        return;
      case 'give-back': {
        const { name, participant } = effect;
        const fields = exitFieldsOf({ uuid, name }, participant);
        return deps.calls.giveBack(participant.leg, ownerOf(uuid), fields);
      }
      case 'run-exit-document':
        return deps.exitDocuments.run(uuid, effect);
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
  };
}

type Dial = Extract<MultipartyCallEffect, { readonly do: 'dial' }>;

/** Nothing new begins for an account that was disabled during the delay: the participant leaves without a call. */
function dialLater(deps: EffectsDeps, { peek, send }: Outcomes, uuid: string, effect: Dial): void {
  const { leg } = effect.participant;
  Promise.resolve(deps.isDisabled(effect.call.account)).then(
    (isDisabled) => {
      const participant = peek(uuid)?.participants.find((each) => each.leg === leg);
      // It may have left meanwhile.
      if (participant?.phase !== 'dialling') return;
      if (isDisabled) send(uuid, { type: 'leg-ended', leg });
      else dial(deps, send, uuid, effect);
    },
    (error: unknown) => {
      deps.log.error({ mpc: uuid, leg, err: error }, 'account of a delayed leg not read');
      if (peek(uuid) !== undefined) send(uuid, { type: 'leg-ended', leg });
    },
  );
}

function dial(
  { calls, log }: EffectsDeps,
  send: Outcomes['send'],
  uuid: string,
  { call, participant }: Dial,
): void {
  const { leg, spec, requestUuid } = participant;
  const { account, mainAccount, maxDurationSeconds } = call;
  const timeLimitSeconds = Math.max(spec.timeLimitSeconds, maxDurationSeconds);
  calls
    .dial({
      leg,
      account,
      mainAccount,
      owner: ownerOf(uuid),
      spec: { ...spec, timeLimitSeconds },
      requestUuid,
      isPromised: true,
      ...callbacksOf(uuid, call, participant),
    })
    .catch((error: unknown) => {
      log.error({ mpc: uuid, leg, err: error }, 'record of a dialled leg not written');
      send(uuid, { type: 'leg-ended', leg });
    });
}

/** docs/interface/multiparty-calls.md#call-status-callbacks: events of the dialled leg, with the names of its multiparty call. */
function callbacksOf(
  uuid: string,
  { name }: Dial['call'],
  { callStatusCallback: target, memberId }: Participant,
): Pick<OutboundLeg, 'callbacks'> {
  if (target === null) return {};
  const fields = { MPCName: name, MPCUUID: uuid, MemberID: String(memberId) };
  return { callbacks: { ring: target, answer: target, hangup: target, fields } };
}
