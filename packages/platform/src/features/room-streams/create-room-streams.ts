import type { Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import type { RetainedRecords } from '../../kernel/retention.ts';
import type { Streams } from '../streams/index.ts';
import type { Usage } from '../usage/index.ts';
import { LiveRoomStreams, type LiveRoomStreamsDeps } from './live/live-room-streams.ts';
import { roomStreamRoutes } from './routes.ts';

export interface RoomStreamsDeps extends LiveRoomStreamsDeps {
  readonly usage: Usage;
  readonly streams: LiveRoomStreamsDeps['streams'] & Pick<Streams, 'removeEndedOfRooms'>;
  /** How long streams of multiparty calls are kept after their end; for ever when left out. */
  readonly keepMultipartyCallsMs?: number;
}

export interface RoomStreamsFeature extends Feature {
  readonly routes: readonly RouteGroup[];
  readonly retained: RetainedRecords;
}

/** Kind of owner of streams of rooms; the owner's id is the multiparty call. */
const ownerKind = 'room-stream';

/** Whole multiparty calls over one WebSocket: one tagged track for each participant who is present. */
export function createRoomStreams(deps: RoomStreamsDeps): RoomStreamsFeature {
  const live = new LiveRoomStreams(deps, ownerKind);
  deps.streams.ownedBy(ownerKind, (mpc, notice) => live.noticed(mpc, notice));
  deps.rooms.follow((room) => live.changed(room));
  const start: LiveRoomStreams['start'] = (...order) => live.start(...order);
  return {
    name: 'room-streams',
    routes: [roomStreamRoutes({ ...deps, start })],
    retained: {
      name: 'streams of multiparty calls',
      keepMs: deps.keepMultipartyCallsMs,
      removeEnded: deps.streams.removeEndedOfRooms,
    },
  };
}
