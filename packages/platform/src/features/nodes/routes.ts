import { clusterNodeBody, clusterNodePath, clusterNodes } from '@jackfield/contract/console';
import type { Logger } from '@jackfield/ports';
import { operatorOnly, type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import type { NodePhase } from '../../kernel/node-phase.ts';
import { notFound, problem } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import type { NodeQueries } from './queries.ts';

export interface NodeRouteDeps {
  readonly queries: NodeQueries;
  readonly phase: NodePhase;
  readonly incarnation: { readonly number: number };
  readonly log: Logger;
  readonly operator: () => string | undefined;
}

const isEnding = problem('conflict', 'this node has got a signal to end: it takes no new work any more');

export function nodeRoutes(deps: NodeRouteDeps): RouteGroup {
  const { queries, phase, log } = deps;
  const hidden = operatorOnly(deps.operator, 'sees and drains its nodes');

  const list = route({
    method: 'GET',
    path: 'Operator/Node/',
    operation: 'List the nodes of the installation',
    id: 'listNodes',
    description:
      'The processes that share the database, with their live calls and their roles; for the first account. A node that has died is listed until another one has ended it.',
    schema: { response: clusterNodes },
    success: 200,
    least: 'operator',
    async run({ account }) {
      const problem = hidden(account);
      return problem ? refused(problem) : accepted({ objects: await queries.list() });
    },
  });

  /** The request has travelled to the node that it names. */
  async function changed(account: RequestAccount, node: string, change: () => void) {
    const problem = hidden(account);
    if (problem) return refused(problem);
    if ((await queries.incarnationOf(node)) !== deps.incarnation.number)
      return refused(notFound('node', node));
    change();
    const item = await queries.own();
    return item === undefined ? refused(notFound('node', node)) : accepted(item);
  }

  const drain = route({
    method: 'POST',
    path: 'Operator/Node/:node/Drain/',
    operation: 'Drain a node',
    id: 'startNodeDrain',
    description:
      'The node refuses calls of phones and carriers with 503; calls that are requested there are made by other nodes, and refused with 503 where no other one takes them. It gives its roles to other nodes and answers 503 at /readyz; live calls go on, and live multiparty calls take members. It stays so until the drain is ended or the process ends; a restart ends it.',
    schema: { params: clusterNodePath, response: clusterNodeBody },
    success: 200,
    least: 'operator',
    run: ({ account, params: { node } }) =>
      changed(account, node, () => {
        if (phase.drain()) log.info({ by: account.authId }, 'node drains: no new calls, live ones go on');
      }),
  });

  const serve = route({
    method: 'DELETE',
    path: 'Operator/Node/:node/Drain/',
    operation: 'End the drain of a node',
    id: 'endNodeDrain',
    description: 'The node takes new calls again; without effect on a node that does not drain.',
    schema: { params: clusterNodePath, response: clusterNodeBody },
    success: 200,
    least: 'operator',
    async run({ account, params: { node } }) {
      if (!hidden(account) && phase.name === 'ending') return refused(isEnding);
      return changed(account, node, () => {
        if (phase.serve()) log.info({ by: account.authId }, 'node takes new calls again');
      });
    },
  });

  return { name: 'Console', routes: [list, drain, serve] };
}
