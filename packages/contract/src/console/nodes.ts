import { type Static, Type } from 'typebox';
import { apiId } from '../envelopes.ts';
import { pathId } from '../primitives.ts';

const nodeStates = ['serving', 'draining', 'ending', 'starting', 'unreachable'] as const;

const countOrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

export const clusterNode = Type.Object(
  {
    node: Type.String({
      description: 'JACKFIELD_NODE; empty where one process owns the database.',
      examples: ['one'],
    }),
    incarnation: Type.String({
      description: 'This run of the process, as logs name it.',
      examples: ['1k2j3h4g5f6'],
    }),
    answers: Type.Boolean({ description: 'True for the node that answers this request.' }),
    state: Type.Unsafe<(typeof nodeStates)[number]>({
      type: 'string',
      enum: [...nodeStates],
      description:
        'serving; draining: new work is refused, live calls go on; ending: the same behind a signal, and the process ends; unreachable: it has not answered in a second.',
    }),
    version: Type.Union([Type.String(), Type.Null()], {
      description: 'The release; null where the node has not answered.',
    }),
    calls: countOrNull('Live calls of this node; null where it has not answered.'),
    multiparty_calls: countOrNull('Live multiparty calls of this node; null where it has not answered.'),
    load: Type.Union([Type.Number(), Type.Null()], {
      description:
        'The share of JACKFIELD_CALLS or of the RTP ports in use, whichever is larger: from 1 on the node refuses new calls. Null where it has not answered.',
      examples: [0.25],
    }),
    takes_calls: Type.Union([Type.Boolean(), Type.Null()], {
      description:
        'True while it accepts new calls: it serves, and is not full. Null where it has not answered.',
    }),
    roles: Type.Array(Type.String(), {
      description: 'What only this one of several nodes does.',
      examples: [['pruning']],
    }),
    started_at: Type.String({ examples: ['2026-02-01T10:00:00.000Z'] }),
    alive_at: Type.String({
      description: 'The last heartbeat, by the clock of the node.',
      examples: ['2026-02-01T10:10:00.000Z'],
    }),
  },
  { title: 'Node' },
);
export type ClusterNodeItem = Static<typeof clusterNode>;
export const clusterNodeBody = Type.Object({ api_id: apiId, ...clusterNode.properties });
export const clusterNodes = Type.Object({ api_id: apiId, objects: Type.Array(clusterNode) });

export const clusterNodePath = Type.Object({
  node: pathId({ description: 'The name or the incarnation of a node.' }),
});
