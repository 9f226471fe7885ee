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

/** Applications for endpoints; the first two are read in the transaction that attaches one, so that it cannot be deleted in between. */
export interface AttachableApplications {
  /** Whether the account sees the application, and so may attach it. */
  exists(write: Write, account: RequestAccount, applicationId: string): Promise<boolean>;
  /** The application of new endpoints of this account that name none. */
  defaultOf(write: Write, account: string): Promise<string | undefined>;
  /** Those of the attached applications that the account sees. */
  seenAmong(
    account: RequestAccount,
    attached: readonly (string | null)[],
  ): Promise<ReadonlySet<string | null>>;
}

export interface CommandDeps {
  readonly database: Database;
  readonly store: EndpointStore;
  readonly secrets: Secrets;
  readonly realm: string;
  readonly applications: AttachableApplications;
}

// An attempt fails only when another account uses the same stamp in the same moment.
const attempts = 10;

export async function createEndpoint(
  deps: CommandDeps,
  account: RequestAccount,
  requested: NewEndpoint,
  now: Instant,
): Promise<Result<EndpointRow>> {
  const { database, secrets, store, applications } = deps;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.transact(async (write) => {
        await requireOwner(write, account.authId, account.main);
        const unknown = await unknownApplication(deps, write, account, requested.app_id);
        if (unknown !== undefined) return refused(unknown);
        await store.countNew(write, account);
        const last = await store.lastStamp(write, requested.username);
        // A second after the last stamp, where the clock has not moved on.
        const stamp = Math.max(Math.floor(now / 1000), (last ?? 0) + 1);
        const username = requested.username + creationStamp(stamp * 1000);
        const created: EndpointRow = {
          endpoint_id: newEndpointId(secrets),
          account: account.authId,
          main_account: account.main,
          username,
          base_name: requested.username,
          stamp,
          alias: requested.alias,
          application_id: requested.app_id ?? (await applications.defaultOf(write, account.authId)) ?? null,
          ...credentialColumns(secrets, username, deps.realm, requested.password),
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
  requested: EndpointChanges,
): Promise<Result<undefined>> {
  return deps.database.transact(async (write) => {
    const username = await deps.store.usernameOf(write, account, endpointId);
    if (username === undefined) return refused(notFound('endpoint', endpointId));
    const unknown = await unknownApplication(deps, write, account, requested.app_id || undefined);
    if (unknown !== undefined) return refused(unknown);
    const changes: Partial<EndpointRow> = {
      ...(requested.alias === undefined ? {} : { alias: requested.alias }),
      ...(requested.app_id === undefined ? {} : { application_id: requested.app_id || null }),
      ...(requested.password === undefined
        ? {}
        : credentialColumns(deps.secrets, username, deps.realm, requested.password)),
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
  // Deletes the endpoint first: a REGISTER has locked it and committed, or finds no endpoint.
  const found = await deps.database.transact((write) => deps.store.remove(write, account, endpointId), {
    isolation: 'read-committed',
    key: `endpoint/${endpointId}`,
  });
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
