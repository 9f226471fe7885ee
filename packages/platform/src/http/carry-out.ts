import type { Clock, Secrets } from '@jackfield/ports';
import { answerTo } from './answers.ts';
import type { ApiRequest, RequestAccount } from './api-request.ts';
import type { Answer, Idempotency, Replayable } from './idempotency.ts';
import type { ApiRoute } from './route.ts';

/** An authenticated, counted and validated request, as it also travels to another node. */
export interface AdmittedRequest {
  readonly account: RequestAccount;
  /** Of the path, the account included. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly apiId: string;
  readonly session?: { readonly id: string };
  /** Of members of the body that the operation does not know. */
  readonly warnings: readonly string[];
  readonly idempotencyKey?: string;
}

export interface CarryOutDeps {
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'digest'>;
  readonly idempotency: Idempotency;
}

/** Runs the operation; with an Idempotency-Key once. Throws what the operation throws. */
export async function carryOut(
  route: ApiRoute,
  request: AdmittedRequest,
  deps: CarryOutDeps,
): Promise<Replayable> {
  const { account, idempotencyKey: key, body, apiId } = request;
  const perform = () => answerOf(route, request, deps.clock);
  if (key === undefined) return { answer: await perform(), replayed: false };
  const { auth_id: _, ...params } = request.params;
  const fingerprint = deps.secrets.digest('sha256', JSON.stringify([route.method, route.path, params, body]));
  const result = await deps.idempotency.once({ account: account.authId, key, fingerprint }, perform);
  return result.ok ? result.value : { answer: answerTo(result.problem, apiId), replayed: false };
}

async function answerOf(route: ApiRoute, request: AdmittedRequest, clock: Clock): Promise<Answer> {
  const result = await route.run(apiRequestOf(request, clock));
  if (!result.ok) return answerTo(result.problem, request.apiId);
  if (route.success === 204) return { status: 204, body: undefined };
  const { apiId: api_id } = request;
  const warnings = [...request.warnings, ...(result.warnings ?? [])];
  const warned = warnings.length === 0 ? {} : { warnings };
  return { status: route.success, body: JSON.stringify({ api_id, ...result.value, ...warned }) };
}

export function apiRequestOf(
  { account, params, query, body, apiId, session }: AdmittedRequest,
  clock: Clock,
): ApiRequest<unknown, unknown, unknown> {
  const request = { account, params, query, body, apiId, now: clock.wallNow() };
  return session === undefined ? request : { ...request, session };
}
