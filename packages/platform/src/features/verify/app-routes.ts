import {
  createdVerifyApp,
  messageBody,
  newVerifyApp,
  verifyAppBody,
  verifyAppChanges,
  verifyAppList,
  verifyAppListQuery,
  verifyAppPath,
} from '@jackfield/contract';
import { type ApiRoute, route } from '../../http/index.ts';
import { answerPage } from '../../kernel/pagination.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import { type AppCommandDeps, appItemOf, changeApp, createApp, removeApp } from './app-commands.ts';

export function appRoutes(deps: AppCommandDeps): readonly ApiRoute[] {
  const { apps } = deps;
  return [
    route({
      method: 'POST',
      path: 'Verify/App/',
      operation: 'Create an app',
      id: 'createVerifyApp',
      description: 'The settings of sessions that name it.',
      schema: { body: newVerifyApp, response: createdVerifyApp },
      success: 201,
      async run({ account, body, now }) {
        const created = await createApp(deps, account, body, now);
        return created.ok ? accepted({ message: 'created', app_uuid: created.value }) : created;
      },
    }),
    route({
      method: 'GET',
      path: 'Verify/App/',
      operation: 'List apps',
      id: 'listVerifyApps',
      description: 'Newest first. There is always a default app.',
      schema: { query: verifyAppListQuery, response: verifyAppList },
      success: 200,
      async run({ account, query, now }) {
        await apps.ensureDefault(account, now);
        return answerPage(
          { query, path: `/v1/Account/${account.authId}/Verify/App/` },
          (page) => apps.list(account, page),
          (row) => appItemOf(row, account),
        );
      },
    }),
    route({
      method: 'GET',
      path: 'Verify/App/:app_uuid/',
      operation: 'Retrieve an app',
      id: 'retrieveVerifyApp',
      schema: { params: verifyAppPath, response: verifyAppBody },
      success: 200,
      async run({ account, params }) {
        const app = await apps.find(account, params.app_uuid);
        return app === undefined
          ? refused(notFound('app', params.app_uuid))
          : accepted(appItemOf(app, account));
      },
    }),
    route({
      method: 'POST',
      path: 'Verify/App/:app_uuid/',
      operation: 'Change an app',
      id: 'updateVerifyApp',
      description: 'Live sessions keep the settings of their beginning.',
      schema: { params: verifyAppPath, body: verifyAppChanges, response: messageBody('changed') },
      success: 202,
      async run({ account, params, body }) {
        const changed = await changeApp(deps, account, params.app_uuid, body);
        return changed.ok ? accepted({ message: 'changed' }) : changed;
      },
    }),
    route({
      method: 'DELETE',
      path: 'Verify/App/:app_uuid/',
      operation: 'Delete an app',
      id: 'deleteVerifyApp',
      description: 'The default app stays.',
      schema: { params: verifyAppPath },
      success: 204,
      run: ({ account, params }) => removeApp(deps, account, params.app_uuid),
    }),
  ];
}
