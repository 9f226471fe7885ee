import type { ClusterNodeItem } from '@jackfield/contract/console';
import { apiCommand } from '../api-command.ts';
import { printJson } from '../print.ts';

export const undrainNode = apiCommand({
  name: 'nodes undrain',
  summary: 'lets a node take new calls again',
  arguments: [{ name: 'node', summary: 'its name or incarnation, as jackfield nodes list shows it' }],
  async run(api, [node = ''], { json }) {
    const item = await api.request<ClusterNodeItem>(
      'DELETE',
      `Operator/Node/${encodeURIComponent(node)}/Drain/`,
    );
    if (json) printJson(item);
    else process.stdout.write(`${node} is ${item.state}\n`);
  },
});
