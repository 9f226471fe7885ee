import { jsonBody, readJsonBody } from '@jackfield/ports';
import type { ClusterNodes } from '../../../kernel/cluster-nodes.ts';
import type { CallsOverNodes, NamedCall, PassedTransfer, TransferMove } from '../../calls/index.ts';
import type { Arrival, JoinAnswer } from './link-messages.ts';

/** To the home of a conversation into which a transfer brings the leg. */
interface TransferJoinMessage {
  readonly move: TransferMove;
  readonly arrival: Arrival;
}

type TransferJoinAnswer = JoinAnswer<{ readonly fields: Readonly<Record<string, string>> }>;

type Side = Awaited<ReturnType<CallsOverNodes['sideOf']>>;

const sides = 'transfer-side';
const moves = 'transfer-move';
const joins = 'transfer-join';
const requests = 'transfer-request';
/** A phone waits for them. */
const deadlineMs = 5_000;
/** With the join or the question that they cause. */
const longDeadlineMs = 8_000;

/** The messages of transfers between the nodes. Each promise of a request rejects with a `BusError`. */
export function createTransferMessages({ request, serve }: Pick<ClusterNodes, 'request' | 'serve'>) {
  return {
    /** The conversation of a call of that node; undefined where its phone may not transfer it. */
    async side(node: string, call: NamedCall): Promise<Side> {
      const body = await request(node, sides, jsonBody(call), deadlineMs);
      return readJsonBody<Side | null>(body) ?? undefined;
    },
    serveSides(sideOf: CallsOverNodes['sideOf']): void {
      serve(sides, async (body) => jsonBody((await sideOf(readJsonBody(body))) ?? null));
    },
    /** Whether that node has moved its leg into a conversation of this one. */
    async move(node: string, message: TransferMove): Promise<boolean> {
      return readJsonBody(await request(node, moves, jsonBody(message), longDeadlineMs));
    },
    serveMoves(move: (message: TransferMove, from: string) => Promise<boolean>): void {
      serve(moves, async (body, from) => jsonBody(await move(readJsonBody(body), from)));
    },
    async join(node: string, message: TransferJoinMessage): Promise<TransferJoinAnswer> {
      return readJsonBody(await request(node, joins, jsonBody(message), deadlineMs));
    },
    serveJoins(admit: (message: TransferJoinMessage, from: string) => Promise<TransferJoinAnswer>): void {
      serve(joins, async (body, from) => jsonBody(await admit(readJsonBody(body), from)));
    },
    /** Whether that node carries out the transfer of a leg of this one. */
    async request(node: string, message: PassedTransfer): Promise<boolean> {
      return readJsonBody(await request(node, requests, jsonBody(message), longDeadlineMs));
    },
    serveRequests(requested: CallsOverNodes['requested']): void {
      serve(requests, async (body) => jsonBody(await requested(readJsonBody(body))));
    },
  };
}

export type TransferMessages = ReturnType<typeof createTransferMessages>;
