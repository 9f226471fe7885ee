import type { RecordingFormat } from '@jackfield/ports';
import type { Callback } from './participant.ts';

/** How a call is recorded that nobody asks for later; the creator of the call decides. */
export interface RecordingSettings {
  /** The whole call, once as many are present as the creator wants. */
  readonly wholeCall: boolean;
  /** From then on each participant's own voice too. */
  readonly eachParticipant: boolean;
  readonly format: RecordingFormat;
  /** A supervisor who coaches is recorded (docs/interface/multiparty-calls.md#recording), unless somebody has switched that off. */
  readonly coachVoice: boolean;
  /** Played to all before a recording of the call begins, and after it has been stopped. */
  readonly startSound: AnnouncedSound | null;
  readonly stopSound: AnnouncedSound | null;
}

export type AnnouncedSound = Callback;

export const notRecorded: RecordingSettings = {
  wholeCall: false,
  eachParticipant: false,
  format: 'mp3',
  coachVoice: true,
  startSound: null,
  stopSound: null,
};

/** What is recorded of a call at this moment. */
export interface RoomRecordings {
  /** What begins by itself has not begun yet. */
  readonly isDue: boolean;
  readonly live: readonly RoomRecording[];
  /** The call has ended, and nobody has been told: its recordings end first. */
  readonly isEndOwed: boolean;
}

export const noRecordings: RoomRecordings = { isDue: true, live: [], isEndOwed: false };

/**
 *     (announcing →) recording ⇄ paused → stopping → (none)
 *
 * `stopping` until its file is complete; another one may begin meanwhile.
 */
export interface RoomRecording extends WantedRecording {
  readonly status: 'announcing' | 'recording' | 'paused' | 'stopping';
  /** Who is on which channel, where everybody has one: a member, or null for nobody. A member keeps its channel. */
  readonly channels: readonly (number | null)[];
}

export interface WantedRecording {
  /** Drawn by whoever orders it. */
  readonly uuid: string;
  /** The call, or the member whose recording it is. */
  readonly of: 'call' | number;
  readonly track: RecordedTrack;
  readonly format: RecordingFormat;
  readonly callback: Callback | null;
}

/** Everybody on one channel, one participant alone, or everybody on a channel of their own. */
export type RecordedTrack = 'mix' | 'participant' | 'all';

/** What a stop, a pause or a resumption is about; `tracks` null: whatever runs. */
export type RecordingChoice =
  | { readonly of: 'call' }
  | { readonly of: 'all' | readonly number[]; readonly tracks: 'participant' | 'all' | 'both' | null };

/** Those that count for whoever asks: one whose file is being completed is over. */
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
