import type { ClusterNodeItem } from '@jackfield/contract/console';
import { apiCommand } from '../api-command.ts';
import { printJson, printTable } from '../print.ts';

export const listNodes = apiCommand({
  name: 'nodes list',
  summary: 'lists the nodes of the installation, with their calls and roles',
  async run(api, _, { json }) {
    const { objects } = await api.request<{ readonly objects: readonly ClusterNodeItem[] }>(
      'GET',
      'Operator/Node/',
    );
    if (json) return printJson(objects);
    printTable(
      objects,
      {
        node: ({ node, incarnation }) => node || incarnation,
        state: ({ state }) => state,
        calls: ({ calls }) => calls,
        rooms: ({ multiparty_calls: rooms }) => rooms,
        load: ({ load }) => (load === null ? null : `${Math.round(load * 100)} %`),
        release: ({ version }) => version,
        since: ({ started_at: at }) => at,
        roles: ({ roles }) => roles.join(', '),
      },
      'No node runs.',
    );
  },
});
