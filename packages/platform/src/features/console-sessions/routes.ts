import {
  consoleSessionList,
  consoleSessionPath,
  createdConsoleLink,
  newConsoleLink,
} from '@jackfield/contract/console';
import { consoleSessionItemOf, type RouteGroup, route } from '../../http/index.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import { type SessionAccess, sessionOf } from './access/session-access.ts';
import type { ConsoleSessionStore } from './store.ts';

export interface RouteDeps {
  readonly access: Pick<SessionAccess, 'createLink'>;
  readonly store: ConsoleSessionStore;
  readonly linkMs: number;
}

export function consoleSessionRoutes({ access, store, linkMs }: RouteDeps): RouteGroup {
  return {
    name: 'Console',
    description: 'Sessions of people in the web console.',
    routes: [
      route({
        method: 'GET',
        path: 'ConsoleSession/',
        operation: 'List console sessions',
        schema: { response: consoleSessionList },
        least: 'owner',
        success: 200,
        async run({ account, now, session }) {
          const rows = await store.list(account.authId, now);
          return accepted({ objects: rows.map((row) => consoleSessionItemOf(sessionOf(row), session?.id)) });
        },
      }),
      route({
        method: 'DELETE',
        path: 'ConsoleSession/:session_id/',
        operation: 'End a console session',
        schema: { params: consoleSessionPath },
        success: 204,
        async run({ account, params }) {
          const isRemoved = await store.removeNamed(account.authId, params.session_id.toLowerCase());
          return isRemoved ? accepted(undefined) : refused(notFound('console session', params.session_id));
        },
      }),
      route({
        method: 'DELETE',
        path: 'ConsoleSession/',
        operation: 'End all console sessions',
        description: 'Also the session of the request, and all one-time links.',
        schema: {},
        success: 204,
        async run({ account }) {
          await store.removeAll(account.authId);
          return accepted(undefined);
        },
      }),
      route({
        method: 'POST',
        path: 'ConsoleSession/Link/',
        operation: 'Create a one-time link to the console',
        id: 'createConsoleLink',
        description: 'For one login without auth_token, within 15 minutes. Send it to a colleague.',
        schema: { body: newConsoleLink, response: createdConsoleLink },
        success: 201,
        async run({ account, body, now }) {
          const role = body.role ?? 'owner';
          const expiresAt = now + linkMs;
          const token = await access.createLink(account.authId, role, expiresAt);
          return accepted({
            login_token: token,
            path: `/console/#login=${token}`,
            role,
            expires_at: new Date(expiresAt).toISOString(),
          });
        },
      }),
    ],
  };
}
