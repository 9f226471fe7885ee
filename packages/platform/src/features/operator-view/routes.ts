import {
  type BannedSource,
  bannedSources,
  type OperatedCarrier,
  type OperatedGateway,
  operatedCarriers,
  operatedGateways,
} from '@jackfield/contract/console';
import { type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import { problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';

export interface RouteDeps {
  readonly operator: () => string | undefined;
  readonly carriers: () => readonly OperatedCarrier[];
  readonly gateways: () => readonly OperatedGateway[];
  readonly bans: () => readonly BannedSource[];
}

const hidden = problem('not-found', 'only the first account of an installation sees what its operator runs');

export function operatorRoutes(deps: RouteDeps): RouteGroup {
  /** Other accounts get 404, as for what does not exist. */
  async function shown<Item>(
    { authId }: RequestAccount,
    read: () => readonly Item[],
  ): Promise<Result<{ objects: Item[] }>> {
    return authId === deps.operator() ? accepted({ objects: [...read()] }) : refused(hidden);
  }
  const shared = { method: 'GET', success: 200, least: 'operator' } as const;

  return {
    name: 'Console',
    routes: [
      route({
        ...shared,
        path: 'Operator/Carrier/',
        operation: 'List the carriers of the installation',
        id: 'listOperatedCarriers',
        description: 'In the order of the configuration, as this server sees them; for the first account.',
        schema: { response: operatedCarriers },
        run: ({ account }) => shown(account, deps.carriers),
      }),
      route({
        ...shared,
        path: 'Operator/Gateway/',
        operation: 'List the message gateways of the installation',
        id: 'listOperatedGateways',
        description: 'In the order of the configuration, as this server sees them; for the first account.',
        schema: { response: operatedGateways },
        run: ({ account }) => shown(account, deps.gateways),
      }),
      route({
        ...shared,
        path: 'Operator/Ban/',
        operation: 'List the banned sources',
        id: 'listBannedSources',
        description:
          'Sources whose signalling this server drops, the newest thousand; for the first account.',
        schema: { response: bannedSources },
        run: ({ account }) => shown(account, deps.bans),
      }),
    ],
  };
}
