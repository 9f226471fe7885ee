import type { TranscribedWords, TranscriptionProblemCode } from '@jackfield/ports';
import type { Recording } from '../domain/recording.ts';
import type { TranscriptRequest } from '../domain/transcript-request.ts';

/** `in-progress` from the begin of the recording until all of its file is transcribed. */
export type TranscriptState = 'in-progress' | 'completed' | 'failed';

export interface Transcript extends TranscriptRequest {
  readonly recording: string;
  readonly state: TranscriptState;
  /** Milliseconds of each channel that are transcribed; empty before the first sound. */
  readonly positions: readonly number[];
  readonly failure: { readonly code: TranscriptFailureCode; readonly sentence: string } | null;
}

export type TranscriptFailureCode = TranscriptionProblemCode;

/** Who says words: of a call the track as in audio streams, of a multiparty call the member where one is known. */
export interface Speaker {
  readonly track: 'inbound' | 'outbound' | 'both' | null;
  readonly memberId: number | null;
}

type Channels = Pick<Recording, 'type' | 'memberId' | 'channels'>;

/** A stereo recording of a call has its caller on the left and what the caller hears on the right. */
export function speakerOf(recording: Channels, channels: number, words: TranscribedWords): Speaker {
  if (recording.type === 'normal') {
    const track = channels < 2 ? 'both' : words.channel === 0 ? 'inbound' : 'outbound';
    return { track, memberId: null };
  }
  const there = recording.channels?.find(
    ({ channel, fromMs, toMs }) =>
      channel === words.channel + 1 &&
      fromMs <= words.toMs &&
      (toMs ?? Number.POSITIVE_INFINITY) >= words.fromMs,
  );
  return { track: null, memberId: there?.memberId ?? recording.memberId };
}
