import type { RecordingFormat } from '@jackfield/ports';
import type { TranscriptRequest } from '../../recordings/index.ts';
import type { Callback } from './participant.ts';

/** Recordings that begin without a request; the creator of the call decides. */
export interface RecordingSettings {
  /** The whole call, from recordMinMemberCount participants on. */
  readonly wholeCall: boolean;
  /** From then on each participant's own voice too. */
  readonly eachParticipant: boolean;
  readonly format: RecordingFormat;
  /** A supervisor who coaches is recorded (docs/interface/multiparty-calls.md#recording), unless the creator switched that off. */
  readonly coachVoice: boolean;
  /** Played to all before a recording of the call begins, and after it has been stopped. */
  readonly startSound: AnnouncedSound | null;
  readonly stopSound: AnnouncedSound | null;
  /** Of the recordings that begin without a request. */
  readonly transcript: TranscriptRequest | null;
}

export type AnnouncedSound = Callback;

export const notRecorded: RecordingSettings = {
  wholeCall: false,
  eachParticipant: false,
  format: 'mp3',
  coachVoice: true,
  startSound: null,
  stopSound: null,
  transcript: null,
};

/** The recordings of a call at this moment. */
export interface RoomRecordings {
  /** The recordings that begin without a request have not begun yet. */
  readonly isDue: boolean;
  readonly live: readonly RoomRecording[];
  /** The call has ended, but its end is not reported yet: its recordings end first. */
  readonly isEndOwed: boolean;
}

export const noRecordings: RoomRecordings = { isDue: true, live: [], isEndOwed: false };

/**
 *     (announcing →) recording ⇄ paused → stopping → (none)
 *
 * `stopping` until its file is complete; another recording may begin meanwhile.
 */
export interface RoomRecording extends RequestedRecording {
  readonly status: 'announcing' | 'recording' | 'paused' | 'stopping';
  /** The member of each channel, null for none; empty unless each member has a channel. A member keeps its channel. */
  readonly channels: readonly (number | null)[];
}

export interface RequestedRecording {
  /** Chosen by the feature that orders it. */
  readonly uuid: string;
  /** The call, or the member whose recording it is. */
  readonly of: 'call' | number;
  readonly track: RecordedTrack;
  readonly format: RecordingFormat;
  readonly callback: Callback | null;
  readonly transcript?: TranscriptRequest;
}

/** All on one channel, one participant alone, or each member on its own channel. */
export type RecordedTrack = 'mix' | 'participant' | 'all';

/** The recordings to stop, pause or resume; `tracks` null: all that run. */
export type RecordingChoice =
  | { readonly of: 'call' }
  | { readonly of: 'all' | readonly number[]; readonly tracks: 'participant' | 'all' | 'both' | null };

/** For the API a recording is over while its file is being completed. */
export function isRunning({ status }: RoomRecording): boolean {
  return status !== 'stopping';
}

/** docs/interface/multiparty-calls.md#recording, MPC recording status. */
export type RecordingStatus = 'recording' | 'not-recording' | 'paused';

export function recordingStatusOf({ live }: RoomRecordings): RecordingStatus {
  const whole = live.find((each) => each.of === 'call' && isRunning(each));
  if (whole === undefined) return 'not-recording';
  return whole.status === 'paused' ? 'paused' : 'recording';
}

export type RecordingRefusal =
  | { readonly because: 'recording-runs'; readonly memberId: number | null }
  | { readonly because: 'nothing-recorded'; readonly memberId: number | null }
  | { readonly because: 'not-recording' | 'not-paused'; readonly memberId: number | null }
  | { readonly because: 'not-joined'; readonly memberId: number };
