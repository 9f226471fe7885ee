import {
  addedParticipant,
  changedParticipants,
  mpcMemberPath,
  mpcPath,
  newParticipant,
  participantBody,
  participantChanges,
  participantList,
  participantListQuery,
  participantQuery,
  readBoolean,
} from '@jackfield/contract';
import { type ApiRoute, route } from '../../http/index.ts';
import { answerPage } from '../../kernel/pagination.ts';
import { accepted, refused } from '../../kernel/result.ts';
import type { MultipartyCallCommands } from './commands.ts';
import { readCallReference } from './domain/call-reference.ts';
import type { Members } from './domain/multiparty-call.ts';
import { readAddition } from './participant-parameters.ts';
import type { MultipartyCallQueries } from './queries.ts';
import { noSuchMember } from './refusals.ts';
import { requestedCall, requestedMembers, withoutBody } from './rooms/requested-call.ts';
import type { MultipartyCallRow } from './tables.ts';
import { participantItemOf, participantRecordOf, resourceUri } from './views.ts';

export interface RouteParts {
  readonly commands: MultipartyCallCommands;
  readonly queries: MultipartyCallQueries;
  readonly canTranscribe: boolean;
}

export function participantRoutes(parts: RouteParts): readonly ApiRoute[] {
  return [
    addParticipant(parts),
    listParticipants(parts),
    getParticipant(parts),
    updateParticipants(parts),
    kickParticipants(parts),
  ];
}

function addParticipant({ commands, canTranscribe }: RouteParts): ApiRoute {
  return route({
    method: 'POST',
    path: 'MultiPartyCall/:mpc/Participant/',
    operation: 'Add a participant, and create the multiparty call if none of that name is ongoing',
    id: 'addParticipant',
    schema: { params: mpcPath, body: newParticipant, response: addedParticipant },
    success: 201,
    async run({ account, params, body }) {
      const requested = readAddition(body, canTranscribe);
      if (!requested.ok) return requested;
      const added = await commands.add(account, readCallReference(params.mpc), requested.value);
      if (!added.ok) return added;
      const { phones, requestUuid } = added.value;
      return accepted({
        calls: phones.map(({ leg, from, to }) => ({ to, from, call_uuid: leg })),
        message: 'add participant action initiated',
        request_uuid: requestUuid,
      });
    },
  });
}

function listParticipants({ queries }: RouteParts): ApiRoute {
  return route({
    method: 'GET',
    path: 'MultiPartyCall/:mpc/Participant/',
    operation: 'List the participants of a multiparty call',
    id: 'listParticipants',
    description: 'Of an ongoing call the participants dialled or present, of an ended call all.',
    schema: { params: mpcPath, query: participantListQuery, response: participantList },
    success: 200,
    async run({ account, params, query }) {
      const call = await requestedCall(queries, account, params.mpc);
      if (!call.ok) return call;
      const filters = { callUuid: query.call_uuid?.toLowerCase() };
      return answerPage(
        { query, path: `${resourceUri(call.value)}Participant/` },
        (page) => queries.participants(call.value, filters, page),
        participantItemOf,
      );
    },
  });
}

function getParticipant({ queries }: RouteParts): ApiRoute {
  return route({
    method: 'GET',
    path: 'MultiPartyCall/:mpc/Participant/:member_id/',
    operation: 'Retrieve one participant, several or all',
    id: 'retrieveParticipants',
    description:
      'The answer for one participant has its fields; for several and all, it is a list of such objects in the order of adding. all: of an ongoing call the participants dialled or present, of an ended call every participant.',
    schema: { params: mpcMemberPath, query: participantQuery, response: participantBody },
    success: 200,
    async run({ account, params, query }) {
      const call = await requestedCall(queries, account, params.mpc);
      if (!call.ok) return call;
      const members = requestedMembers(params.member_id);
      if (!members.ok) return members;
      if (members.value !== 'all' && members.value.length === 1) {
        const filters = { members: members.value };
        const [found] = (await queries.participants(call.value, filters, { limit: 1, offset: 0 })).rows;
        return found === undefined
          ? refused(noSuchMember(params.member_id))
          : accepted(participantRecordOf(call.value, found));
      }
      return answerMembers(queries, call.value, members.value, query);
    },
  });
}

function updateParticipants({ commands }: RouteParts): ApiRoute {
  return route({
    method: 'POST',
    path: 'MultiPartyCall/:mpc/Participant/:member_id/',
    operation: 'Mute, hold or coach: one participant, several or all',
    id: 'updateParticipants',
    schema: { params: mpcMemberPath, body: participantChanges, response: changedParticipants },
    success: 202,
    async run({ account, params, body }) {
      const [mute, hold, coachMode] = [body.mute, body.hold, body.coach_mode].map((each) =>
        readBoolean(each),
      );
      const members = requestedMembers(params.member_id);
      if (!members.ok) return members;
      const updated = await commands.update(account, readCallReference(params.mpc), members.value, {
        ...(mute === undefined ? {} : { mute }),
        ...(hold === undefined ? {} : { hold }),
        ...(coachMode === undefined ? {} : { coachMode }),
      });
      if (!updated.ok) return updated;
      const mpc = `MPC: ${updated.value.friendly_name}`;
      return accepted({
        ...(mute === undefined ? {} : { mute: `${mpc} ${mute ? 'mute' : 'unmute'} member(s) succeeded` }),
        ...(hold === undefined ? {} : { hold: `${mpc} ${hold ? 'hold' : 'unhold'} member(s) succeeded` }),
        ...(coachMode === undefined
          ? {}
          : { coach_mode: `${mpc} coach_mode ${coachMode ? 'enable' : 'disable'} succeeded` }),
      });
    },
  });
}

function kickParticipants({ commands }: RouteParts): ApiRoute {
  return route({
    method: 'DELETE',
    path: 'MultiPartyCall/:mpc/Participant/:member_id/',
    operation: 'Kick one participant, several or all',
    id: 'removeParticipants',
    schema: { params: mpcMemberPath },
    success: 204,
    async run({ account, params }) {
      const members = requestedMembers(params.member_id);
      if (!members.ok) return members;
      return withoutBody(await commands.kick(account, readCallReference(params.mpc), members.value));
    },
  });
}

/** Several participants or all, as a list. */
async function answerMembers(
  queries: MultipartyCallQueries,
  call: MultipartyCallRow,
  members: Members,
  query: object,
) {
  const isAll = members === 'all';
  const answer = await answerPage(
    { query, path: `${resourceUri(call)}Participant/${isAll ? 'all' : members.join()}/` },
    (page) => queries.participants(call, isAll ? {} : { members }, page),
    (row) => participantRecordOf(call, row),
  );
  if (answer.ok && !isAll && answer.value.meta.total_count < members.length) {
    return refused(noSuchMember(await unknownOf(queries, call, members)));
  }
  return answer;
}

/** The first of `members` that is unknown in the call. */
async function unknownOf(
  queries: MultipartyCallQueries,
  call: MultipartyCallRow,
  members: readonly number[],
): Promise<string> {
  for (const member of members) {
    const { total } = await queries.participants(call, { members: [member] }, { limit: 1, offset: 0 });
    if (total === 0) return String(member);
  }
  return members.join();
}
