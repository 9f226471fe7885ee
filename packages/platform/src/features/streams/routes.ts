import { callStreamPath, callStreamsPath, newCallStream, startedStream } from '@jackfield/contract';
import { type RouteGroup, route } from '../../http/index.ts';
import { accepted } from '../../kernel/result.ts';
import type { Usage } from '../usage/index.ts';
import type { StreamCommands } from './commands.ts';
import { type StreamResource, streamOperations } from './operation-routes.ts';
import { readStreamSpec } from './parameters.ts';
import type { StreamQueries } from './queries.ts';
import { streamObjectOf } from './views.ts';

export function streamRoutes(commands: StreamCommands, queries: StreamQueries, usage: Usage): RouteGroup {
  const start = route({
    method: 'POST',
    path: 'Call/:call_uuid/Stream/',
    operation: 'Stream the audio of a live call to a WebSocket server',
    id: 'startCallStream',
    description: 'Several streams of one call go to different URLs.',
    schema: { params: callStreamsPath, body: newCallStream, response: startedStream },
    success: 202,
    async run({ account, params, body, now }) {
      const spec = readStreamSpec(body);
      if (!spec.ok) return spec;
      const started = await commands.startOnCall(account, params.call_uuid, spec.value);
      if (!started.ok) return started;
      return accepted({ message: 'audio streaming started', ...streamObjectOf(started.value, usage, now) });
    },
  });

  const resource: StreamResource<typeof callStreamsPath.properties, typeof callStreamPath.properties> = {
    path: 'Call/:call_uuid/Stream/',
    of: 'a call',
    ids: 'Call',
    listed: 'Newest first, including streams that have ended.',
    paramsOfAll: callStreamsPath,
    paramsOfOne: callStreamPath,
    pathOf: ({ call_uuid }) => `Call/${call_uuid}/Stream/`,
    findAll: (viewer, { call_uuid }) => commands.known(viewer, call_uuid),
    // The query for the stream checks the call as well.
    findOne: async (_viewer, { call_uuid }) => accepted({ call: call_uuid.toLowerCase() }),
    streamIn: ({ stream_id }) => stream_id,
  };

  return {
    name: 'Audio streams',
    description: 'Audio of live calls to WebSocket servers, and back.',
    routes: [start, ...streamOperations(resource, { queries, commands, usage })],
  };
}
