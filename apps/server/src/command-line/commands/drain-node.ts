import { setTimeout as after } from 'node:timers/promises';
import type { ClusterNodeItem } from '@jackfield/contract/console';
import { apiCommand } from '../api-command.ts';
import { printJson } from '../print.ts';

const lookEveryMs = 2_000;

export const drainNode = apiCommand<{ readonly wait?: true }>({
  name: 'nodes drain',
  summary: 'lets a node refuse new calls; with --wait until its last call has ended',
  arguments: [{ name: 'node', summary: 'its name or incarnation, as jackfield nodes list shows it' }],
  options: [{ flags: '--wait', summary: 'ends when the node has no call any more' }],
  async run(api, [node = ''], { wait, json }) {
    const path = `Operator/Node/${encodeURIComponent(node)}/Drain/`;
    let item = await api.request<ClusterNodeItem>('POST', path);
    while (wait && (item.calls ?? 0) > 0) {
      if (!json) process.stderr.write(`live calls: ${item.calls}\n`);
      await after(lookEveryMs);
      // Draining again changes nothing, and answers with the state.
      item = await api.request<ClusterNodeItem>('POST', path);
    }
    if (json) printJson(item);
    else process.stdout.write(`${node} is ${item.state}; live calls: ${item.calls}\n`);
  },
});
