import {
  applicationBody,
  applicationChanges,
  applicationList,
  applicationListQuery,
  applicationPath,
  applicationRemoval,
  createdApplication,
  messageBody,
  newApplication,
} from '@jackfield/contract';
import { type RouteGroup, route } from '../../http/index.ts';
import { accepted } from '../../kernel/result.ts';
import { type CommandDeps, changeApplication, createApplication, removeApplication } from './commands.ts';
import { type QueryDeps, readApplication, readApplications } from './queries.ts';

export function applicationRoutes(deps: CommandDeps & QueryDeps): RouteGroup {
  return {
    name: 'Applications',
    description:
      'The URLs that give the instructions for calls, and the URL that receives the callback of their end.',
    routes: [
      route({
        method: 'POST',
        path: 'Application/',
        operation: 'Create an application',
        schema: { body: newApplication, response: createdApplication },
        success: 201,
        async run({ account, body, now }) {
          const created = await createApplication(deps, account, body, now);
          return created.ok ? accepted({ app_id: created.value, message: 'created' }) : created;
        },
      }),
      route({
        method: 'GET',
        path: 'Application/',
        operation: 'List applications',
        description: 'Newest first.',
        schema: { query: applicationListQuery, response: applicationList },
        success: 200,
        run: ({ account, query }) => readApplications(deps, account, query),
      }),
      route({
        method: 'GET',
        path: 'Application/:app_id/',
        operation: 'Retrieve an application',
        schema: { params: applicationPath, response: applicationBody },
        success: 200,
        run: ({ account, params }) => readApplication(deps, account, params.app_id),
      }),
      route({
        method: 'POST',
        path: 'Application/:app_id/',
        operation: 'Update an application',
        schema: { params: applicationPath, body: applicationChanges, response: messageBody('changed') },
        success: 202,
        async run({ account, params, body }) {
          const changed = await changeApplication(deps, account, params.app_id, body);
          return changed.ok ? accepted({ message: 'changed' }) : changed;
        },
      }),
      route({
        method: 'DELETE',
        path: 'Application/:app_id/',
        operation: 'Delete an application',
        schema: { params: applicationPath, query: applicationRemoval },
        success: 204,
        run: ({ account, params, query }) => removeApplication(deps, account, params.app_id, query),
      }),
    ],
  };
}
