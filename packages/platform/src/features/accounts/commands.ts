import {
  type AccountChanges,
  type NewSubaccount,
  readBoolean,
  type SubaccountChanges,
} from '@jackfield/contract';
import type { Database, Instant, Secrets, UnitOptions } from '@jackfield/ports';
import type { AccountResources } from '../../feature.ts';
import type { RequestAccount } from '../../http/index.ts';
import { newAuthId, newAuthToken } from '../../kernel/ids.ts';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { Outbox } from '../../kernel/outbox.ts';
import { present } from '../../kernel/present.ts';
import { invalidParameter, notFound, type Problem, problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';

import { hashOfToken } from './access/authenticate.ts';
import {
  type AccountRow,
  type AccountsTables,
  deleteSubaccount,
  findAccount,
  firstMainAccount,
  insertAccount,
  setToken,
  updateAccount,
} from './store.ts';

export interface CommandDeps {
  readonly database: Database;
  readonly secrets: Secrets;
  readonly resources: readonly AccountResources[];
  readonly outbox?: Pick<Outbox, 'appendEvents' | 'wake'>;
  /** After each committed change. */
  readonly forget: (authId: string) => void;
  /** After the removal of a subaccount with its resources: ends what lives of it. */
  readonly removed: (authId: string) => Promise<void>;
}

export interface AccountCredentials {
  readonly authId: string;
  readonly authToken: string;
}

/** `isNew`: made by this start, so that its token is still unknown to the operator. */
export interface FirstAccount extends AccountCredentials {
  readonly isNew: boolean;
}

/**
 * The first account of an installation. The operator's settings hold at every start; without them the oldest account is kept, or
 * made once.
 */
export async function ensureFirstAccount(
  deps: CommandDeps,
  configured: { readonly authId?: string; readonly authToken?: string },
  now: Instant,
): Promise<FirstAccount> {
  const { database, secrets } = deps;
  const credentials = await database.transact(async (write) => {
    const tables = write.withTables<AccountsTables>();
    const row =
      configured.authId === undefined
        ? await firstMainAccount(tables)
        : await findAccount(tables, configured.authId);
    const kept = row === undefined ? undefined : secrets.decrypt(row.token_sealed);
    const authId = row?.auth_id ?? configured.authId ?? newAuthId('MA', secrets);
    const authToken = configured.authToken ?? kept ?? newAuthToken(secrets);
    if (row === undefined) {
      await insertAccount(
        tables,
        newRow(deps, { authId, authToken, parent: null, name: 'Main account' }, now),
      );
    } else if (kept !== authToken) {
      await setToken(tables, authId, tokenColumns(secrets, authId, authToken), now);
    }
    return { authId, authToken, isNew: row === undefined };
  });
  deps.forget(credentials.authId);
  return credentials;
}

export async function changeAccount(
  deps: CommandDeps,
  account: RequestAccount,
  changes: AccountChanges,
  now: Instant,
): Promise<Result<undefined>> {
  const { name, city, address, timezone } = changes;
  if (timezone !== undefined && !isTimeZone(timezone)) {
    return refused(invalidParameter('timezone', timezone, 'the name of a time zone, such as Europe/Lisbon'));
  }
  const found = await deps.database.transact((write) =>
    updateAccount(
      write.withTables<AccountsTables>(),
      account.authId,
      present({ name, city, address, timezone }),
      now,
    ),
  );
  deps.forget(account.authId);
  return found ? accepted(undefined) : refused(notFound('account', account.authId));
}

export async function createSubaccount(
  deps: CommandDeps,
  account: RequestAccount,
  spec: NewSubaccount,
  now: Instant,
): Promise<Result<AccountCredentials>> {
  if (account.isSubaccount) return refused(onlyOneLevel);
  const credentials = { authId: newAuthId('SA', deps.secrets), authToken: newAuthToken(deps.secrets) };
  const enabled = readBoolean(spec.enabled) ?? true;
  await deps.database.transact((write) =>
    insertAccount(
      write.withTables<AccountsTables>(),
      newRow(deps, { ...credentials, parent: account.authId, name: spec.name, enabled }, now),
    ),
  );
  return accepted(credentials);
}

export async function changeSubaccount(
  deps: CommandDeps,
  account: RequestAccount,
  authId: string,
  spec: SubaccountChanges,
  now: Instant,
): Promise<Result<undefined>> {
  const enabled = readBoolean(spec.enabled);
  const found = await deps.database.transact(async (write) => {
    const tables = write.withTables<AccountsTables>();
    const row = await findAccount(tables, authId);
    if (row === undefined || row.parent !== account.authId) return false;
    const changes = present({
      name: spec.name,
      enabled: enabled === undefined ? undefined : Number(enabled),
    });
    if (changes.enabled !== undefined && changes.enabled !== row.enabled) {
      for (const { endLogins } of deps.resources) await endLogins?.(write, authId);
      await deps.outbox?.appendEvents(write, [flipEvent(authId, account.authId, changes.enabled === 1)]);
    }
    return updateAccount(tables, authId, changes, now);
  });
  deps.forget(authId);
  deps.outbox?.wake();
  return found ? accepted(undefined) : refused(notFound('subaccount', authId));
}

export async function removeSubaccount(
  deps: CommandDeps,
  account: RequestAccount,
  authId: string,
  cascade: boolean,
): Promise<Result<undefined>> {
  const remove = () =>
    deps.database.transact(async (write) => {
      if (!(await deleteSubaccount(write.withTables<AccountsTables>(), account.authId, authId))) return false;
      for (const resources of deps.resources) {
        if (cascade) await resources.remove(write, authId);
        else await resources.passOn(write, authId, account.authId);
      }
      return true;
    }, withoutOwners);
  const found = await remove().catch((error: unknown) => {
    // The main account has begun meanwhile what its subaccount passes on to it; the next transaction sees that.
    if (!deps.database.isUniqueViolation(error)) throw error;
    return remove();
  });
  deps.forget(authId);
  if (found && cascade) await deps.removed(authId);
  return found ? accepted(undefined) : refused(notFound('subaccount', authId));
}

function flipEvent(authId: string, main: string, enabled: boolean): OutboxEvent {
  return {
    type: enabled ? 'subaccount.enabled' : 'subaccount.disabled',
    account: authId,
    mainAccount: main,
    resource: `subaccount/${authId}`,
    payload: { auth_id: authId },
  };
}

/** Records of live things lock the account that owns them, and REGISTERs their endpoint. */
const withoutOwners: UnitOptions = { excluding: ['accounts', 'sip_endpoints'] };

const onlyOneLevel: Problem = problem('invalid-parameter', 'a subaccount cannot have subaccounts of its own');

function newRow(
  { secrets }: CommandDeps,
  account: AccountCredentials & { parent: string | null; name: string; enabled?: boolean },
  now: Instant,
): AccountRow {
  return {
    auth_id: account.authId,
    parent: account.parent,
    name: account.name,
    city: '',
    address: '',
    timezone: 'UTC',
    enabled: Number(account.enabled ?? true),
    ...tokenColumns(secrets, account.authId, account.authToken),
    subaccounts: 0,
    created_at: now,
    modified_at: null,
  };
}

function tokenColumns(secrets: Secrets, authId: string, authToken: string) {
  return { token_sealed: secrets.encrypt(authToken), token_hash: hashOfToken(secrets, authId, authToken) };
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
