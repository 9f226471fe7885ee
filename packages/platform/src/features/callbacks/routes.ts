import {
  callbackBody,
  callbackList,
  callbackListQuery,
  callbackPath,
  callbackStatuses,
  readOneOf,
  replayedCallback,
} from '@jackfield/contract';
import type { Database } from '@jackfield/ports';
import { type RouteGroup, route } from '../../http/index.ts';
import { answerPage } from '../../kernel/pagination.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import { type CallbackRow, findCallback, listCallbacks } from './store.ts';
import { callbackOf, itemOf } from './views.ts';

export interface RouteDeps {
  readonly database: Database;
  /** Sends the event of a delivery again; resolves with the name of the new delivery. */
  readonly replay: (row: CallbackRow) => Promise<string>;
}

export function callbackRoutes({ database, replay }: RouteDeps): RouteGroup {
  return {
    name: 'Callbacks',
    description: 'Requests to your URLs, their results, and pending retries.',
    routes: [
      route({
        method: 'GET',
        path: 'Callback/',
        operation: 'List callbacks',
        description: 'Newest first.',
        schema: { query: callbackListQuery, response: callbackList },
        success: 200,
        async run({ account, query }) {
          const status = query.status === undefined ? undefined : readOneOf(callbackStatuses, query.status);
          const { resource } = query;
          return answerPage(
            { query, path: `/v1/Account/${account.authId}/Callback/` },
            (page) => listCallbacks(database, account, { resource, status }, page),
            (row) => itemOf(row, account.authId),
          );
        },
      }),
      route({
        method: 'GET',
        path: 'Callback/:callback_id/',
        operation: 'Retrieve a callback',
        schema: { params: callbackPath, response: callbackBody },
        success: 200,
        async run({ account, params }) {
          const row = await findCallback(database, account, params.callback_id);
          if (row === undefined) return refused(notFound('callback', params.callback_id));
          return accepted(callbackOf(row, account.authId));
        },
      }),
      route({
        method: 'POST',
        path: 'Callback/:callback_id/Replay/',
        operation: 'Send a callback again',
        id: 'replayCallback',
        description:
          'The same event with the same event_id to the same URL, signed anew. It waits for no other delivery, and none waits for it.',
        schema: { params: callbackPath, response: replayedCallback },
        success: 202,
        async run({ account, params }) {
          const row = await findCallback(database, account, params.callback_id);
          if (row === undefined) return refused(notFound('callback', params.callback_id));
          const callback_id = await replay(row);
          return accepted({ message: 'replay started', callback_id, event_id: row.event_id });
        },
      }),
    ],
  };
}
