import type { ConsoleRole } from '@jackfield/contract/console';
import type { FastifyRequest } from 'fastify';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { type Authenticated, unauthenticated } from '../authentication.ts';
import type { ConsoleAccess, ConsoleSession } from './console-access.ts';
import { roleRefusal } from './roles.ts';
import { foreignPageRefusal } from './same-origin.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a session of the console must be for this operation; owner when left out. */
    readonly least?: ConsoleRole;
  }
}

export interface SessionRequest extends Authenticated {
  readonly session: ConsoleSession;
}

/** Authenticates a request by the cookie of the console. */
export async function authenticateSession(
  access: ConsoleAccess,
  request: FastifyRequest,
  secret: string,
): Promise<Result<SessionRequest>> {
  const session = await access.find(secret);
  if (session === undefined) return refused(unauthenticated);
  const foreign = foreignPageRefusal(request);
  if (foreign !== undefined) return refused(foreign);
  const { auth_id: actingFor } = request.params as { auth_id: string };
  const authentication = await access.actAs(session.authId, actingFor);
  if (authentication.outcome !== 'accepted') return refused(unauthenticated);
  const refusal = roleRefusal(session.role, request.routeOptions.config.least ?? 'owner');
  if (refusal !== undefined) return refused(refusal);
  // Counted apart from the programs of the account, which a busy page must not slow down.
  const authenticatedAs = `${session.authId} (console)`;
  const isStillAccepted = async (): Promise<boolean> => {
    const found = await access.find(secret, false);
    return found !== undefined && (await access.actAs(found.authId, actingFor)).outcome === 'accepted';
  };
  return accepted({ account: authentication.account, authenticatedAs, isStillAccepted, session });
}
