import type { CaptureTrack, Step } from '@jackfield/ports';
import type { ChannelMember } from '../../recordings/index.ts';
import type {
  MultipartyCall,
  MultipartyCallEffect,
  MultipartyCallInput,
  MultipartyCallReply,
} from './multiparty-call.ts';
import type { Participant } from './participant.ts';
import type {
  AnnouncedSound,
  RecordingChoice,
  RecordingRefusal,
  RequestedRecording,
  RoomRecording,
} from './room-recording.ts';

export type RoomRecordingInput =
  | RecordingOrder
  | { readonly type: 'announcement-over'; readonly recording: string }
  /** Its file is complete, or there is no file. */
  | { readonly type: 'recording-over'; readonly recording: string };

export type RoomInput = MultipartyCallInput | RoomRecordingInput;

export type RoomRecordingEffect =
  /** The recordings come back as a `record` input, with names. */
  | { readonly do: 'name-recordings'; readonly requested: readonly Omit<RequestedRecording, 'uuid'>[] }
  | {
      readonly do: 'start-recording';
      readonly call: Pick<MultipartyCall, 'account' | 'mainAccount' | 'name' | 'maxDurationSeconds'>;
      readonly recording: RoomRecording;
      readonly participant: Participant | null;
      readonly tracks: readonly CaptureTrack[];
      readonly members: readonly ChannelMember[];
    }
  | { readonly do: 'retrack-recording'; readonly recording: string; readonly tracks: readonly CaptureTrack[] }
  | { readonly do: 'report-channels'; readonly recording: string; readonly members: readonly ChannelMember[] }
  | { readonly do: 'pause-recording' | 'resume-recording' | 'stop-recording'; readonly recording: string }
  | {
      readonly do: 'announce';
      readonly call: Pick<MultipartyCall, 'account' | 'mainAccount'>;
      readonly recording: string;
      readonly isStart: boolean;
      readonly sound: AnnouncedSound;
      readonly to: readonly string[];
    }
  | { readonly do: 'stop-announcement'; readonly recording: string };

export type RoomReply = MultipartyCallReply | RecordingRefusal;

export type RoomEffect =
  | MultipartyCallEffect
  | RoomRecordingEffect
  | { readonly do: 'reply'; readonly reply: RoomReply };

export type RoomStep = Step<MultipartyCall, RoomEffect>;

/** A request about recordings. */
export type RecordingOrder =
  | {
      readonly type: 'record';
      readonly requested: readonly RequestedRecording[];
      /** Without a client: recordings that are impossible or run already are left out. */
      readonly byItself: boolean;
    }
  | {
      readonly type: 'stop-recording' | 'pause-recording' | 'resume-recording';
      readonly which: RecordingChoice;
    };
