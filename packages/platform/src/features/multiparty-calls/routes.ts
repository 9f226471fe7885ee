import { hearingBody, mpcActivation, mpcBody, mpcList, mpcListQuery, mpcPath } from '@jackfield/contract';
import { type ApiRoute, type RouteGroup, route } from '../../http/index.ts';
import { answerPage } from '../../kernel/pagination.ts';
import { accepted } from '../../kernel/result.ts';
import { readCallReference } from './domain/call-reference.ts';
import { readCallFilters } from './list-filters.ts';
import { participantRoutes, type RouteParts } from './participant-routes.ts';
import { requestedCall, withoutBody } from './rooms/requested-call.ts';
import { hearingBodyOf, mpcBodyOf, mpcItemOf } from './views.ts';

export function multipartyCallRoutes(parts: RouteParts): RouteGroup {
  return {
    name: 'Multiparty calls',
    description: 'Conferences of several phones, with agents, customers and supervisors who may coach.',
    routes: [
      listCalls(parts),
      getCall(parts),
      activateCall(parts),
      endCall(parts),
      hearingOfCall(parts),
      ...participantRoutes(parts),
    ],
  };
}

function listCalls({ queries }: RouteParts): ApiRoute {
  return route({
    method: 'GET',
    path: 'MultiPartyCall/',
    operation: 'List multiparty calls',
    schema: { query: mpcListQuery, response: mpcList },
    success: 200,
    async run({ account, query }) {
      const filters = readCallFilters(query);
      if (!filters.ok) return filters;
      return answerPage(
        { query, path: `/v1/Account/${account.authId}/MultiPartyCall/` },
        (page) => queries.list(account, filters.value, page),
        mpcItemOf,
      );
    },
  });
}

function getCall({ queries }: RouteParts): ApiRoute {
  return route({
    method: 'GET',
    path: 'MultiPartyCall/:mpc/',
    operation: 'Retrieve a multiparty call',
    description: 'By name while it is ongoing, by UUID also after its end.',
    schema: { params: mpcPath, response: mpcBody },
    success: 200,
    async run({ account, params }) {
      const call = await requestedCall(queries, account, params.mpc);
      return call.ok ? accepted(mpcBodyOf(call.value)) : call;
    },
  });
}

function activateCall({ commands }: RouteParts): ApiRoute {
  return route({
    method: 'POST',
    path: 'MultiPartyCall/:mpc/',
    operation: 'Activate a multiparty call that waits in status Initialized',
    id: 'activateMultipartyCall',
    schema: { params: mpcPath, body: mpcActivation },
    success: 204,
    async run({ account, params }) {
      return withoutBody(await commands.activate(account, readCallReference(params.mpc)));
    },
  });
}

function endCall({ commands }: RouteParts): ApiRoute {
  return route({
    method: 'DELETE',
    path: 'MultiPartyCall/:mpc/',
    operation: 'End a multiparty call',
    schema: { params: mpcPath },
    success: 204,
    async run({ account, params }) {
      return withoutBody(await commands.end(account, readCallReference(params.mpc)));
    },
  });
}

function hearingOfCall({ queries }: RouteParts): ApiRoute {
  return route({
    method: 'GET',
    path: 'MultiPartyCall/:mpc/Hearing/',
    operation: 'Who hears whom in a multiparty call',
    id: 'retrieveHearing',
    schema: { params: mpcPath, response: hearingBody },
    success: 200,
    async run({ account, params }) {
      const call = await requestedCall(queries, account, params.mpc);
      if (!call.ok) return call;
      return accepted(hearingBodyOf(call.value, await queries.present(call.value)));
    },
  });
}
