import type { CaptureTrack, Instant, RecordedFile, RecordingFormat } from '@jackfield/ports';

/**
 * `starting → recording ⇄ paused → finishing → completed | failed`. A recording that broke waits in `finishing` until it is
 * known what its file holds.
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
  /** Told of everything that happens to it, instead of `callback`. */
  readonly announcement: RecordingAnnouncement | null;
  /** Events that were told so far. */
  readonly sequence: number;
  /** Of one participant of a multiparty call; null for any other. */
  readonly memberId: number | null;
  readonly trackType: TrackType | null;
  /** Who is on which channel, and when, where every participant has one of its own. */
  readonly channels: readonly RecordedChannel[] | null;
  readonly status: RecordingStatus;
  readonly createdAt: Instant;
  /** When the first sound was taken down; null until the file is open. */
  readonly startedAt: Instant | null;
  /** When the last one was. */
  readonly endedAt: Instant | null;
  /** When the file was complete, or given up. */
  readonly closedAt: Instant | null;
  readonly because: EndReason | null;
  /** Of the file, once it is complete. */
  readonly durationMs: number;
  readonly bytes: number;
  /** Wishes that came while the file was being opened. */
  readonly pauseAsked: boolean;
  readonly stopAsked: boolean;
  readonly tracksAsked: readonly CaptureTrack[] | null;
  /** Since when it has not been paused; null in a pause. */
  readonly runningSince: Instant | null;
  /** Without the time since `runningSince`. */
  readonly recordedMs: number;
  /** Nobody wants it any more: record and file go with its end. */
  readonly isDiscarded: boolean;
  /** Why it failed, for people. */
  readonly sentence: string | null;
}

export type EndReason = 'stopped' | 'max-length' | 'failed';

export interface RecordingCallback {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly fields: Readonly<Record<string, string>>;
  readonly resource: string;
}

/** Whose events a multiparty call tells (docs/interface/multiparty-calls.md#recording-callbacks). */
export interface RecordingAnnouncement {
  readonly of: 'MPCRecording' | 'ParticipantRecording';
  readonly callback: { readonly url: string; readonly method: 'GET' | 'POST' } | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly resource: string;
}

/** Of a multiparty call: everybody on one channel, one participant, or everybody on a channel of their own. */
export type TrackType = 'mix' | 'participant' | 'all';

/** A participant on a channel. */
export interface ChannelMember {
  /** Counted from 1. */
  readonly channel: number;
  readonly memberId: number;
  readonly callUuid: string;
  readonly role: string;
}

/** Milliseconds of the file; `toMs` is null while it is there. */
export interface RecordedChannel extends ChannelMember {
  readonly fromMs: number;
  readonly toMs: number | null;
}

export type RecordingInput =
  | { readonly type: 'ordered'; readonly tracks: readonly CaptureTrack[] }
  | { readonly type: 'recorder-started' }
  /** It could not start, or broke. */
  | { readonly type: 'recorder-failed'; readonly sentence: string }
  | { readonly type: 'retrack-asked'; readonly tracks: readonly CaptureTrack[] }
  /** Who is on which channel from now on. */
  | { readonly type: 'members-told'; readonly members: readonly ChannelMember[] }
  | { readonly type: 'pause-asked' }
  | { readonly type: 'resume-asked' }
  | { readonly type: 'stop-asked' }
  /** Its account is gone, or somebody deletes it. */
  | { readonly type: 'discard-asked' }
  | { readonly type: 'file-completed'; readonly file: RecordedFile }
  /** Undefined when there is none, or when it cannot be read. */
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
  | { readonly do: 'tell'; readonly event: RecordingEvent; readonly recording: Recording }
  | { readonly do: 'emit'; readonly event: RecordingEvent; readonly recording: Recording }
  | { readonly do: 'start-timer'; readonly key: 'max-length'; readonly at: Instant }
  | { readonly do: 'cancel-timer'; readonly key: 'max-length' };

export function isOver({ status }: Recording): boolean {
  return status === 'completed' || status === 'failed';
}
