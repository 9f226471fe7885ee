import {
  addedParticipant,
  changedParticipants,
  hearingBody,
  mpcActivation,
  mpcBody,
  mpcList,
  mpcListQuery,
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
import { type RouteGroup, route } from '../../http/index.ts';
import { answerPage } from '../../kernel/pagination.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { MultipartyCallCommands } from './commands.ts';
import { readCallReference, readMembers } from './domain/call-reference.ts';
import { readCallFilters } from './list-filters.ts';
import { readAddition } from './participant-parameters.ts';
import type { MultipartyCallQueries, Viewer } from './queries.ts';
import { noSuchCall, noSuchMember } from './refusals.ts';
import type { MultipartyCallRow } from './tables.ts';
import {
  hearingBodyOf,
  mpcBodyOf,
  mpcItemOf,
  participantItemOf,
  participantRecordOf,
  resourceUri,
} from './views.ts';

export function multipartyCallRoutes(
  commands: MultipartyCallCommands,
  queries: MultipartyCallQueries,
): RouteGroup {
  async function called(viewer: Viewer, mpc: string): Promise<Result<MultipartyCallRow>> {
    const reference = readCallReference(mpc);
    const call = await queries.find(viewer, reference);
    return call === undefined ? refused(noSuchCall(reference)) : accepted(call);
  }

  /** The first of these that is no participant of the call. */
  async function unknownOf(call: MultipartyCallRow, members: readonly number[]): Promise<string> {
    for (const member of members) {
      const { total } = await queries.participants(call, { members: [member] }, { limit: 1, offset: 0 });
      if (total === 0) return String(member);
    }
    return members.join();
  }

  const list = route({
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

  const get = route({
    method: 'GET',
    path: 'MultiPartyCall/:mpc/',
    operation: 'Retrieve a multiparty call',
    description: 'By name while it is ongoing, by UUID also after its end.',
    schema: { params: mpcPath, response: mpcBody },
    success: 200,
    async run({ account, params }) {
      const call = await called(account, params.mpc);
      return call.ok ? accepted(mpcBodyOf(call.value)) : call;
    },
  });

  const activate = route({
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

  const end = route({
    method: 'DELETE',
    path: 'MultiPartyCall/:mpc/',
    operation: 'End a multiparty call',
    schema: { params: mpcPath },
    success: 204,
    async run({ account, params }) {
      return withoutBody(await commands.end(account, readCallReference(params.mpc)));
    },
  });

  const hearing = route({
    method: 'GET',
    path: 'MultiPartyCall/:mpc/Hearing/',
    operation: 'Who hears whom in a multiparty call',
    id: 'retrieveHearing',
    schema: { params: mpcPath, response: hearingBody },
    success: 200,
    async run({ account, params }) {
      const call = await called(account, params.mpc);
      if (!call.ok) return call;
      return accepted(hearingBodyOf(call.value, await queries.present(call.value)));
    },
  });

  const add = route({
    method: 'POST',
    path: 'MultiPartyCall/:mpc/Participant/',
    operation: 'Add a participant, and create the multiparty call if none of that name is ongoing',
    id: 'addParticipant',
    schema: { params: mpcPath, body: newParticipant, response: addedParticipant },
    success: 201,
    async run({ account, params, body }) {
      const wanted = readAddition(body);
      if (!wanted.ok) return wanted;
      const added = await commands.add(account, readCallReference(params.mpc), wanted.value);
      if (!added.ok) return added;
      const { rivals } = added.value;
      return accepted({
        calls: rivals.map(({ to, from, leg }) => ({ to, from, call_uuid: leg })),
        message: 'add participant action initiated',
        request_uuid: rivals[0].requestUuid,
      });
    },
  });

  const listParticipants = route({
    method: 'GET',
    path: 'MultiPartyCall/:mpc/Participant/',
    operation: 'List the participants of a multiparty call',
    id: 'listParticipants',
    description: 'Of an ongoing call those dialled or present, of an ended one all.',
    schema: { params: mpcPath, query: participantListQuery, response: participantList },
    success: 200,
    async run({ account, params, query }) {
      const call = await called(account, params.mpc);
      if (!call.ok) return call;
      const filters = { callUuid: query.call_uuid?.toLowerCase() };
      return answerPage(
        { query, path: `${resourceUri(call.value)}Participant/` },
        (page) => queries.participants(call.value, filters, page),
        participantItemOf,
      );
    },
  });

  const getParticipant = route({
    method: 'GET',
    path: 'MultiPartyCall/:mpc/Participant/:member_id/',
    operation: 'Retrieve one participant, several or all',
    id: 'retrieveParticipants',
    description:
      'One is answered with its fields; several and all with a list of such objects, in the order of adding. all: of an ongoing call those dialled or present, of an ended one all.',
    schema: { params: mpcMemberPath, query: participantQuery, response: participantBody },
    success: 200,
    async run({ account, params, query }) {
      const call = await called(account, params.mpc);
      if (!call.ok) return call;
      const members = readMembers(params.member_id);
      if (members === undefined) return refused(noSuchMember(params.member_id));
      const wanted = members === 'all' ? {} : { members };
      const [first, ...others] = members === 'all' ? [] : members;
      if (first !== undefined && others.length === 0) {
        const [found] = (await queries.participants(call.value, wanted, { limit: 1, offset: 0 })).rows;
        return found === undefined
          ? refused(noSuchMember(params.member_id))
          : accepted(participantRecordOf(call.value, found));
      }
      const path = `${resourceUri(call.value)}Participant/${members === 'all' ? 'all' : members.join()}/`;
      const answer = await answerPage(
        { query, path },
        (page) => queries.participants(call.value, wanted, page),
        (row) => participantRecordOf(call.value, row),
      );
      if (answer.ok && members !== 'all' && answer.value.meta.total_count < members.length) {
        return refused(noSuchMember(await unknownOf(call.value, members)));
      }
      return answer;
    },
  });

  const update = route({
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
      const members = readMembers(params.member_id);
      if (members === undefined) return refused(noSuchMember(params.member_id));
      const updated = await commands.update(account, readCallReference(params.mpc), members, {
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

  const kick = route({
    method: 'DELETE',
    path: 'MultiPartyCall/:mpc/Participant/:member_id/',
    operation: 'Kick one participant, several or all',
    id: 'removeParticipants',
    schema: { params: mpcMemberPath },
    success: 204,
    async run({ account, params }) {
      const members = readMembers(params.member_id);
      if (members === undefined) return refused(noSuchMember(params.member_id));
      return withoutBody(await commands.kick(account, readCallReference(params.mpc), members));
    },
  });

  return {
    name: 'Multiparty calls',
    description: 'Rooms for several phones, with agents, customers and supervisors who may coach.',
    routes: [list, get, activate, end, hearing, add, listParticipants, getParticipant, update, kick],
  };
}

function withoutBody(result: Result<unknown>): Result<undefined> {
  return result.ok ? accepted(undefined) : result;
}
