import type { EndpointChanges, NewEndpoint } from '@jackfield/contract';
import type { Database, Instant, Secrets, Write } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import { creationStamp, newEndpointId } from '../../kernel/ids.ts';
import { invalidParameter, notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { requireOwner } from '../accounts/index.ts';
import { credentialColumns } from './registrations/credential.ts';
import type { EndpointStore } from './store.ts';
import type { EndpointRow } from './tables.ts';

/** What endpoints need of applications, read in the transaction that attaches one: none is deleted in between. */
export interface AttachableApplications {
  /** Whether the account sees it, and so may attach it. */
  exists(write: Write, account: RequestAccount, applicationId: string): Promise<boolean>;
  /** The one that new endpoints of this account get when none is named. */
  defaultOf(write: Write, account: string): Promise<string | undefined>;
}

export interface CommandDeps {
  readonly database: Database;
  readonly store: EndpointStore;
  readonly secrets: Secrets;
  readonly realm: string;
  readonly applications: AttachableApplications;
}

// Only another account that takes the same stamp in the same moment makes an attempt fail.
const attempts = 10;

export async function createEndpoint(
  deps: CommandDeps,
  account: RequestAccount,
  wish: NewEndpoint,
  now: Instant,
): Promise<Result<EndpointRow>> {
  const { database, secrets, store, applications } = deps;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.transact(async (write) => {
        await requireOwner(write, account.authId, account.main);
        const unknown = await unknownApplication(deps, write, account, wish.app_id);
        if (unknown !== undefined) return refused(unknown);
        await store.countNew(write, account);
        const last = await store.lastStamp(write, wish.username);
        // A second later than the last one that was given, where the clock has not moved on.
        const stamp = Math.max(Math.floor(now / 1000), (last ?? 0) + 1);
        const username = wish.username + creationStamp(stamp * 1000);
        const created: EndpointRow = {
          endpoint_id: newEndpointId(secrets),
          account: account.authId,
          main_account: account.main,
          username,
          base_name: wish.username,
          stamp,
          alias: wish.alias,
          application_id: wish.app_id ?? (await applications.defaultOf(write, account.authId)) ?? null,
          ...credentialColumns(secrets, username, deps.realm, wish.password),
          created_at: now,
        };
        await store.insert(write, created);
        return accepted(created);
      });
    } catch (error) {
      if (attempt === attempts || !database.isUniqueViolation(error)) throw error;
    }
  }
}

export async function changeEndpoint(
  deps: CommandDeps,
  account: RequestAccount,
  endpointId: string,
  wish: EndpointChanges,
): Promise<Result<undefined>> {
  return deps.database.transact(async (write) => {
    const username = await deps.store.usernameOf(write, account, endpointId);
    if (username === undefined) return refused(notFound('endpoint', endpointId));
    const unknown = await unknownApplication(deps, write, account, wish.app_id || undefined);
    if (unknown !== undefined) return refused(unknown);
    const changes: Partial<EndpointRow> = {
      ...(wish.alias === undefined ? {} : { alias: wish.alias }),
      ...(wish.app_id === undefined ? {} : { application_id: wish.app_id || null }),
      ...(wish.password === undefined
        ? {}
        : credentialColumns(deps.secrets, username, deps.realm, wish.password)),
    };
    if (Object.keys(changes).length > 0) await deps.store.change(write, endpointId, changes);
    return accepted(undefined);
  });
}

export async function removeEndpoint(
  deps: CommandDeps,
  account: RequestAccount,
  endpointId: string,
): Promise<Result<undefined>> {
  const found = await deps.database.transact((write) => deps.store.remove(write, account, endpointId));
  return found ? accepted(undefined) : refused(notFound('endpoint', endpointId));
}

async function unknownApplication(
  { applications }: CommandDeps,
  write: Write,
  account: RequestAccount,
  appId: string | undefined,
) {
  if (appId === undefined || (await applications.exists(write, account, appId))) return undefined;
  return invalidParameter('app_id', appId, 'the identifier of one of your applications');
}
