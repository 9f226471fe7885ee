import { type Problem, problem } from '../kernel/problem.ts';
import { accepted, type Result, refused } from '../kernel/result.ts';
import type { RequestAccount } from './api-request.ts';
import type { FailedGuesses } from './source-limits.ts';

export interface Credentials {
  readonly authId: string;
  readonly authToken: string;
}

/** What the HTTP interface needs of the accounts; an unknown account and a wrong token cost the same time. */
export interface Authenticator {
  /** `actingFor` is the account of the path. */
  authenticate(credentials: Credentials, actingFor: string): Promise<Authentication>;
}

export type Authentication =
  | { readonly outcome: 'accepted'; readonly account: RequestAccount }
  | { readonly outcome: 'wrong-credentials' }
  /** The credentials are right, and the account of the path is not theirs or does not exist. */
  | { readonly outcome: 'other-account' };

export interface Authenticated {
  readonly account: RequestAccount;
  /** Whose credentials were used. */
  readonly authenticatedAs: string;
  /** Whether the same credentials are still accepted for this account: an answer may last for days. */
  readonly isStillAccepted: () => Promise<boolean>;
}

interface AuthenticationDeps {
  readonly accounts: Authenticator;
  readonly guesses: FailedGuesses;
}

/**
 * Authenticates a request. All refusals have the same sentence: a client cannot learn which accounts exist. An address that failed
 * too often is refused until its failures have left the window.
 */
export async function authenticateRequest(
  deps: AuthenticationDeps,
  request: { authorization: string | undefined; actingFor: string; address: string },
): Promise<Result<Authenticated>> {
  const refusal = deps.guesses.refusalOf(request.address);
  if (refusal !== undefined) return refused(refusal);
  const credentials = readBasic(request.authorization);
  if (credentials === undefined) return refused(unauthenticated);
  const authenticate = () => deps.accounts.authenticate(credentials, request.actingFor);
  const authentication = await authenticate();
  if (authentication.outcome === 'accepted') {
    return accepted({
      account: authentication.account,
      authenticatedAs: credentials.authId,
      isStillAccepted: async () => (await authenticate()).outcome === 'accepted',
    });
  }
  // Right credentials on the path of another account are a mistake, not a guess.
  if (authentication.outcome === 'wrong-credentials') deps.guesses.note(request.address);
  return refused(unauthenticated);
}

export const unauthenticated: Problem = problem(
  'unauthenticated',
  'authentication failed: send auth_id and auth_token of the account in the path (or of its main account) as HTTP Basic credentials',
);

/** RFC 7617 §2: the user-id ends at the first colon. */
export function readBasic(header: string | undefined): Credentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/_-]{1,1024}={0,2})$/i.exec(header?.trim() ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  // NUL is refused by one of the databases, and no identifier of the platform contains one.
  if (colon < 1 || decoded.includes('\0')) return undefined;
  return { authId: decoded.slice(0, colon), authToken: decoded.slice(colon + 1) };
}
