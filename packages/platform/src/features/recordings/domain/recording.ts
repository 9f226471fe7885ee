import type {
  CaptureTrack,
  Instant,
  RecordedFile,
  RecordingFailureCode,
  RecordingFormat,
} from '@jackfield/ports';
import type { TranscriptRequest } from './transcript-request.ts';

/**
 * `starting → recording ⇄ paused → finishing → completed | failed`. A broken recording waits in `finishing` until its file
 * is inspected.
 */
export type RecordingStatus = 'starting' | 'recording' | 'paused' | 'finishing' | 'completed' | 'failed';

export interface Recording {
  readonly uuid: string;
  readonly account: string;
  readonly mainAccount: string;
  readonly owner: { readonly kind: string; readonly id: string };
  readonly type: 'normal' | 'mpc';
  readonly callUuid: string;
  readonly mpc: { readonly uuid: string; readonly name: string } | null;
  readonly from: string;
  readonly to: string;
  readonly format: RecordingFormat;
  readonly maxSeconds: number;
  readonly callback: RecordingCallback | null;
  /** Gets a callback for each event, instead of `callback`. */
  readonly announcement: RecordingAnnouncement | null;
  /** Ordered with it; kept in a table of its own from then on. */
  readonly transcript: TranscriptRequest | null;
  /** Number of events so far. */
  readonly sequence: number;
  /** Of one participant of a multiparty call; null for any other. */
  readonly memberId: number | null;
  readonly trackType: TrackType | null;
  /** Members of the channels and their times, where every participant has a channel of its own. */
  readonly channels: readonly RecordedChannel[] | null;
  readonly status: RecordingStatus;
  readonly createdAt: Instant;
  /** When the first sound was recorded; null until the file is open. */
  readonly startedAt: Instant | null;
  /** When the last sound was. */
  readonly endedAt: Instant | null;
  /** When the file was complete, or given up. */
  readonly closedAt: Instant | null;
  readonly because: EndReason | null;
  /** Of the file, once it is complete. */
  readonly durationMs: number;
  readonly bytes: number;
  /** Requests that arrived while the file was being opened. */
  readonly pauseAsked: boolean;
  readonly stopAsked: boolean;
  readonly tracksAsked: readonly CaptureTrack[] | null;
  /** Begin of the stretch without a pause; null in a pause. */
  readonly runningSince: Instant | null;
  /** Without the time since `runningSince`. */
  readonly recordedMs: number;
  /** Deleted while it ran: record and file go with its end. */
  readonly isDiscarded: boolean;
  /** Why it failed. */
  readonly fault: RecordingFault | null;
}

/** Why there is no complete file: for programs, and for people. */
export interface RecordingFault {
  readonly code: FaultCode;
  readonly sentence: string;
}

/** `RecordingErrorCode` of docs/reference/errors.md. */
export type FaultCode = RecordingFailureCode | 'interrupted';

export type EndReason = 'stopped' | 'max-length' | 'failed';

export interface RecordingCallback {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly fields: Readonly<Record<string, string>>;
  readonly resource: string;
}

/** Callbacks of a multiparty call about the recording (docs/interface/multiparty-calls.md#recording-callbacks). */
export interface RecordingAnnouncement {
  readonly of: 'MPCRecording' | 'ParticipantRecording';
  readonly callback: { readonly url: string; readonly method: 'GET' | 'POST' } | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly resource: string;
}

/** Of a multiparty call: all participants on one channel, one participant, or each participant on its own channel. */
export type TrackType = 'mix' | 'participant' | 'all';

/** A participant on a channel. */
export interface ChannelMember {
  /** Counted from 1. */
  readonly channel: number;
  readonly memberId: number;
  readonly callUuid: string;
  readonly role: string;
}

/** Milliseconds of the file; `toMs` is null while the participant is on the channel. */
export interface RecordedChannel extends ChannelMember {
  readonly fromMs: number;
  readonly toMs: number | null;
}

export type RecordingInput =
  | { readonly type: 'ordered'; readonly tracks: readonly CaptureTrack[] }
  | { readonly type: 'recorder-started' }
  /** The recorder could not start, or broke. */
  | { readonly type: 'recorder-failed'; readonly fault: RecordingFault }
  | { readonly type: 'retrack-asked'; readonly tracks: readonly CaptureTrack[] }
  /** Members of the channels from now on. */
  | { readonly type: 'members-changed'; readonly members: readonly ChannelMember[] }
  | { readonly type: 'pause-asked' }
  | { readonly type: 'resume-asked' }
  | { readonly type: 'stop-asked' }
  /** The recording or its account is deleted. */
  | { readonly type: 'discard-asked' }
  | { readonly type: 'file-completed'; readonly file: RecordedFile }
  /** Undefined when there is no file, or when it cannot be read. */
  | { readonly type: 'file-inspected'; readonly file: RecordedFile | undefined }
  | { readonly type: 'process-restarted' };

export type RecordingEvent = 'started' | 'paused' | 'resumed' | 'completed' | 'failed';

export type RecordingEffect =
  | { readonly do: 'start-recorder'; readonly tracks: readonly CaptureTrack[] }
  | { readonly do: 'retrack'; readonly tracks: readonly CaptureTrack[] }
  | { readonly do: 'pause-recorder' }
  | { readonly do: 'resume-recorder' }
  | { readonly do: 'stop-recorder' }
  /** After the recorder has broken, or the process has died. */
  | { readonly do: 'inspect-file' }
  | { readonly do: 'notify-owner'; readonly event: RecordingEvent; readonly recording: Recording }
  | { readonly do: 'emit'; readonly event: RecordingEvent; readonly recording: Recording }
  | { readonly do: 'start-timer'; readonly key: 'max-length'; readonly at: Instant }
  | { readonly do: 'cancel-timer'; readonly key: 'max-length' };

export function isOver({ status }: Recording): boolean {
  return status === 'completed' || status === 'failed';
}
