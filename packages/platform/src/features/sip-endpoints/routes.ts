import {
  createdEndpoint,
  endpointBody,
  endpointChanges,
  endpointList,
  endpointPath,
  endpointRegistrations,
  messageBody,
  newEndpoint,
  pageQuery,
} from '@jackfield/contract';
import { Type } from 'typebox';
import { type RouteGroup, route } from '../../http/index.ts';
import { accepted } from '../../kernel/result.ts';
import { type CommandDeps, changeEndpoint, createEndpoint, removeEndpoint } from './commands.ts';
import { type QueryDeps, readEndpoint, readEndpoints, readRegistrations } from './queries.ts';

export function endpointRoutes(deps: CommandDeps & QueryDeps): RouteGroup {
  return {
    name: 'SIP endpoints',
    description: 'SIP users that register, make calls and receive calls.',
    routes: [
      route({
        method: 'POST',
        path: 'Endpoint/',
        operation: 'Create an endpoint',
        schema: { body: newEndpoint, response: createdEndpoint },
        success: 201,
        async run({ account, body, now }) {
          const created = await createEndpoint(deps, account, body, now);
          if (!created.ok) return created;
          const { endpoint_id, username, alias } = created.value;
          return accepted({ message: 'created', endpoint_id, username, alias });
        },
      }),
      route({
        method: 'GET',
        path: 'Endpoint/',
        operation: 'List endpoints',
        schema: { query: Type.Object(pageQuery), response: endpointList },
        success: 200,
        run: ({ account, query }) => readEndpoints(deps, account, query),
      }),
      route({
        method: 'GET',
        path: 'Endpoint/:endpoint_id/',
        operation: 'Retrieve an endpoint',
        schema: { params: endpointPath, response: endpointBody },
        success: 200,
        run: ({ account, params }) => readEndpoint(deps, account, params.endpoint_id),
      }),
      route({
        method: 'GET',
        path: 'Endpoint/:endpoint_id/Registration/',
        operation: 'List the devices of an endpoint',
        schema: { params: endpointPath, response: endpointRegistrations },
        success: 200,
        run: ({ account, params }) => readRegistrations(deps, account, params.endpoint_id),
      }),
      route({
        method: 'POST',
        path: 'Endpoint/:endpoint_id/',
        operation: 'Update an endpoint',
        schema: { params: endpointPath, body: endpointChanges, response: messageBody('changed') },
        success: 202,
        async run({ account, params, body }) {
          const changed = await changeEndpoint(deps, account, params.endpoint_id, body);
          return changed.ok ? accepted({ message: 'changed' }) : changed;
        },
      }),
      route({
        method: 'DELETE',
        path: 'Endpoint/:endpoint_id/',
        operation: 'Delete an endpoint',
        schema: { params: endpointPath },
        success: 204,
        run: ({ account, params }) => removeEndpoint(deps, account, params.endpoint_id),
      }),
    ],
  };
}
