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
import { operatorOnly, type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import { answerPage } from '../../kernel/pagination.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { amountText, type ListedRates } from '../usage/index.ts';

export interface RouteDeps {
  readonly operator: () => string | undefined;
  readonly carriers: () => readonly OperatedCarrier[];
  readonly gateways: () => readonly OperatedGateway[];
  readonly rates: ListedRates;
  readonly bans: () => readonly BannedSource[];
}

export function operatorRoutes(deps: RouteDeps): RouteGroup {
  const hidden = operatorOnly(deps.operator, 'sees what its operator runs');
  async function shown<Item>(
    account: RequestAccount,
    read: () => readonly Item[],
  ): Promise<Result<{ objects: Item[] }>> {
    const problem = hidden(account);
    return problem ? refused(problem) : accepted({ objects: [...read()] });
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
        async run({ account, query }) {
          const problem = hidden(account);
          if (problem) return refused(problem);
          const { entries, entriesFor, currency } = deps.rates;
          // An unescaped + arrives as a space.
          const found = query.number === undefined ? entries : entriesFor(query.number.replace(/^ /, '+'));
          return answerPage(
            { query, path: `/v1/Account/${account.authId}/Operator/Rate/` },
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
