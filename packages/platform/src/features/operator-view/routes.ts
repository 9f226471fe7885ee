import {
  type BannedSource,
  bannedSources,
  type OperatedCarrier,
  type OperatedGateway,
  operatedCarriers,
  operatedGateways,
  operatedRates,
  operatedRatesQuery,
} from '@jackfield/contract/console';
import { type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import { answerPage } from '../../kernel/pagination.ts';
import { problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { amountText, type ListedRates } from '../usage/index.ts';

export interface RouteDeps {
  readonly operator: () => string | undefined;
  readonly carriers: () => readonly OperatedCarrier[];
  readonly gateways: () => readonly OperatedGateway[];
  readonly rates: ListedRates;
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
      route({
        ...shared,
        path: 'Operator/Rate/',
        operation: 'List the rates of the installation',
        id: 'listOperatedRates',
        description:
          'The rate table that prices calls and streams, in the order of its file, or the entries for one number; for the first account.',
        schema: { query: operatedRatesQuery, response: operatedRates },
        async run({ account: { authId }, query }) {
          if (authId !== deps.operator()) return refused(hidden);
          const { entries, entriesFor, currency } = deps.rates;
          // An unescaped + arrives as a space.
          const found = query.number === undefined ? entries : entriesFor(query.number.replace(/^ /, '+'));
          return answerPage(
            { query, path: `/v1/Account/${authId}/Operator/Rate/` },
            async ({ limit, offset }) => ({ total: found.length, rows: found.slice(offset, offset + limit) }),
            ({ prefix, direction, perMinute, initialSeconds, incrementSeconds }) => ({
              ...{ prefix, direction, currency, per_minute: amountText(perMinute) },
              ...{ initial_seconds: initialSeconds, increment_seconds: incrementSeconds },
            }),
          );
        },
      }),
    ],
  };
}
