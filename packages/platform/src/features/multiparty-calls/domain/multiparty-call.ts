import type { Instant, TimerFired } from '@jackfield/ports';
import type { KernelEffect } from '../../../kernel/kernel-effects.ts';
import type { PlayItem } from '../../sounds/index.ts';
import type { HearingChange } from './hearing-change.ts';
import type {
  Callback,
  Participant,
  ParticipantBill,
  StatusCallback,
  Switches,
  WantedParticipant,
} from './participant.ts';
import type { RoomAudioEffect } from './room-audio-effect.ts';
import type { RoomPlay, WantedPlay } from './room-play.ts';
import { noRecordings, type RecordingSettings, type RoomRecordings } from './room-recording.ts';
import type { TerminationCode } from './termination.ts';

/**
 * A room for several phones.
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
  /** Somebody has been present. */
  readonly wasJoined: boolean;
  /** Of all participants that have left. */
  readonly billed: ParticipantBill;
  /** Everybody dialled or present, and those who left in the last step (their record is written with that step). */
  readonly participants: readonly Participant[];
  readonly recordings: RoomRecordings;
  /** What is heard beside voices and music, for a while. */
  readonly plays: readonly RoomPlay[];
  /** Of the last step that changed who hears whom. */
  readonly hearingChange: HearingChange | null;
}

/** What the creator fixes for the whole call. */
export interface CallSettings {
  readonly maxParticipants: number;
  readonly maxDurationSeconds: number;
  readonly stayAlone: boolean;
  /** Nobody but an agent starts it. */
  readonly waitsForAgent: boolean;
  /** Ends so long after its creation if no agent has come; null: waits for ever. */
  readonly waitSeconds: number | null;
  readonly recordMinMemberCount: number;
  readonly statusCallback: StatusCallback | null;
  readonly recordingCallback: Callback | null;
  readonly recording: RecordingSettings;
  readonly music: MusicSettings;
}

/** What is heard instead of the built-in music, where it is not null. */
export interface MusicSettings {
  /** By those who wait for the start. */
  readonly wait: Callback | null;
  /** On hold, by agents and supervisors. */
  readonly agentHold: Callback | null;
  readonly customerHold: Callback | null;
}

export const builtInMusic: MusicSettings = { wait: null, agentHold: null, customerHold: null };

/** `all`, or some of those dialled or present. */
export type Members = 'all' | readonly number[];

/** What one request adds: phones for one place, all of the same `requestUuid`; mostly a single one. */
export type Rivals = readonly [WantedParticipant, ...WantedParticipant[]];

export type MultipartyCallInput =
  | { readonly type: 'created'; readonly rivals: Rivals }
  | { readonly type: 'add-participant'; readonly rivals: Rivals }
  | { readonly type: 'leg-ringing'; readonly leg: string }
  | { readonly type: 'leg-answered'; readonly leg: string }
  /** `isRequestCancelled`: so were the calls of its request that ring, and those still to be dialled are meant as well. */
  | { readonly type: 'leg-ended'; readonly leg: string; readonly isRequestCancelled?: boolean }
  /** A leg that was there before has been handed over. */
  | { readonly type: 'leg-here'; readonly leg: string; readonly isAnswered: boolean }
  /** Another owner has it now. */
  | { readonly type: 'leg-taken'; readonly leg: string }
  | { readonly type: 'leg-digit'; readonly leg: string; readonly digit: string }
  | { readonly type: 'leg-voice'; readonly leg: string; readonly speaking: boolean }
  | { readonly type: 'activate' }
  | { readonly type: 'end' }
  | { readonly type: 'update'; readonly members: Members; readonly switches: Partial<Switches> }
  | { readonly type: 'kick'; readonly members: Members }
  | { readonly type: 'play'; readonly wanted: WantedPlay; readonly members: Members }
  | { readonly type: 'stop-play'; readonly of: 'play' | 'speak'; readonly members: Members }
  /** Of a play, for one of its listeners. */
  | { readonly type: 'sound-over'; readonly key: string; readonly hasFailed: boolean }
  /** The process that held the legs is gone, and they with it; `diedAt` is when it was last known to live. */
  | { readonly type: 'process-restarted'; readonly diedAt: Instant }
  | TimerFired;

export type MultipartyCallEffect =
  | {
      readonly do: 'dial';
      readonly call: Pick<MultipartyCall, 'account' | 'mainAccount' | 'name'>;
      readonly participant: Participant;
    }
  | { readonly do: 'hang-up'; readonly leg: string; readonly because: LetGoCause }
  /** Of a leg that was dialled or taken and has answered: its exit action is asked for a document, which runs on it. */
  | {
      readonly do: 'run-exit-document';
      readonly name: string;
      readonly participant: Participant;
      /** How it is hung up if there is no document. */
      readonly because: LetGoCause;
    }
  /** Of a borrowed leg, to the document that runs on it. */
  | { readonly do: 'give-back'; readonly name: string; readonly participant: Participant }
  | { readonly do: 'watch-voice'; readonly leg: string; readonly watched: boolean }
  | { readonly do: 'send-digits'; readonly leg: string; readonly digits: string }
  | RoomSoundEffect
  | RoomAudioEffect
  | KernelEffect<MultipartyCallEvent, MultipartyCallReply>;

/**
 * `call-ended`: by itself, `end-requested`: by the API; `not-confirmed`: no key or a wrong one; `alone`: it was to join others, and nobody
 * is there.
 */
export type LetGoCause = 'call-ended' | 'end-requested' | 'kicked' | 'lost-race' | 'not-confirmed' | 'alone';

/** Sounds from URLs, under keys of the call; whoever starts one stops it, unless it has an end of its own. */
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
      /** They hear nothing else meanwhile. */
      readonly alone: boolean;
      readonly lengthMs?: number;
      /** It is one for several: what fails is told once, under the name of the whole. */
      readonly partOf?: { readonly play: string; readonly to: readonly string[] };
    }
  | { readonly do: 'stop-sound'; readonly key: string };

export type MultipartyCallEvent =
  | { readonly type: 'initialized' | 'started' | 'ended' }
  | { readonly type: ParticipantEventType; readonly participant: Participant }
  /** A participant has hung up whose exit action is to hear of it. */
  | { readonly type: 'exit-action'; readonly participant: Participant; readonly request: Callback }
  /** A text that somebody wanted to hear the end of. */
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
  /** A leg was handed over for a participant who is not in the call any more. */
  | { readonly because: 'gone' }
  | { readonly because: 'not-initialized' }
  | { readonly because: 'no-such-member'; readonly memberId: number }
  | { readonly because: 'not-a-supervisor'; readonly memberId: number }
  | { readonly because: 'not-present'; readonly memberId: number }
  | { readonly because: 'nobody-present' }
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

/** Whether a status callback asks for this group of events (docs/interface/multiparty-calls.md#status-callbacks). */
export function isRequested(callback: StatusCallback | null, group: string): boolean {
  return callback?.events.split(',').includes(group) ?? false;
}

/** Of this participant: by the call's status callback, or by its own. */
export function isRequestedOf(
  call: Pick<MultipartyCall, 'statusCallback'>,
  participant: Pick<Participant, 'statusCallback'>,
  group: string,
): boolean {
  return isRequested(call.statusCallback, group) || isRequested(participant.statusCallback, group);
}

/** What the sound in a room depends on. */
export interface Room {
  readonly status: 'initialized' | 'active' | 'ended';
  readonly participants: readonly Participant[];
  readonly music: MusicSettings;
}
