import type { RequestAccount } from '../../../http/index.ts';
import { notFound } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import type { Room, Rooms } from '../../multiparty-calls/index.ts';
import type { StreamRow, StreamSpec, StreamsFeature } from '../../streams/index.ts';
import { hearersOf, type SpeakTo, tracksOf } from '../domain/tracks.ts';

export interface LiveRoomStreamsDeps {
  readonly streams: StreamsFeature;
  readonly rooms: Rooms;
  readonly newUuid: () => string;
}

interface RoomStream {
  readonly speakTo: SpeakTo;
  readonly bidirectional: boolean;
  /** The tracks and listeners of the last command: most changes of a room do not change a stream. */
  shape: string;
}

type StreamNotice = Parameters<Parameters<StreamsFeature['ownedBy']>[1]>[1];

/** Streams of rooms, which follow their members. */
export class LiveRoomStreams {
  readonly #deps: LiveRoomStreamsDeps;
  readonly #ownerKind: string;
  /** By multiparty call, and by stream. */
  readonly #live = new Map<string, Map<string, RoomStream>>();

  constructor(deps: LiveRoomStreamsDeps, ownerKind: string) {
    this.#deps = deps;
    this.#ownerKind = ownerKind;
  }

  noticed(mpc: string, { type, stream }: StreamNotice): void {
    if (type === 'stream-ended') this.#forget(mpc, stream);
  }

  changed(room: Room): void {
    const { streams } = this.#deps;
    for (const [uuid, stream] of this.#live.get(room.uuid) ?? []) {
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

  async start(
    viewer: RequestAccount,
    mpc: string,
    spec: StreamSpec,
    speakTo: SpeakTo,
  ): Promise<Result<StreamRow>> {
    const { rooms, streams, newUuid } = this.#deps;
    const found = await rooms.find(viewer, mpc);
    if (!found.ok) return found;
    const room = found.value;
    const stream = newUuid();
    const started = await this.#open(room, stream, spec, speakTo);
    if (!started.ok) return started;
    const row = await streams.queries.find(viewer, { mpc: room.uuid }, stream);
    return row === undefined ? refused(notFound('stream', stream)) : accepted(row);
  }

  async #open(
    room: Room,
    stream: string,
    spec: StreamSpec,
    speakTo: SpeakTo,
  ): ReturnType<StreamsFeature['start']> {
    const { rooms, streams } = this.#deps;
    const { bidirectional } = spec;
    const { tracks, hearers, shape } = audioOf(room, { speakTo, bidirectional });
    const ofRoom = this.#live.get(room.uuid) ?? new Map<string, RoomStream>();
    this.#live.set(room.uuid, ofRoom);
    ofRoom.set(stream, { speakTo, bidirectional, shape });
    const order = { ...spec, ...identityOf(room), stream, tracks, hearers };
    const started = await streams
      .start({ ...order, owner: { kind: this.#ownerKind, id: room.uuid } })
      .catch((error: unknown) => {
        this.#forget(room.uuid, stream);
        throw error;
      });
    if (!started.ok) {
      this.#forget(room.uuid, stream);
      return started;
    }
    // Changes during the write of the record came before the stream could move.
    const own = this.#live.get(room.uuid)?.get(stream);
    if (own !== undefined) {
      own.shape = shape;
      this.changed(rooms.peek(room.uuid) ?? { ...room, isEnded: true });
    }
    return started;
  }

  #forget(mpc: string, stream: string): void {
    const ofRoom = this.#live.get(mpc);
    ofRoom?.delete(stream);
    if (ofRoom?.size === 0) this.#live.delete(mpc);
  }
}

function audioOf(room: Room, { speakTo, bidirectional }: Pick<RoomStream, 'speakTo' | 'bidirectional'>) {
  const tracks = tracksOf(room);
  const hearers = bidirectional ? hearersOf(room, speakTo) : [];
  return { tracks, hearers, shape: JSON.stringify([tracks, hearers]) };
}

/** The start frame has to name a call: that of the first member, else the room itself. */
function identityOf(room: Room) {
  const [first] = room.members;
  return {
    account: room.account,
    mainAccount: room.mainAccount,
    callUuid: first?.leg ?? room.uuid,
    mpc: { uuid: room.uuid, name: room.name },
    from: first?.from ?? '',
    to: first?.to ?? '',
    fields: { MPCUUID: room.uuid, MPCName: room.name },
  };
}
