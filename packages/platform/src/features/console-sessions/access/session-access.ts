import { type ConsoleRole, consoleRoles } from '@jackfield/contract/console';
import type { Clock, Database, Instant, Secrets } from '@jackfield/ports';
import type { ConsoleAccess, ConsoleLogin, ConsoleSession } from '../../../http/index.ts';
import type { AccountAuthenticator } from '../../accounts/index.ts';
import { insertLink, takeLink } from '../link-store.ts';
import type { ConsoleSessionStore } from '../store.ts';
import type { ConsoleSessionRow } from '../tables.ts';

export interface ConsoleSessionLimits {
  /** A session ends so long after its last use. */
  readonly idleMs: number;
  /** The expiry is written at most so often. */
  readonly prolongEveryMs: number;
  readonly sessionsPerAccount: number;
  readonly linksPerAccount: number;
  /** How long a link of `POST ConsoleSession/Link/` may wait for its use. */
  readonly linkMs: number;
}

export const consoleSessionLimits: ConsoleSessionLimits = {
  idleMs: 12 * 60 * 60_000,
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

export interface SessionAccess extends ConsoleAccess {
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

  return {
    async logIn(login) {
      const granted = await grantedTo(login);
      if (granted === undefined) return undefined;
      const tokenMark = await accounts.tokenMarkOf(granted.account);
      if (tokenMark === undefined) return undefined;
      const secret = newSecret();
      const now = clock.wallNow();
      const row: ConsoleSessionRow = {
        session_hash: hashOf('session', secret),
        session_id: secrets.randomUuid(),
        account: granted.account,
        token_mark: tokenMark,
        role: granted.role,
        name: null,
        user_agent: login.userAgent,
        source_address: login.address,
        created_at: now,
        used_at: now,
        expires_at: now + limits.idleMs,
      };
      const replaced = login.replaces === undefined ? undefined : hashOf('session', login.replaces);
      await store.insert(row, limits.sessionsPerAccount, replaced);
      return { secret, session: sessionOf(row) };
    },

    async find(secret, isUse = true) {
      const row = await store.find(hashOf('session', secret));
      const now = clock.wallNow();
      if (row === undefined || row.expires_at <= now) return undefined;
      if ((await accounts.tokenMarkOf(row.account)) !== row.token_mark) return undefined;
      if (!isUse || now - row.used_at < limits.prolongEveryMs) return sessionOf(row);
      const used = { ...row, used_at: now, expires_at: now + limits.idleMs };
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
