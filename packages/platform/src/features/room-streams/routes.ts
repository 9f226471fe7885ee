import { mpcStreamPath, mpcStreamsPath, newMpcStream, startedStream } from '@jackfield/contract';
import { type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import { invalidParameter } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { RoomMember, Rooms } from '../multiparty-calls/index.ts';
import {
  readStreamSpec,
  type StreamResource,
  type StreamRow,
  type StreamSpec,
  type StreamsFeature,
  streamObjectOf,
  streamOperations,
} from '../streams/index.ts';
import type { Usage } from '../usage/index.ts';
import type { SpeakTo } from './domain/tracks.ts';

export interface RouteDeps {
  readonly rooms: Rooms;
  readonly streams: Pick<StreamsFeature, 'queries' | 'commands'>;
  readonly usage: Usage;
  readonly start: (
    viewer: RequestAccount,
    mpc: string,
    spec: StreamSpec,
    speakTo: SpeakTo,
  ) => Promise<Result<StreamRow>>;
}

export function roomStreamRoutes({ rooms, streams, usage, start }: RouteDeps): RouteGroup {
  const { queries, commands } = streams;

  const begin = route({
    method: 'POST',
    path: 'MultiPartyCall/:mpc/Stream/',
    operation: 'Stream a whole multiparty call to a WebSocket server',
    id: 'startMultipartyCallStream',
    description: 'One track for each participant, named by its member_id; tracks come and go with them.',
    schema: { params: mpcStreamsPath, body: newMpcStream, response: startedStream },
    success: 202,
    async run({ account, params, body, now }) {
      const spec = readStreamSpec(body);
      if (!spec.ok) return spec;
      const speakTo = readSpeakTo(body.speak_to, spec.value.bidirectional);
      if (!speakTo.ok) return speakTo;
      const started = await start(account, params.mpc, spec.value, speakTo.value);
      if (!started.ok) return started;
      return accepted({ message: 'audio streaming started', ...streamObjectOf(started.value, usage, now) });
    },
  });

  const roomOf = async (viewer: RequestAccount, { mpc }: { readonly mpc: string }) => {
    const found = await rooms.uuidOf(viewer, mpc);
    return found.ok ? accepted({ mpc: found.value }) : found;
  };
  const resource: StreamResource<typeof mpcStreamsPath.properties, typeof mpcStreamPath.properties> = {
    path: 'MultiPartyCall/:mpc/Stream/',
    of: 'a whole multiparty call',
    ids: 'MultipartyCall',
    listed: 'Newest first, including streams that have ended; a call that has ended is named by its UUID.',
    paramsOfAll: mpcStreamsPath,
    paramsOfOne: mpcStreamPath,
    pathOf: ({ mpc }) => `MultiPartyCall/${mpc}/Stream/`,
    findAll: roomOf,
    findOne: roomOf,
    streamIn: ({ stream_id }) => stream_id,
  };

  return {
    name: 'Audio streams of multiparty calls',
    description: 'A whole multiparty call to a WebSocket server, a track for each participant, and back.',
    routes: [begin, ...streamOperations(resource, { queries, commands, usage })],
  };
}

const roles: readonly RoomMember['role'][] = ['agent', 'customer', 'supervisor'];

/** Null, for all roles, where the parameter is missing. */
function readSpeakTo(written: string | undefined, bidirectional: boolean): Result<SpeakTo> {
  if (written === undefined) return accepted(null);
  const names = written.split(',').map((name) => name.trim().toLowerCase());
  const meant = roles.filter((role) => names.includes(role));
  if (meant.length < new Set(names).size) {
    const allowed = `a list of ${roles.join(', ')} separated by commas`;
    return refused(invalidParameter('speak_to', written, allowed));
  }
  if (!bidirectional) {
    return refused(invalidParameter('speak_to', written, 'left out where bidirectional is not true'));
  }
  return accepted(meant);
}
