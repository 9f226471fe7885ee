import { recordingBody, recordingList, recordingListQuery, recordingPath } from '@jackfield/contract';
import { type RouteGroup, route } from '../../http/index.ts';
import { answerPage } from '../../kernel/pagination.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import { type FileRouteDeps, recordingFileRoute } from './file-routes.ts';
import { readRecordingFilters } from './list-filters.ts';
import { type PeaksRouteDeps, recordingPeaksRoute } from './peaks-routes.ts';
import { recordingTranscriptRoute } from './transcripts/transcript-routes.ts';
import { recordingItemOf } from './views.ts';

export interface RouteDeps extends FileRouteDeps, PeaksRouteDeps {
  /** Stops a live recording first; resolves when record and file are gone. */
  readonly remove: (recording: string) => Promise<void>;
  readonly publicUrl: string;
}

export function recordingRoutes(deps: RouteDeps): RouteGroup {
  const { queries, remove, publicUrl } = deps;
  const list = route({
    method: 'GET',
    path: 'Recording/',
    operation: 'List recordings',
    description: 'Newest first, including recordings that still run.',
    schema: { query: recordingListQuery, response: recordingList },
    success: 200,
    async run({ account, query, now }) {
      const filters = readRecordingFilters(query, now);
      if (!filters.ok) return filters;
      return answerPage(
        { query, path: `/v1/Account/${account.authId}/Recording/` },
        (page) => queries.list(account, filters.value, page),
        (row) => recordingItemOf(row, publicUrl, now),
      );
    },
  });

  const get = route({
    method: 'GET',
    path: 'Recording/:recording_id/',
    operation: 'Retrieve a recording',
    schema: { params: recordingPath, response: recordingBody },
    success: 200,
    async run({ account, params, now }) {
      const row = await queries.find(account, params.recording_id);
      if (row === undefined) return refused(notFound('recording', params.recording_id));
      return accepted(recordingItemOf(row, publicUrl, now));
    },
  });

  const removeOne = route({
    method: 'DELETE',
    path: 'Recording/:recording_id/',
    operation: 'Delete a recording and its file',
    id: 'deleteRecording',
    description: 'A recording that still runs is stopped first.',
    schema: { params: recordingPath },
    success: 204,
    async run({ account, params }) {
      const row = await queries.find(account, params.recording_id);
      if (row === undefined) return refused(notFound('recording', params.recording_id));
      await remove(row.recording_id);
      return accepted(undefined);
    },
  });

  return {
    name: 'Recordings',
    description: 'Sound files of calls and multiparty calls.',
    routes: [list, get, recordingPeaksRoute(deps), recordingTranscriptRoute(deps), removeOne],
    files: [recordingFileRoute(deps)],
  };
}
