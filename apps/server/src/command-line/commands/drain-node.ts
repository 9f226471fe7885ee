import { setTimeout as after } from 'node:timers/promises';
import type { ClusterNodeItem } from '@jackfield/contract/console';
import type { AccountApi } from '../account-api.ts';
import { apiCommand } from '../api-command.ts';
import { CommandFailure } from '../command.ts';
import { printJson } from '../print.ts';

const lookEveryMs = 2_000;

export const drainNode = apiCommand<{ readonly wait?: true }>({
  name: 'nodes drain',
  summary: 'lets a node refuse new calls; with --wait until its last call has ended',
  arguments: [{ name: 'node', summary: 'its name or incarnation, as jackfield nodes list shows it' }],
  options: [{ flags: '--wait', summary: 'ends when the node has no call any more' }],
  async run(api, [node = ''], { wait, json }) {
    let item = await api.request<ClusterNodeItem>('POST', `Operator/Node/${encodeURIComponent(node)}/Drain/`);
    while (wait && (item.calls ?? 1) > 0) {
      if (!json) process.stderr.write(`live calls: ${item.calls ?? 'unknown'}\n`);
      await after(lookEveryMs);
      const now = await lookAt(api, item.incarnation);
      // A process that has ended has no call, and its successor is another incarnation.
      if (now === undefined) {
        item = { ...item, calls: 0 };
        break;
      }
      if (now.state === 'serving')
        throw new CommandFailure(`${node} accepts new calls again: its drain was ended while it had calls.`);
      item = now;
    }
    if (json) printJson(item);
    else process.stdout.write(`${node} is ${item.state}; live calls: ${item.calls}\n`);
  },
});

async function lookAt(api: AccountApi, incarnation: string): Promise<ClusterNodeItem | undefined> {
  const { objects } = await api.request<{ readonly objects: readonly ClusterNodeItem[] }>(
    'GET',
    'Operator/Node/',
  );
  return objects.find((each) => each.incarnation === incarnation);
}
