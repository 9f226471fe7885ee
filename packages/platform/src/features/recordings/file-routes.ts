import { recordingFilePath } from '@jackfield/contract';
import type { Logger, RecordingFiles } from '@jackfield/ports';
import { fileRoute } from '../../http/index.ts';
import { notFound, unavailable } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import type { RecordingQueries } from './queries.ts';

export interface FileRouteDeps {
  readonly queries: RecordingQueries;
  readonly recordingFiles: RecordingFiles;
  readonly log: Logger;
}

/** Seconds after which a client repeats its request for a file whose store is out of reach. */
const storeRetrySeconds = 10;

const contentTypes = { mp3: 'audio/mpeg', wav: 'audio/wav' } as const;

export function recordingFileRoute({ queries, recordingFiles, log }: FileRouteDeps) {
  return fileRoute({
    // Names of files end in their format; any other text in this part of the path is an identifier.
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
        log.error({ file: stored, err }, 'the store of recordings does not answer');
        return refused(unavailable('store of recordings', storeRetrySeconds));
      }
      if (bytes === undefined) return refused(notFound('file', name));
      return accepted({
        contentType: contentTypes[row.format],
        bytes,
        // A complete file never changes.
        entityTag: `"${row.recording_id}-${bytes}"`,
        read: (from, to) => recordingFiles.read(stored, from, to),
      });
    },
  });
}
