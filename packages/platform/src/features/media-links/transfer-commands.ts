import { BusError, callEnds } from '@jackfield/ports';
import { problem } from '../../kernel/problem.ts';
import type { CallsOverNodes, OtherNodes, TransferMove } from '../calls/index.ts';
import { arrived, type LinkingDeps, linked } from './legs/linking.ts';
import { linkOf } from './link-sessions.ts';
import type { TransferMessages } from './nodes/transfer-messages.ts';

export interface TransfersDeps extends LinkingDeps {
  /** The name of this node. */
  readonly own: string;
  readonly messages: TransferMessages;
  readonly overNodes: CallsOverNodes;
}

/** The other nodes are asked by phones that transfer their calls; serves what they ask in turn. */
export function createTransfers(deps: TransfersDeps): Omit<OtherNodes, 'legs'> {
  const { own, calls, links, remote, messages, overNodes } = deps;
  messages.serveSides((call) => overNodes.sideOf(call));
  messages.serveRequests((transfer) => overNodes.requested(transfer));
  messages.serveMoves(async (move, from) => {
    const isMoved = await moved(deps, from, move);
    if (isMoved) overNodes.leave(move.leaves);
    return isMoved;
  });
  messages.serveJoins(({ move, arrival }, from) =>
    arrived(deps, arrival, from, async () =>
      (await overNodes.receive(move))
        ? { outcome: 'admitted', admitted: { fields: {} } }
        : { outcome: 'refused', problem: noConversation },
    ),
  );
  return {
    own,
    homeOfConversation(leg) {
      const link = links.peek(linkOf(calls.peek(leg)?.owner) ?? '');
      return link?.phase === 'linked' ? link.node : undefined;
    },
    request: async (node, transfer) =>
      (await answerOf(deps, node, () => messages.request(node, transfer))) ?? false,
    report(leg, status) {
      const found = remote.find(leg);
      if (found !== undefined) remote.sessions.send(found.link, { type: 'report-transfer', status });
    },
    sideAt: (node, call) => answerOf(deps, node, () => messages.side(node, call)),
    fetchFrom: async (node, move) => (await answerOf(deps, node, () => messages.move(node, move))) ?? false,
    moveTo: (node, move) => moved(deps, node, move),
  };
}

const noConversation = problem('conflict', 'the other call has ended, or is being transferred already');
const noAnswer = problem('unavailable', 'the node of the other call cannot be reached now');

/** At the home of the leg: has it taken for a conversation of the other node, unless the phone that transfers has left. */
async function moved(deps: TransfersDeps, node: string, move: TransferMove): Promise<boolean> {
  const { calls, messages, log } = deps;
  const leg = calls.peek(move.leg);
  if (leg?.phase !== 'answered' || leg.isPrivate || calls.partnerOf(move.leaves) !== move.leg) return false;
  const joined = await linked(deps, leg, {
    node,
    beside: move.stays,
    ask: async (arrival) =>
      (await answerOf(deps, node, () => messages.join(node, { move, arrival }))) ?? {
        outcome: 'refused',
        problem: noAnswer,
      },
    isTaken: true,
    exitDocument: null,
    endOfLoss: callEnds(5010, 'Error'),
  });
  const isMoved = joined !== 'not-there' && joined.ok;
  if (joined !== 'not-there' && !joined.ok)
    log.info(
      { leg: move.leg, node, problem: joined.problem },
      'call not transferred to a call of another node',
    );
  return isMoved;
}

/** Undefined without an answer. */
async function answerOf<Answer>(
  { log }: TransfersDeps,
  node: string,
  ask: () => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (err) {
    if (err instanceof BusError) log.warn({ node, err }, 'another node gave no answer to a transfer');
    else log.error({ node, err }, 'transfer to another node failed');
    return undefined;
  }
}
