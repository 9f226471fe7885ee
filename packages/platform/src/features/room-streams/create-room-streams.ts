import type { Feature } from '../../feature.ts';
import type { RequestAccount, RouteGroup } from '../../http/index.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { Room, Rooms } from '../multiparty-calls/index.ts';
import type { StreamRow, StreamSpec, StreamsFeature } from '../streams/index.ts';
import type { Usage } from '../usage/index.ts';
import { hearersOf, type SpeakTo, tracksOf } from './domain/tracks.ts';
import { roomStreamRoutes } from './routes.ts';

export interface RoomStreamsDeps {
  readonly streams: StreamsFeature;
  readonly rooms: Rooms;
  readonly usage: Usage;
  readonly newUuid: () => string;
}

export interface RoomStreamsFeature extends Feature {
  readonly routes: readonly RouteGroup[];
}

/** Kind of owner of streams of rooms; the owner's id is the multiparty call. */
const ownerKind = 'room-stream';

interface RoomStream {
  readonly speakTo: SpeakTo;
  readonly bidirectional: boolean;
  /** The tracks and listeners of the last command: most changes of a room do not change a stream. */
  shape: string;
}

/** Whole multiparty calls over one WebSocket: one tagged track for each participant who is present. */
export function createRoomStreams({ streams, rooms, usage, newUuid }: RoomStreamsDeps): RoomStreamsFeature {
  const live = new Map<string, Map<string, RoomStream>>();

  streams.ownedBy(ownerKind, (mpc, { type, stream }) => {
    if (type === 'stream-ended') forget(mpc, stream);
  });

  function audioOf(room: Room, { speakTo, bidirectional }: Pick<RoomStream, 'speakTo' | 'bidirectional'>) {
    const tracks = tracksOf(room);
    const hearers = bidirectional ? hearersOf(room, speakTo) : [];
    return { tracks, hearers, shape: JSON.stringify([tracks, hearers]) };
  }

  function changed(room: Room): void {
    for (const [uuid, stream] of live.get(room.uuid) ?? []) {
      if (room.isEnded) {
        streams.stop(uuid, 'Call hangup');
        continue;
      }
      const { tracks, hearers, shape } = audioOf(room, stream);
      if (shape === stream.shape) continue;
      stream.shape = shape;
      streams.retrack(uuid, tracks, hearers);
    }
  }

  async function start(
    viewer: RequestAccount,
    mpc: string,
    spec: StreamSpec,
    speakTo: SpeakTo,
  ): Promise<Result<StreamRow>> {
    const found = await rooms.find(viewer, mpc);
    if (!found.ok) return found;
    const room = found.value;
    const { tracks, hearers, shape } = audioOf(room, { speakTo, bidirectional: spec.bidirectional });
    const [first] = room.members;
    const stream = newUuid();
    const ofRoom = live.get(room.uuid) ?? new Map<string, RoomStream>();
    live.set(room.uuid, ofRoom);
    ofRoom.set(stream, { speakTo, bidirectional: spec.bidirectional, shape });
    const started = await streams
      .start({
        ...spec,
        stream,
        account: room.account,
        mainAccount: room.mainAccount,
        owner: { kind: ownerKind, id: room.uuid },
        // The start frame has to name a call: that of the first member, else the room itself.
        callUuid: first?.leg ?? room.uuid,
        mpc: { uuid: room.uuid, name: room.name },
        from: first?.from ?? '',
        to: first?.to ?? '',
        tracks,
        hearers,
        fields: { MPCUUID: room.uuid, MPCName: room.name },
      })
      .catch((error: unknown) => {
        forget(room.uuid, stream);
        throw error;
      });
    if (!started.ok) {
      forget(room.uuid, stream);
      return started;
    }
    // Changes during the write of the record came before the stream could move.
    const now = rooms.peek(room.uuid);
    const own = live.get(room.uuid)?.get(stream);
    if (own !== undefined) {
      own.shape = shape;
      changed(now ?? { ...room, isEnded: true });
    }
    const row = await streams.queries.find(viewer, { mpc: room.uuid }, stream);
    return row === undefined ? refused(notFound('stream', stream)) : accepted(row);
  }

  function forget(mpc: string, stream: string): void {
    const ofRoom = live.get(mpc);
    ofRoom?.delete(stream);
    if (ofRoom?.size === 0) live.delete(mpc);
  }

  rooms.follow(changed);
  return { name: 'room-streams', routes: [roomStreamRoutes({ start, rooms, streams, usage })] };
}
