import type { CaptureTrack, RecordingFormat } from '@jackfield/ports';
import type { ChannelMember, RecordingAnnouncement, RecordingFault, TrackType } from './domain/recording.ts';
import type { TranscriptRequest } from './domain/transcript-request.ts';

/** The recordings feature for its owners: a document, the Call API, a multiparty call. */
export interface Recordings {
  /** Each kind of owner registers its listener once. */
  ownedBy(kind: string, notify: (owner: string, notice: RecordingNotice) => void): void;
  /** The operator has a speech engine; without one no transcript can be ordered. */
  readonly canTranscribe: boolean;
  /** URL of the file, before it exists. */
  urlOf(recording: Pick<NewRecording, 'recording' | 'account' | 'format'>): string;
  /** Its record is durable when the promise resolves; later failures arrive as a notice. */
  start(order: NewRecording): Promise<void>;
  /** Other legs on the same tracks, at once. */
  retrack(recording: string, tracks: readonly CaptureTrack[]): void;
  /** Members of the channels from now on, for a recording that began with `members`. */
  changeMembers(recording: string, members: readonly ChannelMember[]): void;
  pause(recording: string): void;
  resume(recording: string): void;
  /** Without effect on a recording that is over. */
  stop(recording: string): void;
}

export interface NewRecording {
  /** A UUID that the owner chooses, so that the API can name it at once. */
  readonly recording: string;
  readonly account: string;
  readonly mainAccount: string;
  readonly owner: { readonly kind: string; readonly id: string };
  /** docs/interface/recordings.md#fields `recording_type`. */
  readonly type: 'normal' | 'mpc';
  readonly callUuid: string;
  readonly mpc?: { readonly uuid: string; readonly name: string };
  readonly from: string;
  readonly to: string;
  readonly format: RecordingFormat;
  readonly tracks: readonly CaptureTrack[];
  /** Pauses do not count. */
  readonly maxSeconds: number;
  /** Sent by the outbox, from the transaction that ends the record: these fields, and the fields of `RecordingOver`. */
  readonly callback?: {
    readonly url: string;
    readonly method: 'GET' | 'POST';
    readonly fields: Readonly<Record<string, string>>;
    /** Orders it among the owner's other events, e.g. `call/<uuid>`. */
    readonly resource: string;
  };
  /** Callbacks for begin, pauses and end, each from the transaction of its change; instead of `callback`. */
  readonly announcement?: RecordingAnnouncement;
  /** Its words are written and reported, from its begin on. */
  readonly transcript?: TranscriptRequest;
  /** Which tracks of a multiparty call are recorded, and of which member. */
  readonly trackType?: TrackType;
  readonly memberId?: number;
  /** Members of the channels at the beginning, where every participant has a channel of its own. */
  readonly members?: readonly ChannelMember[];
  /**
   * A client has its id already. While the database is away it waits; where it cannot be recorded at all, the event of a failed recording is
   * sent. Then `start` rejects.
   */
  readonly isPromised?: boolean;
}

export type RecordingNotice =
  | { readonly type: 'recording-begun'; readonly recording: string }
  | { readonly type: 'recording-paused'; readonly recording: string }
  | { readonly type: 'recording-resumed'; readonly recording: string }
  | ({ readonly type: 'recording-over' } & RecordingOver);

export interface RecordingOver {
  readonly recording: string;
  readonly url: string;
  readonly outcome: 'completed' | 'failed';
  readonly because: 'stopped' | 'max-length' | 'failed';
  readonly durationMs: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Why it failed. */
  readonly fault: RecordingFault | null;
}
