import type { CallQualitySample, LiveRoomItem } from '@jackfield/contract/console';
import type { Database } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { RequestAccount } from '../../http/index.ts';
import { createEventLog } from '../../kernel/event-log.ts';
import type { LiveCallRecord } from '../calls/index.ts';
import { liveSnapshotRoutes } from './routes.ts';

/** Records of one kind behind `after`, in the order of their UUIDs. */
type ReadLive<Record> = (viewer: RequestAccount, after: string, limit: number) => Promise<readonly Record[]>;

export interface LiveSnapshotDeps {
  readonly database: Database;
  readonly calls: { readonly live: ReadLive<LiveCallRecord> };
  /** The newest sample of each of these calls, where there is one. */
  qualityOf(calls: readonly string[]): Promise<ReadonlyMap<string, CallQualitySample>>;
  readonly multipartyCalls: { readonly live: ReadLive<LiveRoomItem> };
}

export interface LiveSnapshotFeature extends Feature {}

/** Everything live of an account, page by page, with the position of the event stream from which a reader goes on. */
export function createLiveSnapshot({
  database,
  calls,
  multipartyCalls,
  qualityOf,
}: LiveSnapshotDeps): LiveSnapshotFeature {
  const events = createEventLog(database);
  return {
    name: 'live-snapshot',
    routes: [liveSnapshotRoutes({ events, calls: calls.live, rooms: multipartyCalls.live, qualityOf })],
  };
}
