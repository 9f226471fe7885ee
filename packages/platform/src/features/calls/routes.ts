import {
  callBody,
  callList,
  callListQuery,
  callPath,
  callQuery,
  clientQualityReport,
  messageBody,
  requestPath,
} from '@jackfield/contract';
import { callEnds } from '@jackfield/ports';
import { type ApiRoute, type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import { answerPage } from '../../kernel/pagination.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { readCallFilters } from './list-filters.ts';
import type { Calls, LaterCalls } from './public-api.ts';
import type { CallQueries } from './queries.ts';
import type { ClientQualities } from './records/client-qualities.ts';
import type { CallRow } from './tables.ts';
import { callRecordOf, liveCallOf } from './views.ts';

/** The live calls of this node. */
interface OwnCalls extends Pick<Calls, 'hangUp'> {
  isHere(leg: string): boolean;
  readonly later: Pick<LaterCalls, 'cancel'>;
}

/** Some 10 ms of signalling. */
const hungUpAtOnce = 100;
const byRequest = callEnds(4000, 'API Request');

export function callRoutes(
  calls: OwnCalls,
  queries: CallQueries,
  qualities: Pick<ClientQualities, 'add'>,
): RouteGroup {
  return {
    name: 'Calls',
    description: 'Every leg between the platform and a phone: its record, and its present state.',
    routes: [
      listCalls(queries),
      retrieveCall(queries),
      reportQuality(qualities, queries),
      hangUpCall(calls, queries),
      hangUpCalls(calls, queries),
      cancelRequest(calls, queries),
    ],
  };
}

async function liveCall(
  queries: CallQueries,
  account: RequestAccount,
  uuid: string,
): Promise<Result<CallRow>> {
  const call = await queries.find(account, uuid.toLowerCase());
  return call === undefined || call.ended_at !== null ? refused(notFound('live call', uuid)) : accepted(call);
}

function listCalls(queries: CallQueries): ApiRoute {
  return route({
    method: 'GET',
    path: 'Call/',
    operation: 'List calls',
    description:
      'Ended calls, the newest end first. With a filter total_count counts no further than 10,000 or the next page. status=live gives the UUIDs of calls that have not ended.',
    schema: { query: callListQuery, response: callList },
    success: 200,
    async run({ account, query }) {
      const status = query.status?.toLowerCase();
      if (status === 'live') return accepted({ calls: [...(await queries.live(account))] });
      // No call is ever queued: it is dialled when it is requested.
      if (status === 'queued') return accepted({ calls: [] });
      const filters = readCallFilters(query);
      if (!filters.ok) return filters;
      return answerPage(
        { query, path: `/v1/Account/${account.authId}/Call/` },
        (page) => queries.list(account, filters.value, page),
        callRecordOf,
      );
    },
  });
}

function retrieveCall(queries: CallQueries): ApiRoute {
  return route({
    method: 'GET',
    path: 'Call/:call_uuid/',
    operation: 'Retrieve a call',
    description: 'Its record, also of a live call; with status=live its present state.',
    schema: { params: callPath, query: callQuery, response: callBody },
    success: 200,
    async run({ account, params, query }) {
      const status = query.status?.toLowerCase();
      if (status === 'queued') return refused(notFound('queued call', params.call_uuid));
      if (status === 'live') {
        const call = await liveCall(queries, account, params.call_uuid);
        return call.ok ? accepted(liveCallOf(call.value)) : call;
      }
      const call = await queries.find(account, params.call_uuid.toLowerCase());
      return call === undefined ? refused(notFound('call', params.call_uuid)) : accepted(callRecordOf(call));
    },
  });
}

function reportQuality(qualities: Pick<ClientQualities, 'add'>, queries: CallQueries): ApiRoute {
  return route({
    method: 'POST',
    path: 'Call/:call_uuid/ClientQuality/',
    operation: 'Report the quality of a call as its page measures it',
    id: 'addClientQuality',
    schema: { params: callPath, body: clientQualityReport, response: messageBody('reported') },
    success: 202,
    async run({ account, params, body }) {
      const call = await queries.find(account, params.call_uuid.toLowerCase());
      if (call === undefined) return refused(notFound('call', params.call_uuid));
      await qualities.add(call.call_uuid, { samples: body.samples, warnings: body.warnings ?? [] });
      return accepted({ message: 'reported' });
    },
  });
}

function hangUpCall(calls: Pick<Calls, 'hangUp'>, queries: CallQueries): ApiRoute {
  return route({
    method: 'DELETE',
    path: 'Call/:call_uuid/',
    operation: 'Hang up a call',
    schema: { params: callPath },
    success: 204,
    async run({ account, params }) {
      const call = await liveCall(queries, account, params.call_uuid);
      if (!call.ok) return call;
      calls.hangUp(call.value.call_uuid, byRequest);
      return accepted(undefined);
    },
  });
}

function hangUpCalls(calls: OwnCalls, queries: CallQueries): ApiRoute {
  return route({
    method: 'DELETE',
    path: 'Call/',
    operation: 'Hang up all calls',
    schema: {},
    success: 204,
    async run({ account }) {
      // Another node hangs up the calls that live there.
      const legs = (await queries.live(account)).filter(calls.isHere);
      for (let first = 0; first < legs.length; first += hungUpAtOnce) {
        for (const leg of legs.slice(first, first + hungUpAtOnce)) calls.hangUp(leg, byRequest);
        // Notices of phones and media do not wait for the last hangup.
        await new Promise((resume) => setImmediate(resume));
      }
      return accepted(undefined);
    },
  });
}

function cancelRequest({ hangUp, later }: OwnCalls, queries: CallQueries): ApiRoute {
  return route({
    method: 'DELETE',
    path: 'Request/:request_uuid/',
    operation: 'Cancel the calls of a request that have not been answered',
    id: 'cancelRequest',
    schema: { params: requestPath },
    success: 204,
    async run({ account, params }) {
      const request = params.request_uuid.toLowerCase();
      // First, so that none of them is dialled meanwhile.
      const isCancelled = await later.cancel(account, request);
      const ordered = await queries.ofRequest(account, request);
      const waiting = ordered.filter((call) => call.answered_at === null);
      if (!isCancelled && waiting.length === 0) {
        return refused(notFound('call that waits for request', params.request_uuid));
      }
      for (const { call_uuid } of waiting) hangUp(call_uuid, callEnds(1000, 'API Request'));
      return accepted(undefined);
    },
  });
}
