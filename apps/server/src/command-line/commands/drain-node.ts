import { setTimeout as after } from 'node:timers/promises';
import type { ClusterNodeItem } from '@jackfield/contract/console';
import { type AccountApi, LostAnswer } from '../account-api.ts';
import { apiCommand } from '../api-command.ts';
import { CommandFailure } from '../command.ts';
import { type DrainWatchInput, stepDrainWatch } from '../drain-watch.ts';
import { printJson } from '../print.ts';

const lookEveryMs = 2_000;

export const drainNode = apiCommand<{ readonly wait?: true }>({
  name: 'nodes drain',
  summary: 'lets a node refuse new calls; with --wait until its last call has ended',
  arguments: [{ name: 'node', summary: 'its name or incarnation, as jackfield nodes list shows it' }],
  options: [{ flags: '--wait', summary: 'ends when the node has no call any more' }],
  async run(api, [node = ''], { wait, json }) {
    const item = await api.request<ClusterNodeItem>(
      'POST',
      `Operator/Node/${encodeURIComponent(node)}/Drain/`,
    );
    const ended = wait
      ? await untilIdle(api, node, item)
      : { item, sentence: `${node} is ${item.state}; live calls: ${item.calls}` };
    if (json) printJson(ended.item);
    else process.stdout.write(`${ended.sentence}\n`);
  },
});

/** The node in its last answer, and the sentence for it. Throws where the node serves again or no server answers. */
async function untilIdle(api: AccountApi, name: string, drained: ClusterNodeItem) {
  let { state, effects } = stepDrainWatch(
    { name, item: drained, lostAt: undefined },
    { kind: 'listed', nodes: [drained] },
    performance.now(),
  );
  for (;;) {
    for (const effect of effects) {
      if (effect.kind === 'fail') throw new CommandFailure(effect.sentence);
      if (effect.kind === 'finish') return { item: state.item, sentence: effect.sentence };
      process.stderr.write(`${effect.line}\n`);
    }
    await after(lookEveryMs);
    ({ state, effects } = stepDrainWatch(state, await look(api), performance.now()));
  }
}

async function look(api: AccountApi): Promise<DrainWatchInput> {
  try {
    const { objects: nodes } = await api.request<{ readonly objects: readonly ClusterNodeItem[] }>(
      'GET',
      'Operator/Node/',
    );
    return { kind: 'listed', nodes };
  } catch (error) {
    if (error instanceof LostAnswer) return { kind: 'lost', why: error.message };
    throw error;
  }
}
