import { readInteger, recordingPath } from '@jackfield/contract';
import { maxWords, transcriptBody, transcriptQuery } from '@jackfield/contract/transcripts';
import type { Database } from '@jackfield/ports';
import { type ApiRoute, route } from '../../../http/index.ts';
import { notFound } from '../../../kernel/problem.ts';
import { accepted, refused } from '../../../kernel/result.ts';
import type { RecordingQueries } from '../queries.ts';
import { channelsOf } from '../store.ts';
import { speakerOf } from './transcript.ts';
import { countWords, findTranscript, findWords } from './transcripts-store.ts';

export interface TranscriptRouteDeps {
  readonly database: Pick<Database, 'read'>;
  readonly queries: RecordingQueries;
}

export function recordingTranscriptRoute({ database, queries }: TranscriptRouteDeps): ApiRoute {
  return route({
    method: 'GET',
    path: 'Recording/:recording_id/Transcript/',
    operation: 'Retrieve the transcript of a recording',
    id: 'retrieveRecordingTranscript',
    description:
      'Who says what and when, also while the recording still runs. Only a recording that was ordered with a transcript has one.',
    schema: { params: recordingPath, query: transcriptQuery, response: transcriptBody },
    success: 200,
    async run({ account, params, query }) {
      const row = await queries.find(account, params.recording_id);
      if (row === undefined) return refused(notFound('recording', params.recording_id));
      const { recording_id: id } = row;
      const transcript = await findTranscript(database, id);
      if (transcript === undefined)
        return refused(notFound('transcript of the recording', params.recording_id));
      const page = { limit: readInteger(query.limit) ?? maxWords, offset: readInteger(query.offset) ?? 0 };
      const [words, total] = await Promise.all([findWords(database, id, page), countWords(database, id)]);
      const recording = { type: row.recording_type, memberId: row.member_id, channels: channelsOf(row) };
      const { positions, failure } = transcript;
      return accepted({
        recording_id: id,
        status: transcript.state,
        language: transcript.language,
        transcribed_ms: positions.length === 0 ? 0 : Math.floor(Math.min(...positions)),
        error: failure?.sentence ?? null,
        error_code: failure?.code ?? null,
        total_count: total,
        words: words.map((each) => {
          const { track, memberId } = speakerOf(recording, positions.length, each);
          return {
            channel: each.channel + 1,
            track,
            member_id: memberId === null ? null : String(memberId),
            from_ms: each.fromMs,
            to_ms: each.toMs,
            text: each.text,
            confidence: each.confidence,
          };
        }),
      });
    },
  });
}
