import type { ClusterNodeItem } from '@jackfield/contract/console';

/** What `jackfield nodes drain --wait` knows of the node whose last call it waits for. */
export interface DrainWatch {
  /** As the user named it. */
  readonly name: string;
  /** The node in its last answer. */
  readonly item: ClusterNodeItem;
  /** Since when no server has answered; undefined while one answers. */
  readonly lostAt: number | undefined;
}

export type DrainWatchInput =
  | { readonly kind: 'listed'; readonly nodes: readonly ClusterNodeItem[] }
  | { readonly kind: 'lost'; readonly why: string };

export type DrainWatchEffect =
  | { readonly kind: 'report'; readonly line: string }
  | { readonly kind: 'finish'; readonly sentence: string }
  | { readonly kind: 'fail'; readonly sentence: string };

interface Stepped {
  readonly state: DrainWatch;
  readonly effects: readonly DrainWatchEffect[];
}

/** A server that restarts is back within it, with the migrations of a release. */
const patienceMs = 60_000;

/** After each look at the nodes. `now` is in milliseconds, of any clock. */
export function stepDrainWatch(state: DrainWatch, input: DrainWatchInput, now: number): Stepped {
  return input.kind === 'lost' ? whileLost(state, input.why, now) : whileListed(state, input.nodes);
}

function whileLost(state: DrainWatch, why: string, now: number): Stepped {
  const { name, item, lostAt = now } = state;
  const lost = { ...state, lostAt };
  const seconds = `${patienceMs / 1000} s`;
  const reason = why.replace(/\.?$/, '.');
  if (state.lostAt === undefined)
    return { state: lost, effects: [{ kind: 'report', line: `${reason} Trying again for ${seconds}.` }] };
  if (now - lostAt < patienceMs) return { state: lost, effects: [] };
  const sentence = `${reason} There was no answer for ${seconds}; live calls in the last report of ${name}: ${callsOf(item)}.`;
  return { state: lost, effects: [{ kind: 'fail', sentence }] };
}

function whileListed({ name, item }: DrainWatch, nodes: readonly ClusterNodeItem[]): Stepped {
  const isSame = ({ incarnation }: ClusterNodeItem) => incarnation === item.incarnation;
  const same = nodes.find(isSame);
  if (same?.state === 'unreachable')
    return stepped(name, item, { kind: 'report', line: 'live calls: unknown' });
  if (same !== undefined) return afterAnswer(name, same);
  const successor = nodes.find((each) => each.node === item.node);
  if (successor === undefined) return afterEnd(name, item);
  if (successor.state === 'draining' || successor.state === 'ending') return afterAnswer(name, successor);
  if (successor.state === 'serving') return afterRestart(name, item, successor);
  // It starts, or has not answered this time.
  return stepped(name, item, { kind: 'report', line: `${name} is restarting` });
}

function afterAnswer(name: string, item: ClusterNodeItem): Stepped {
  const { state, calls } = item;
  if (state === 'serving')
    return stepped(name, item, {
      kind: 'fail',
      sentence: `${name} accepts new calls again: its drain was ended while it had calls.`,
    });
  if (calls === 0)
    return stepped(name, item, { kind: 'finish', sentence: `${name} is ${state}; live calls: 0` });
  return stepped(name, item, { kind: 'report', line: `live calls: ${callsOf(item)}` });
}

/** A process that has ended has no call. */
function afterEnd(name: string, last: ClusterNodeItem): Stepped {
  const sentence = `${name} has ended; live calls in its last report: ${callsOf(last)}`;
  return stepped(
    name,
    { ...last, state: 'ending', calls: 0, multiparty_calls: 0 },
    { kind: 'finish', sentence },
  );
}

function afterRestart(name: string, last: ClusterNodeItem, { node, incarnation }: ClusterNodeItem): Stepped {
  const sentences = [
    `${name} was restarted, and its new process ${incarnation} accepts new calls;`,
    `live calls in its last report before: ${callsOf(last)}.`,
    `Drain it again: jackfield nodes drain ${node || incarnation} --wait`,
  ];
  return stepped(name, last, { kind: 'fail', sentence: sentences.join(' ') });
}

function stepped(name: string, item: ClusterNodeItem, effect: DrainWatchEffect): Stepped {
  return { state: { name, item, lostAt: undefined }, effects: [effect] };
}

function callsOf({ calls }: ClusterNodeItem): string {
  return calls === null ? 'unknown' : String(calls);
}
