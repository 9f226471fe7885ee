import { type Problem, problem } from '../kernel/problem.ts';
import type { RequestAccount } from './api-request.ts';

/** Why an account is refused what only the first one, that of the operator, sees: others get 404, as for what does not exist. */
export function operatorOnly(
  operator: () => string | undefined,
  does: string,
): (account: RequestAccount) => Problem | undefined {
  const hidden = problem('not-found', `only the first account of an installation ${does}`);
  return ({ authId }) => (authId === operator() ? undefined : hidden);
}
