import type { ConsoleRole, ConsoleSessionItem } from '@jackfield/contract/console';
import type { Instant } from '@jackfield/ports';
import type { Authentication, Credentials } from '../authentication.ts';

/** A person who is logged in to the web console. */
export interface ConsoleSession {
  /** Names the session; it opens nothing. */
  readonly id: string;
  readonly authId: string;
  readonly role: ConsoleRole;
  readonly name: string | null;
  readonly userAgent: string;
  readonly address: string;
  readonly createdAt: Instant;
  readonly usedAt: Instant;
  readonly expiresAt: Instant;
}

export interface ConsoleLogin {
  readonly credentials?: Credentials;
  /** Of a one-time link. */
  readonly loginToken?: string;
  readonly role?: ConsoleRole;
  readonly userAgent: string;
  readonly address: string;
  /** The secret of the session that the browser had, which ends. */
  readonly replaces?: string;
}

export interface OpenedSession {
  readonly secret: string;
  readonly session: ConsoleSession;
}

/** Why a login through the identity provider opened no session. */
export type IdentityRefusal = 'provider-unreachable' | 'login-refused' | 'no-role';

/** Logins through the identity provider of the operator. */
export interface IdentityLogin {
  readonly host: string;
  /** The URL of the provider, and what the browser keeps until it comes back. */
  begin(): Promise<{ readonly url: string; readonly secret: string } | IdentityRefusal>;
  /** `query` is that of the request with which the browser comes back, `secret` what it kept. */
  complete(
    query: string,
    secret: string,
    from: Pick<ConsoleLogin, 'userAgent' | 'address'>,
  ): Promise<OpenedSession | IdentityRefusal>;
}

/** What the HTTP interface needs of the sessions of the console. */
export interface ConsoleAccess {
  /** Undefined without an identity provider. */
  readonly identity?: IdentityLogin;
  /** Undefined for wrong credentials and for an unknown, used or expired link. */
  logIn(login: ConsoleLogin): Promise<OpenedSession | undefined>;
  /** A found session lasts longer from now on, unless `isUse` is false. */
  find(secret: string, isUse?: boolean): Promise<ConsoleSession | undefined>;
  logOut(secret: string): Promise<void>;
  /** The account of a path for a session of `authId`. */
  actAs(authId: string, actingFor: string): Promise<Authentication>;
}

export function consoleSessionItemOf(
  session: ConsoleSession,
  currentId: string | undefined,
): ConsoleSessionItem {
  const time = (at: Instant) => new Date(at).toISOString();
  return {
    session_id: session.id,
    auth_id: session.authId,
    role: session.role,
    name: session.name,
    user_agent: session.userAgent,
    source_address: session.address,
    created_at: time(session.createdAt),
    last_used_at: time(session.usedAt),
    expires_at: time(session.expiresAt),
    is_current: session.id === currentId,
  };
}
