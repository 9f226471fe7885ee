import { sandboxMessageList, sandboxMessageListQuery } from '@jackfield/contract';
import type { Clock } from '@jackfield/ports';
import { type RouteGroup, route } from '../../http/index.ts';
import { answerPage } from '../../kernel/pagination.ts';
import type { MessageStore } from './store.ts';

export function messageRoutes(store: MessageStore, clock: Pick<Clock, 'wallNow'>): RouteGroup {
  return {
    name: 'Sandbox',
    description: 'Messages and calls of the simulated public network.',
    routes: [
      route({
        method: 'GET',
        path: 'Sandbox/Message/',
        operation: 'List messages of the sandbox',
        id: 'listSandboxMessages',
        description: 'Newest first. Their texts contain the codes: no phone of the sandbox reads messages.',
        schema: { query: sandboxMessageListQuery, response: sandboxMessageList },
        success: 200,
        async run({ account, query }) {
          // An unescaped + arrives as a space.
          const to = query.to === undefined ? undefined : `+${query.to.replace(/^[+ ]/, '')}`;
          return answerPage(
            { query, path: `/v1/Account/${account.authId}/Sandbox/Message/` },
            (page) => store.list(account, { to, arrivedBy: clock.wallNow() }, page),
            (row) => ({
              message_uuid: row.message_uuid,
              from: row.sender,
              to: row.recipient,
              text: row.text,
              status: row.status,
              created_at: new Date(row.created_at).toISOString(),
            }),
          );
        },
      }),
    ],
  };
}
