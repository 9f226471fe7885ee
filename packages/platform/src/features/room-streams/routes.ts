import {
  mpcStreamPath,
  mpcStreamsPath,
  newMpcStream,
  startedStream,
  streamBody,
  streamList,
  streamListQuery,
} from '@jackfield/contract';
import { type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import { pageMeta, parsePage } from '../../kernel/pagination.ts';
import { invalidParameter, notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { RoomMember, Rooms } from '../multiparty-calls/index.ts';
import {
  readStreamWish,
  type StreamRow,
  type StreamsFeature,
  type StreamWish,
  streamItemOf,
  streamObjectOf,
} from '../streams/index.ts';
import type { Usage } from '../usage/index.ts';
import type { SpeakTo } from './tracks.ts';

export interface RouteDeps {
  readonly rooms: Rooms;
  readonly streams: Pick<StreamsFeature, 'queries' | 'commands'>;
  readonly usage: Usage;
  readonly start: (
    viewer: RequestAccount,
    mpc: string,
    wish: StreamWish,
    speakTo: SpeakTo,
  ) => Promise<Result<StreamRow>>;
}

export function roomStreamRoutes({ rooms, streams, usage, start }: RouteDeps): RouteGroup {
  const { queries, commands } = streams;

  const begin = route({
    method: 'POST',
    path: 'MultiPartyCall/:mpc/Stream/',
    operation: 'Stream a whole multiparty call to a WebSocket server',
    description: 'One track for each participant, named by its member_id; tracks come and go with them.',
    schema: { params: mpcStreamsPath, body: newMpcStream, response: startedStream },
    success: 202,
    async run({ account, params, body, now }) {
      const wish = readStreamWish(body);
      if (!wish.ok) return wish;
      const speakTo = readSpeakTo(body.speak_to, wish.value.bidirectional);
      if (!speakTo.ok) return speakTo;
      const started = await start(account, params.mpc, wish.value, speakTo.value);
      if (!started.ok) return started;
      return accepted({ message: 'audio streaming started', ...streamObjectOf(started.value, usage, now) });
    },
  });

  const list = route({
    method: 'GET',
    path: 'MultiPartyCall/:mpc/Stream/',
    operation: 'List the streams of a whole multiparty call',
    description: 'Newest first, those that have ended included; of a call that has ended by its UUID.',
    schema: { params: mpcStreamsPath, query: streamListQuery, response: streamList },
    success: 200,
    async run({ account, params, query }) {
      const page = parsePage(query);
      if (!page.ok) return page;
      const mpc = await rooms.uuidOf(account, params.mpc);
      if (!mpc.ok) return mpc;
      const { total, rows } = await queries.list(account, { mpc: mpc.value }, page.value);
      const path = `/v1/Account/${account.authId}/MultiPartyCall/${params.mpc}/Stream/`;
      return accepted({ meta: pageMeta(page.value, total, path), objects: rows.map(streamItemOf) });
    },
  });

  const get = route({
    method: 'GET',
    path: 'MultiPartyCall/:mpc/Stream/:stream_id/',
    operation: 'Retrieve a stream of a whole multiparty call',
    schema: { params: mpcStreamPath, response: streamBody },
    success: 200,
    async run({ account, params, now }) {
      const mpc = await rooms.uuidOf(account, params.mpc);
      if (!mpc.ok) return mpc;
      const row = await queries.find(account, { mpc: mpc.value }, params.stream_id);
      if (row === undefined) return refused(notFound('stream', params.stream_id));
      return accepted(streamObjectOf(row, usage, now));
    },
  });

  const stopOne = route({
    method: 'DELETE',
    path: 'MultiPartyCall/:mpc/Stream/:stream_id/',
    operation: 'Stop a stream of a whole multiparty call',
    schema: { params: mpcStreamPath },
    success: 204,
    async run({ account, params }) {
      const mpc = await rooms.uuidOf(account, params.mpc);
      if (!mpc.ok) return mpc;
      return commands.stopOne(account, { mpc: mpc.value }, params.stream_id);
    },
  });

  const stopAll = route({
    method: 'DELETE',
    path: 'MultiPartyCall/:mpc/Stream/',
    operation: 'Stop all streams of a whole multiparty call',
    schema: { params: mpcStreamsPath },
    success: 204,
    async run({ account, params }) {
      const mpc = await rooms.uuidOf(account, params.mpc);
      if (!mpc.ok) return mpc;
      await commands.stopAll(account, { mpc: mpc.value });
      return accepted(undefined);
    },
  });

  return {
    name: 'Audio streams of multiparty calls',
    description: 'A whole multiparty call to a WebSocket server, a track for each participant, and back.',
    routes: [begin, list, get, stopOne, stopAll],
  };
}

const roles: readonly RoomMember['role'][] = ['agent', 'customer', 'supervisor'];

/** Null where nothing is said: everybody. */
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
