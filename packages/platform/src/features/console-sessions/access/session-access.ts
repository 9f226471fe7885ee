import { type ConsoleRole, consoleRoles } from '@jackfield/contract/console';
import type { Clock, Database, Instant, Secrets } from '@jackfield/ports';
import type { ConsoleAccess, ConsoleLogin, ConsoleSession, OpenedSession } from '../../../http/index.ts';
import type { AccountAuthenticator } from '../../accounts/index.ts';
import { insertLink, takeLink } from '../link-store.ts';
import type { ConsoleSessionStore } from '../store.ts';
import type { ConsoleSessionRow } from '../tables.ts';

export interface ConsoleSessionLimits {
  /** A session ends so long after its last use. */
  readonly idleMs: number;
  /** A session of a login through the identity provider ends so long after the login: the provider is asked again then. */
  readonly identifiedMs: number;
  /** The expiry is written at most so often. */
  readonly prolongEveryMs: number;
  readonly sessionsPerAccount: number;
  readonly linksPerAccount: number;
  /** How long a link of `POST ConsoleSession/Link/` may wait for its use. */
  readonly linkMs: number;
}

export const consoleSessionLimits: ConsoleSessionLimits = {
  idleMs: 12 * 60 * 60_000,
  identifiedMs: 12 * 60 * 60_000,
  prolongEveryMs: 60_000,
  sessionsPerAccount: 100,
  linksPerAccount: 20,
  linkMs: 15 * 60_000,
};

export interface SessionAccessDeps {
  readonly database: Pick<Database, 'transact'>;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'randomBytes' | 'randomUuid' | 'keyedHash'>;
  readonly accounts: Pick<AccountAuthenticator, 'authenticate' | 'actAs' | 'tokenMarkOf'>;
  readonly store: ConsoleSessionStore;
  readonly limits: ConsoleSessionLimits;
}

/** The right that a login proves. */
interface Granted {
  readonly account: string;
  readonly role: ConsoleRole;
  /** Of the identity provider. */
  readonly name?: string;
}

export interface SessionAccess extends Omit<ConsoleAccess, 'identity'> {
  /** A session for a proven right; undefined when the account has no token meanwhile. */
  open(
    granted: Granted,
    login: Pick<ConsoleLogin, 'userAgent' | 'address' | 'replaces'>,
  ): Promise<OpenedSession | undefined>;
  createLink(account: string, role: ConsoleRole, expiresAt: Instant): Promise<string>;
}

/** Opens, finds and closes sessions. 256 random bits cannot be guessed, so a wrong id is no failed guess. */
export function createSessionAccess(deps: SessionAccessDeps): SessionAccess {
  const { clock, secrets, accounts, store, limits } = deps;
  const { transact } = deps.database;
  const hashOf = (kind: 'session' | 'link', secret: string) => secrets.keyedHash(`console-${kind}:${secret}`);
  const newSecret = () => Buffer.from(secrets.randomBytes(32)).toString('base64url');

  /** The account and the role that the credentials or the link stand for; undefined for wrong ones. */
  async function grantedTo({ credentials, loginToken, role }: ConsoleLogin) {
    if (loginToken !== undefined) {
      const link = await transact((write) => takeLink(write, hashOf('link', loginToken)));
      if (link === undefined || link.expires_at <= clock.wallNow()) return undefined;
      return { account: link.account, role: lesserOf(link.role, role) };
    }
    if (credentials === undefined) return undefined;
    const { outcome } = await accounts.authenticate(credentials, credentials.authId);
    return outcome === 'accepted' ? { account: credentials.authId, role: role ?? 'owner' } : undefined;
  }

  const open: SessionAccess['open'] = async ({ account, role, name }, { userAgent, address, replaces }) => {
    const tokenMark = await accounts.tokenMarkOf(account);
    if (tokenMark === undefined) return undefined;
    const secret = newSecret();
    const now = clock.wallNow();
    const row: ConsoleSessionRow = {
      session_hash: hashOf('session', secret),
      session_id: secrets.randomUuid(),
      account,
      token_mark: tokenMark,
      role,
      name: name ?? null,
      user_agent: userAgent,
      source_address: address,
      created_at: now,
      used_at: now,
      expires_at: now + (name === undefined ? limits.idleMs : Math.min(limits.idleMs, limits.identifiedMs)),
    };
    const replaced = replaces === undefined ? undefined : hashOf('session', replaces);
    await store.insert(row, limits.sessionsPerAccount, replaced);
    return { secret, session: sessionOf(row) };
  };

  return {
    open,

    async logIn(login) {
      const granted = await grantedTo(login);
      return granted === undefined ? undefined : open(granted, login);
    },

    async find(secret, isUse = true) {
      const row = await store.find(hashOf('session', secret));
      const now = clock.wallNow();
      if (row === undefined || row.expires_at <= now) return undefined;
      if ((await accounts.tokenMarkOf(row.account)) !== row.token_mark) return undefined;
      if (!isUse || now - row.used_at < limits.prolongEveryMs) return sessionOf(row);
      const latest = row.name === null ? Number.POSITIVE_INFINITY : row.created_at + limits.identifiedMs;
      const used = { ...row, used_at: now, expires_at: Math.min(latest, now + limits.idleMs) };
      return (await store.prolong(row.session_hash, now, used.expires_at)) ? sessionOf(used) : undefined;
    },

    logOut: (secret) => store.remove(hashOf('session', secret)),

    actAs: accounts.actAs,

    async createLink(account, role, expiresAt) {
      const secret = newSecret();
      const link = { link_hash: hashOf('link', secret), account, role, expires_at: expiresAt };
      await transact((write) => insertLink(write, link, limits.linksPerAccount));
      return secret;
    },
  };
}

function lesserOf(role: ConsoleRole, other: ConsoleRole = role): ConsoleRole {
  return consoleRoles[Math.min(consoleRoles.indexOf(role), consoleRoles.indexOf(other))]!;
}

export function sessionOf(row: ConsoleSessionRow): ConsoleSession {
  return {
    id: row.session_id,
    authId: row.account,
    role: row.role,
    name: row.name,
    userAgent: row.user_agent,
    address: row.source_address,
    createdAt: row.created_at,
    usedAt: row.used_at,
    expiresAt: row.expires_at,
  };
}
