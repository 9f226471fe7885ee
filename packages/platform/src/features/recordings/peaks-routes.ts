import { readInteger, recordingPath } from '@jackfield/contract';
import { defaultPeaks, peaksBody, peaksQuery } from '@jackfield/contract/console';
import type { Database } from '@jackfield/ports';
import { type ApiRoute, route } from '../../http/index.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import { findPeaks } from './peaks-store.ts';
import type { RecordingQueries } from './queries.ts';

export interface PeaksRouteDeps {
  readonly database: Pick<Database, 'read'>;
  readonly queries: RecordingQueries;
}

export function recordingPeaksRoute({ database, queries }: PeaksRouteDeps): ApiRoute {
  return route({
    method: 'GET',
    path: 'Recording/:recording_id/Peaks/',
    operation: 'Retrieve the peaks of a recording',
    id: 'retrieveRecordingPeaks',
    description:
      'For drawing its waveform without its file. A recording that still runs has none, nor has a recording that a crash ended.',
    schema: { params: recordingPath, query: peaksQuery, response: peaksBody },
    success: 200,
    async run({ account, params, query }) {
      const row = await queries.find(account, params.recording_id);
      if (row === undefined) return refused(notFound('recording', params.recording_id));
      const peaks = await findPeaks(database, row.recording_id);
      if (peaks === undefined) return refused(notFound('waveform of the recording', params.recording_id));
      const most = readInteger(query.pairs) ?? defaultPeaks;
      const pairs = (peaks.channels[0]?.length ?? 0) / 2;
      const joined = Math.max(1, Math.ceil(pairs / most));
      return accepted({
        recording_id: row.recording_id,
        pair_ms: peaks.pairMs * joined,
        duration_ms: row.duration_ms,
        channels: peaks.channels.map((channel) => joinedPairs(channel, joined)),
      });
    },
  });
}

/** Each run of so many pairs as one, with the least of their lows and the greatest of their highs. */
function joinedPairs(pairs: Int8Array, run: number): number[] {
  const shown: number[] = [];
  for (let at = 0; at < pairs.length; at += 2 * run) {
    let [low, high] = [pairs[at]!, pairs[at + 1]!];
    for (let next = at + 2; next < Math.min(pairs.length, at + 2 * run); next += 2) {
      low = Math.min(low, pairs[next]!);
      high = Math.max(high, pairs[next + 1]!);
    }
    shown.push(low, high);
  }
  return shown;
}
