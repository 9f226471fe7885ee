import { type Database, type Promised, type Secrets, whenThere } from '@jackfield/ports';
import type { Authentication, Authenticator } from '../../../http/index.ts';
import { type AccountRow, type AccountsTables, findAccount } from '../store.ts';

const maxRemembered = 1000;

export interface AccountAuthenticator extends Authenticator {
  /** For a session that `authId` began before; its token was checked then. */
  actAs(authId: string, actingFor: string): Promise<Authentication>;
  /** Another one after each change of the token; undefined for an account that is disabled or unknown. */
  tokenMarkOf(authId: string): Promise<string | undefined>;
  /** False for a disabled subaccount and for an unknown account: nothing new begins for it. */
  isActive(authId: string): Promised<boolean>;
  /** True for a disabled subaccount alone: what lives of a deleted one belongs to its main account. */
  isDisabled(authId: string): Promised<boolean>;
  /** The same when its account is active, otherwise undefined. */
  ifActive<Owned extends { readonly account: string }>(found: Owned | undefined): Promise<Owned | undefined>;
  /** Called after each committed change of an account, before the change is acknowledged. */
  forget(authId: string): void;
}

export function hashOfToken(secrets: Secrets, authId: string, authToken: string): string {
  return secrets.keyedHash(`${authId}:${authToken}`);
}

export function createAuthenticator(database: Database, secrets: Secrets): AccountAuthenticator {
  // One process owns the embedded database and sees every change; with a shared database each request reads.
  const remembers = database.dialect === 'sqlite' && !database.isShared;
  const remembered = new Map<string, AccountRow>();
  let changes = 0;
  const hashOfUnknown = hashOfToken(secrets, '', secrets.randomUuid());

  function rowOf(authId: string): Promised<AccountRow | undefined> {
    return remembered.get(authId) ?? readRow(authId);
  }

  async function readRow(authId: string): Promise<AccountRow | undefined> {
    const before = changes;
    const row = await findAccount(database.read.withTables<AccountsTables>(), authId);
    // A row that was read before a change must not be remembered after it.
    if (row !== undefined && remembers && before === changes) {
      if (remembered.size >= maxRemembered) remembered.delete(remembered.keys().next().value!);
      remembered.set(authId, row);
    }
    return row;
  }

  async function authenticate(
    { authId, authToken }: { authId: string; authToken: string },
    actingFor: string,
  ): Promise<Authentication> {
    const row = await rowOf(authId);
    // Hashed and compared for an unknown account as well, so that both take the same time.
    const hash = hashOfToken(secrets, authId, authToken);
    const right = secrets.equals(hash, row?.token_hash ?? hashOfUnknown);
    if (row === undefined || !right || row.enabled === 0) return { outcome: 'wrong-credentials' };
    return accountFor(row, actingFor);
  }

  async function accountFor(row: AccountRow, actingFor: string): Promise<Authentication> {
    const { auth_id: authId } = row;
    if (actingFor === authId) return accountOf(row);
    if (row.parent !== null) return { outcome: 'other-account' };
    const other = await rowOf(actingFor);
    return other !== undefined && other.parent === authId ? accountOf(other) : { outcome: 'other-account' };
  }

  function isActive(authId: string): Promised<boolean> {
    return whenThere(rowOf(authId), (row) => row?.enabled === 1);
  }

  return {
    authenticate,
    isActive,
    isDisabled: (authId) => whenThere(rowOf(authId), (row) => row?.enabled === 0),
    async actAs(authId, actingFor) {
      const row = await rowOf(authId);
      return row === undefined || row.enabled === 0
        ? { outcome: 'wrong-credentials' }
        : accountFor(row, actingFor);
    },
    async tokenMarkOf(authId) {
      const row = await rowOf(authId);
      return row?.enabled === 1 ? row.token_hash : undefined;
    },
    ifActive: async (found) => (found !== undefined && (await isActive(found.account)) ? found : undefined),
    forget(authId) {
      changes += 1;
      remembered.delete(authId);
    },
  };
}

function accountOf({ auth_id: authId, parent }: AccountRow): Authentication {
  return {
    outcome: 'accepted',
    account: { authId, isSubaccount: parent !== null, parent, main: parent ?? authId },
  };
}
