import { accepted, type Result, refused } from '../../../kernel/result.ts';
import { type CallReference, readCallReference, readMembers } from '../domain/call-reference.ts';
import type { Members } from '../domain/multiparty-call.ts';
import type { MultipartyCallQueries, Viewer } from '../queries.ts';
import { hasEnded, noSuchCall, noSuchMember } from '../refusals.ts';
import type { MultipartyCallRow } from '../tables.ts';

/** The call that a path names. */
export function requestedCall(
  queries: MultipartyCallQueries,
  viewer: Viewer,
  mpc: string,
): Promise<Result<MultipartyCallRow>> {
  return foundCall(queries, viewer, readCallReference(mpc));
}

/** The call, if it has not ended. */
export async function liveCall(
  queries: MultipartyCallQueries,
  viewer: Viewer,
  reference: CallReference,
): Promise<Result<MultipartyCallRow>> {
  const call = await foundCall(queries, viewer, reference);
  return call.ok && call.value.ended_at !== null ? refused(hasEnded(call.value.mpc_uuid)) : call;
}

async function foundCall(
  queries: MultipartyCallQueries,
  viewer: Viewer,
  reference: CallReference,
): Promise<Result<MultipartyCallRow>> {
  const call = await queries.find(viewer, reference);
  return call === undefined ? refused(noSuchCall(reference)) : accepted(call);
}

/** The members that a path names. */
export function requestedMembers(memberId: string): Result<Members> {
  const members = readMembers(memberId);
  return members === undefined ? refused(noSuchMember(memberId)) : accepted(members);
}

/** The answer of an operation with status 204. */
export function withoutBody(result: Result<unknown>): Result<undefined> {
  return result.ok ? accepted(undefined) : result;
}
