import type { Transcription } from '@jackfield/ports';
import type { Recording } from '../domain/recording.ts';
import type { RecordingNotice } from '../public-api.ts';
import { createTranscribing, type TranscribingDeps } from './transcribing.ts';

/** Joins the lives of recordings to the making of their transcripts; does nothing without an engine. */
export interface FollowedTranscripts {
  readonly canTranscribe: boolean;
  noticed(recording: Recording, notice: RecordingNotice): void;
  /** After the commit of its end. */
  ended(recording: Recording): void;
  /** A live recording of another incarnation, whose order is not known here. */
  resumed(recording: Recording): void;
  census(): { readonly transcripts: number };
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface FollowedTranscriptsDeps extends Omit<TranscribingDeps, 'transcription' | 'urlOf'> {
  readonly transcription?: Transcription;
  /** Without a slash at its end. */
  readonly publicUrl: string;
}

export function followTranscripts({ transcription, ...deps }: FollowedTranscriptsDeps): FollowedTranscripts {
  const transcribing =
    transcription &&
    createTranscribing({
      ...deps,
      transcription,
      urlOf: ({ recording_id: id, account }) =>
        `${deps.publicUrl}/v1/Account/${account}/Recording/${id}/Transcript/`,
    });
  return {
    canTranscribe: transcribing !== undefined,
    noticed({ uuid, transcript }, { type }) {
      if (type === 'recording-begun' && transcript !== null) transcribing?.begin(uuid);
    },
    ended({ uuid, transcript }) {
      if (transcript === null) transcribing?.finish(uuid);
      // Also where its begin failed.
      else transcribing?.begin(uuid);
    },
    resumed: ({ uuid }) => transcribing?.begin(uuid),
    census: () => ({ transcripts: transcribing?.pending ?? 0 }),
    start: async () => transcribing?.start(),
    close: async () => transcribing?.close(),
  };
}
