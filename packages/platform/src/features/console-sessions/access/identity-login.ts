import { type ConsoleRole, consoleRoles } from '@jackfield/contract/console';
import type { IdentityProvider, Logger, LoginSecrets, Secrets } from '@jackfield/ports';
import type { IdentityLogin } from '../../../http/index.ts';
import type { SessionAccess } from './session-access.ts';

/** The groups of the identity provider whose people get each role. */
export type GroupsOfRoles = Readonly<Record<ConsoleRole, readonly string[]>>;

/** The identity provider of the operator, and what its people may do. */
export interface ConsoleIdentity {
  readonly provider: IdentityProvider;
  readonly groups: GroupsOfRoles;
}

export interface IdentityLoginDeps extends ConsoleIdentity {
  readonly secrets: Pick<Secrets, 'randomBytes' | 'keyedHash'>;
  readonly log: Logger;
  /** The account of these people; undefined before the start. */
  readonly operator: () => string | undefined;
  readonly open: SessionAccess['open'];
}

/** Logins of the operator's people. No login is stored: its secrets follow from what the browser keeps, at every node. */
export function createIdentityLogin(deps: IdentityLoginDeps): IdentityLogin {
  const { provider, groups, secrets, log, operator, open } = deps;

  // Hex of 32 bytes is within RFC 7636 §4.1. The keyed hash hides each of them from a reader of another one.
  const secretsOf = (secret: string): LoginSecrets => ({
    state: secrets.keyedHash(`console-login-state:${secret}`),
    nonce: secrets.keyedHash(`console-login-nonce:${secret}`),
    codeVerifier: secrets.keyedHash(`console-login-verifier:${secret}`),
  });

  return {
    host: provider.host,

    async begin() {
      const secret = Buffer.from(secrets.randomBytes(32)).toString('base64url');
      try {
        return { url: await provider.loginUrl(secretsOf(secret)), secret };
      } catch (error) {
        log.warn({ err: error, host: provider.host }, 'identity provider not reached');
        return 'provider-unreachable';
      }
    },

    async complete(query, secret, from) {
      const account = operator();
      if (account === undefined) return 'login-refused';
      let person: Awaited<ReturnType<IdentityProvider['identify']>>;
      try {
        person = await provider.identify(query, secretsOf(secret));
      } catch (error) {
        log.warn({ err: error, host: provider.host, ...from }, 'login through the identity provider failed');
        return 'login-refused';
      }
      const role = highestRoleOf(person.groups, groups);
      if (role === undefined) {
        log.warn({ name: person.name, ...from }, 'login refused: no group of the person has a role');
        return 'no-role';
      }
      return (await open({ account, role, name: person.name }, from)) ?? 'login-refused';
    },
  };
}

/** Undefined when none of the groups has a role. */
export function highestRoleOf(groups: readonly string[], ofRoles: GroupsOfRoles): ConsoleRole | undefined {
  return consoleRoles.findLast((role) => ofRoles[role].some((group) => groups.includes(group)));
}
