import type { TranscribedWords } from '@jackfield/ports';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import type { RecordingRow } from '../tables.ts';
import type { Speaker, Transcript } from './transcript.ts';

type Named = Pick<RecordingRow, 'recording_id' | 'account' | 'main_account' | 'call_uuid' | 'mpc_uuid'>;

/** Words while the recording runs, or after it. Without a callback: programs read them from the event stream. */
export function wordsEvent(recording: Named, words: TranscribedWords, speaker: Speaker): OutboxEvent {
  return {
    type: 'recording.words',
    ...about(recording),
    payload: {
      ...namesOf(recording),
      Channel: words.channel + 1,
      ...(speaker.track === null ? {} : { Track: speaker.track }),
      ...(speaker.memberId === null ? {} : { MemberID: String(speaker.memberId) }),
      FromMs: words.fromMs,
      ToMs: words.toMs,
      Text: words.text,
      ...(words.confidence === null ? {} : { Confidence: words.confidence }),
    },
  };
}

/** The end of a transcript, for `transcription_url`: names of the hosted service, and those of the recording. */
export function transcriptEvent(
  recording: Named & Pick<RecordingRow, 'duration_ms'>,
  { callback, state, failure, language }: Transcript,
  text: string,
  url: string,
): OutboxEvent {
  return {
    type: `recording.transcript-${state === 'completed' ? 'completed' : 'failed'}`,
    ...about(recording),
    payload: {
      ...namesOf(recording),
      call_uuid: recording.call_uuid,
      recording_id: recording.recording_id,
      TranscriptURL: url,
      Language: language,
      duration: String(Math.round(recording.duration_ms / 1000)),
      // Without a callback the words are in their own events, and need not be twice in the event stream.
      transcription: callback === null ? '' : text,
      // The engine is the operator's.
      transcription_charge: '0.00000',
      transcription_rate: '0.00000',
      error: failure?.sentence ?? '',
      ...(failure === null ? {} : { ErrorCode: failure.code }),
    },
    ...(callback === null ? {} : { callback }),
  };
}

function about({ recording_id: id, account, main_account: mainAccount }: Named) {
  return { account, mainAccount, resource: `recording/${id}` };
}

function namesOf({ recording_id: id, call_uuid: call, mpc_uuid: mpc }: Named) {
  return { CallUUID: call, RecordingID: id, ...(mpc === null ? {} : { MPCUUID: mpc }) };
}
