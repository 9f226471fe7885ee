import { accepted, type Result, refused } from '../../../kernel/result.ts';
import { readCallReference } from '../domain/call-reference.ts';
import type { MultipartyCallQueries, Viewer } from '../queries.ts';
import { noSuchCall } from '../refusals.ts';
import type { MultipartyCallRow } from '../tables.ts';

/** The call that a path names. */
export async function requestedCall(
  queries: MultipartyCallQueries,
  viewer: Viewer,
  mpc: string,
): Promise<Result<MultipartyCallRow>> {
  const reference = readCallReference(mpc);
  const call = await queries.find(viewer, reference);
  return call === undefined ? refused(noSuchCall(reference)) : accepted(call);
}

/** The answer of an operation with status 204. */
export function withoutBody(result: Result<unknown>): Result<undefined> {
  return result.ok ? accepted(undefined) : result;
}
