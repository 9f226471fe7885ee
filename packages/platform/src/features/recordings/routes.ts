import {
  recordingBody,
  recordingFilePath,
  recordingList,
  recordingListQuery,
  recordingPath,
} from '@jackfield/contract';
import type { Logger, RecordingFiles } from '@jackfield/ports';
import { fileRoute, type RouteGroup, route } from '../../http/index.ts';
import { answerPage } from '../../kernel/pagination.ts';
import { notFound, unavailable } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import { readRecordingFilters } from './list-filters.ts';
import type { RecordingQueries } from './queries.ts';
import { recordingItemOf } from './views.ts';

export interface RouteDeps {
  readonly queries: RecordingQueries;
  readonly recordingFiles: RecordingFiles;
  /** Resolves when record and file are gone; one that runs is stopped first. */
  readonly remove: (recording: string) => Promise<void>;
  readonly publicUrl: string;
  readonly log: Logger;
}

/** Seconds after which a client asks again for a file whose store is out of reach. */
const storeRetrySeconds = 10;

const contentTypes = { mp3: 'audio/mpeg', wav: 'audio/wav' } as const;

export function recordingRoutes({ queries, recordingFiles, remove, publicUrl, log }: RouteDeps): RouteGroup {
  const list = route({
    method: 'GET',
    path: 'Recording/',
    operation: 'List recordings',
    description: 'Newest first, those that still run included.',
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
    description: 'One that still runs is stopped first.',
    schema: { params: recordingPath },
    success: 204,
    async run({ account, params }) {
      const row = await queries.find(account, params.recording_id);
      if (row === undefined) return refused(notFound('recording', params.recording_id));
      await remove(row.recording_id);
      return accepted(undefined);
    },
  });

  const file = fileRoute({
    // The names of files end in their format; everything else at this place is an identifier.
    path: 'Recording/:recording_file(^.+\\.(?:mp3|wav)$)',
    operation: 'Fetch the file of a recording',
    id: 'fetchRecordingFile',
    description: 'Complete, or in part with a Range header. There is none before the recording has ended.',
    params: recordingFilePath,
    contentTypes: Object.values(contentTypes),
    async find({ account, params }) {
      const name = params.recording_file;
      const dot = name.lastIndexOf('.');
      const row = await queries.find(account, name.slice(0, dot));
      if (row === undefined || row.format !== name.slice(dot + 1) || row.closed_at === null) {
        return refused(notFound('file', name));
      }
      const stored = `${row.recording_id}.${row.format}`;
      let bytes: number | undefined;
      try {
        bytes = await recordingFiles.size(stored);
      } catch (err) {
        log.error({ file: stored, err }, 'The store of recordings does not answer.');
        return refused(unavailable('store of recordings', storeRetrySeconds));
      }
      if (bytes === undefined) return refused(notFound('file', name));
      return accepted({
        contentType: contentTypes[row.format],
        bytes,
        // A file that is complete is never changed.
        entityTag: `"${row.recording_id}-${bytes}"`,
        read: (from, to) => recordingFiles.read(stored, from, to),
      });
    },
  });

  return {
    name: 'Recordings',
    description: 'What was said in calls and multiparty calls, as sound files.',
    routes: [list, get, removeOne],
    files: [file],
  };
}
