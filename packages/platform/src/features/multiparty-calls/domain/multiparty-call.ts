import type { Instant, TimerFired } from '@jackfield/ports';
import type { KernelEffect } from '../../../kernel/kernel-effects.ts';
import type { PlayItem } from '../../sounds/index.ts';
import type { HearingChange } from './hearing-change.ts';
import type {
  Callback,
  Participant,
  ParticipantBill,
  RequestedParticipant,
  StatusCallback,
  Switches,
} from './participant.ts';
import type { RoomAudioEffect } from './room-audio-effect.ts';
import type { RequestedPlay, RoomPlay } from './room-play.ts';
import { noRecordings, type RecordingSettings, type RoomRecordings } from './room-recording.ts';
import type { TerminationCode } from './termination.ts';

/**
 * One multiparty call.
 *
 *   (none) ──add, start_mpc_on_enter──→ active ──┐
 *     └────add, not starting──→ initialized ─────┴→ ended
 *                                └─activate, or a starter joins─→ active
 */
export interface MultipartyCall extends CallSettings {
  readonly uuid: string;
  /** The account or subaccount that owns it, and the main account that sees it. */
  readonly account: string;
  readonly mainAccount: string;
  readonly name: string;
  readonly status: 'initialized' | 'active' | 'ended';
  readonly createdAt: Instant;
  readonly startedAt: Instant | null;
  readonly endedAt: Instant | null;
  readonly termination: TerminationCode | null;
  /** A participant has joined at some time. */
  readonly wasJoined: boolean;
  /** Of all participants that have left. */
  readonly billed: ParticipantBill;
  /** All participants dialled or present, and those that left in the last step (their record is written with that step). */
  readonly participants: readonly Participant[];
  readonly recordings: RoomRecordings;
  /** Sounds that end, beside voices and music. */
  readonly plays: readonly RoomPlay[];
  /** Of the last step that changed the hearing table. */
  readonly hearingChange: HearingChange | null;
}

/** Settings that the creator fixes for the whole call. */
export interface CallSettings {
  readonly maxParticipants: number;
  readonly maxDurationSeconds: number;
  readonly stayAlone: boolean;
  /** Only an agent starts it. */
  readonly waitsForAgent: boolean;
  /** Seconds from creation to the end without an agent; null: no limit. */
  readonly waitSeconds: number | null;
  readonly recordMinMemberCount: number;
  readonly statusCallback: StatusCallback | null;
  readonly recordingCallback: Callback | null;
  readonly recording: RecordingSettings;
  readonly music: MusicSettings;
}

/** Sources instead of the built-in music; null: built-in. */
export interface MusicSettings {
  /** For participants that wait for the start. */
  readonly wait: Callback | null;
  /** For agents and supervisors on hold. */
  readonly agentHold: Callback | null;
  readonly customerHold: Callback | null;
}

export const builtInMusic: MusicSettings = { wait: null, agentHold: null, customerHold: null };

/** `all`, or the numbers of participants dialled or present. */
export type Members = 'all' | readonly number[];

/** The phones that one request adds for one slot, all with the same `requestUuid`; mostly a single phone. */
export type Rivals = readonly [RequestedParticipant, ...RequestedParticipant[]];

export type MultipartyCallInput =
  | { readonly type: 'created'; readonly rivals: Rivals }
  | { readonly type: 'add-participant'; readonly rivals: Rivals }
  | { readonly type: 'leg-ringing'; readonly leg: string }
  | { readonly type: 'leg-answered'; readonly leg: string }
  | { readonly type: 'leg-ended'; readonly leg: string }
  /** An existing leg was handed over. */
  | { readonly type: 'leg-here'; readonly leg: string; readonly isAnswered: boolean }
  /** Another owner has it now. */
  | { readonly type: 'leg-taken'; readonly leg: string }
  | { readonly type: 'leg-digit'; readonly leg: string; readonly digit: string }
  | { readonly type: 'leg-voice'; readonly leg: string; readonly speaking: boolean }
  | { readonly type: 'activate' }
  | { readonly type: 'end' }
  | { readonly type: 'update'; readonly members: Members; readonly switches: Partial<Switches> }
  | { readonly type: 'kick'; readonly members: Members }
  /** Cancels the phones of this request that are not answered, and those not dialled yet. */
  | { readonly type: 'cancel-request'; readonly requestUuid: string }
  | { readonly type: 'play'; readonly requested: RequestedPlay; readonly members: Members }
  | { readonly type: 'stop-play'; readonly of: 'play' | 'speak'; readonly members: Members }
  /** A play ended for one of its listeners. */
  | { readonly type: 'sound-over'; readonly key: string; readonly hasFailed: boolean }
  /** The process that held the legs died; `diedAt`: the last known time of its life. */
  | { readonly type: 'process-restarted'; readonly diedAt: Instant }
  | TimerFired;

export type MultipartyCallEffect =
  | {
      readonly do: 'dial';
      readonly call: Pick<MultipartyCall, 'account' | 'mainAccount' | 'name' | 'maxDurationSeconds'>;
      readonly participant: Participant;
    }
  | { readonly do: 'hang-up'; readonly leg: string; readonly because: LetGoCause }
  /** For an answered leg that was dialled or taken: requests a document from the exit action and runs it on the leg. */
  | {
      readonly do: 'run-exit-document';
      readonly name: string;
      readonly participant: Participant;
      /** The cause of the hang-up if there is no document. */
      readonly because: LetGoCause;
    }
  /** Returns a borrowed leg to the document that runs on it. */
  | { readonly do: 'give-back'; readonly name: string; readonly participant: Participant }
  | { readonly do: 'watch-voice'; readonly leg: string; readonly watched: boolean }
  | { readonly do: 'send-digits'; readonly leg: string; readonly digits: string; readonly pressedBy: string }
  | RoomSoundEffect
  | RoomAudioEffect
  | KernelEffect<MultipartyCallEvent, MultipartyCallReply>;

/**
 * `call-ended`: by itself, `end-requested`: by the API; `not-confirmed`: no key or a wrong key; `alone`: it may only join others, and
 * no participant is present.
 */
export type LetGoCause =
  | 'call-ended'
  | 'end-requested'
  | 'kicked'
  | 'request-cancelled'
  | 'lost-race'
  | 'not-confirmed'
  | 'alone';

/** Sounds from URLs, under keys of the call. The call stops each sound that has no end of its own. */
export type RoomSoundEffect =
  | {
      readonly do: 'start-sound';
      readonly key: string;
      readonly account: string;
      readonly mainAccount: string;
      readonly to: readonly string[];
      readonly items: readonly PlayItem[];
      /** How often; 0: until it is stopped. */
      readonly loop: number;
      /** The listeners hear nothing else meanwhile. */
      readonly alone: boolean;
      readonly lengthMs?: number;
      /** One of several copies of a play: a failure is reported once, under the name of the whole. */
      readonly partOf?: { readonly play: string; readonly to: readonly string[] };
    }
  | { readonly do: 'stop-sound'; readonly key: string };

export type MultipartyCallEvent =
  | { readonly type: 'initialized' | 'started' | 'ended' }
  | { readonly type: ParticipantEventType; readonly participant: Participant }
  /** A participant with an exit action has hung up. */
  | { readonly type: 'exit-action'; readonly participant: Participant; readonly request: Callback }
  /** A text with a callback is over. */
  | {
      readonly type: 'speak-over';
      readonly memberIds: readonly number[];
      readonly outcome: 'completed' | 'stopped' | 'failed';
      readonly request: Callback;
    }
  | { readonly type: 'participant-digit'; readonly participant: Participant; readonly digit: string };

export type ParticipantEventType =
  | 'add-participant-initiated'
  | 'add-participant-completed'
  | 'participant-joined'
  | 'participant-exited'
  | 'participant-muted'
  | 'participant-unmuted'
  | 'participant-held'
  | 'participant-unheld'
  | 'coaching-started'
  | 'coaching-stopped'
  | 'participant-speaking'
  | 'participant-silent';

export type MultipartyCallReply = 'done' | Refusal;

export type Refusal =
  | { readonly because: 'ended' }
  | { readonly because: 'full'; readonly maxParticipants: number }
  | { readonly because: 'already-in'; readonly memberId: number }
  /** A leg was handed over for a participant that already left. */
  | { readonly because: 'gone' }
  | { readonly because: 'none-waits'; readonly requestUuid: string }
  | { readonly because: 'not-initialized' }
  | { readonly because: 'no-such-member'; readonly memberId: number }
  | { readonly because: 'not-a-supervisor'; readonly memberId: number }
  | { readonly because: 'not-present'; readonly memberId: number }
  | { readonly because: 'none-present' }
  | { readonly because: 'too-many-plays'; readonly maxPlays: number };

/** A call before its first step, which is `created`. */
export function newMultipartyCall(
  identity: Pick<MultipartyCall, 'uuid' | 'account' | 'mainAccount' | 'name' | 'createdAt'>,
  settings: CallSettings,
): MultipartyCall {
  return {
    ...identity,
    ...settings,
    status: 'initialized',
    startedAt: null,
    endedAt: null,
    termination: null,
    wasJoined: false,
    billed: { seconds: 0, units: 0 },
    participants: [],
    recordings: noRecordings,
    plays: [],
    hearingChange: null,
  };
}

/** Whether a status callback requests this group of events (docs/interface/multiparty-calls.md#status-callbacks). */
export function isRequested(callback: StatusCallback | null, group: string): boolean {
  return callback?.events.split(',').includes(group) ?? false;
}

/** Whether the status callback of the call or of this participant requests it. */
export function isRequestedOf(
  call: Pick<MultipartyCall, 'statusCallback'>,
  participant: Pick<Participant, 'statusCallback'>,
  group: string,
): boolean {
  return isRequested(call.statusCallback, group) || isRequested(participant.statusCallback, group);
}

/** The part of the state that decides music and hearing. */
export interface Room {
  readonly status: 'initialized' | 'active' | 'ended';
  readonly participants: readonly Participant[];
  readonly music: MusicSettings;
}
