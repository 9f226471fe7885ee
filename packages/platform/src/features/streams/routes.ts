import {
  callStreamPath,
  callStreamsPath,
  newCallStream,
  startedStream,
  streamBody,
  streamList,
  streamListQuery,
} from '@jackfield/contract';
import { type RouteGroup, route } from '../../http/index.ts';
import { pageMeta, parsePage } from '../../kernel/pagination.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import type { Usage } from '../usage/index.ts';
import type { StreamCommands } from './commands.ts';
import type { StreamQueries } from './queries.ts';
import { streamItemOf, streamObjectOf } from './views.ts';
import { readStreamWish } from './wishes.ts';

export function streamRoutes(commands: StreamCommands, queries: StreamQueries, usage: Usage): RouteGroup {
  const start = route({
    method: 'POST',
    path: 'Call/:call_uuid/Stream/',
    operation: 'Stream the audio of a live call to a WebSocket server',
    description: 'Several streams of one call go to different URLs.',
    schema: { params: callStreamsPath, body: newCallStream, response: startedStream },
    success: 202,
    async run({ account, params, body, now }) {
      const wish = readStreamWish(body);
      if (!wish.ok) return wish;
      const started = await commands.startOnCall(account, params.call_uuid, wish.value);
      if (!started.ok) return started;
      return accepted({ message: 'audio streaming started', ...streamObjectOf(started.value, usage, now) });
    },
  });

  const list = route({
    method: 'GET',
    path: 'Call/:call_uuid/Stream/',
    operation: 'List the streams of a call',
    description: 'Newest first, those that have ended included.',
    schema: { params: callStreamsPath, query: streamListQuery, response: streamList },
    success: 200,
    async run({ account, params, query }) {
      const page = parsePage(query);
      if (!page.ok) return page;
      const call = await commands.known(account, params.call_uuid);
      if (!call.ok) return call;
      const { total, rows } = await queries.list(account, call.value, page.value);
      const path = `/v1/Account/${account.authId}/Call/${params.call_uuid}/Stream/`;
      return accepted({ meta: pageMeta(page.value, total, path), objects: rows.map(streamItemOf) });
    },
  });

  const get = route({
    method: 'GET',
    path: 'Call/:call_uuid/Stream/:stream_id/',
    operation: 'Retrieve a stream of a call',
    schema: { params: callStreamPath, response: streamBody },
    success: 200,
    async run({ account, params, now }) {
      const call = { call: params.call_uuid.toLowerCase() };
      const row = await queries.find(account, call, params.stream_id);
      if (row === undefined) return refused(notFound('stream', params.stream_id));
      return accepted(streamObjectOf(row, usage, now));
    },
  });

  const stopOne = route({
    method: 'DELETE',
    path: 'Call/:call_uuid/Stream/:stream_id/',
    operation: 'Stop a stream of a call',
    schema: { params: callStreamPath },
    success: 204,
    run: ({ account, params }) =>
      commands.stopOne(account, { call: params.call_uuid.toLowerCase() }, params.stream_id),
  });

  const stopAll = route({
    method: 'DELETE',
    path: 'Call/:call_uuid/Stream/',
    operation: 'Stop all streams of a call',
    schema: { params: callStreamsPath },
    success: 204,
    async run({ account, params }) {
      const call = await commands.known(account, params.call_uuid);
      if (!call.ok) return call;
      await commands.stopAll(account, call.value);
      return accepted(undefined);
    },
  });

  return {
    name: 'Audio streams',
    description: 'Audio of live calls to WebSocket servers, and back.',
    routes: [start, list, get, stopOne, stopAll],
  };
}
