import {
  type ApplicationChanges,
  type ApplicationRemoval,
  type NewApplication,
  readBoolean,
} from '@jackfield/contract';
import type { Database, Instant, Secrets, Write } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import { newDigits } from '../../kernel/ids.ts';
import { invalidParameter, notFound, problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { changedSettings, initialSettings } from './parameters.ts';
import type { ApplicationStore } from './store.ts';

/** What becomes of endpoints when their application goes; runs in the transaction of its deletion. */
export interface AttachedEndpoints {
  /** Deletes those that the account sees. */
  remove(write: Write, account: RequestAccount, applicationId: string): Promise<void>;
  /** All of them; `null` leaves them without an application. */
  reattach(write: Write, applicationIds: readonly string[], to: string | null): Promise<void>;
}

export interface CommandDeps {
  readonly database: Database;
  readonly store: ApplicationStore;
  readonly secrets: Pick<Secrets, 'randomBytes'>;
  readonly endpoints: AttachedEndpoints;
  /** Leaves numbers without an application that is deleted; absent where there are none. */
  readonly detachNumbers?: (write: Write, applicationIds: readonly string[]) => Promise<void>;
  /** True when `account` is `owner` or a subaccount of it. */
  readonly isWithin: (account: string, owner: string) => Promise<boolean>;
}

// conventions of the interface: an application is named by 17 digits.
const idLength = 17;

export async function createApplication(
  deps: CommandDeps,
  account: RequestAccount,
  wish: NewApplication,
  now: Instant,
): Promise<Result<string>> {
  const owner = await wantedOwner(deps, account, wish.subaccount);
  if (!owner.ok) return owner;
  const appId = newDigits(idLength, deps.secrets);
  await deps.database.transact((write) =>
    deps.store.insert(write, {
      ...changedSettings(initialSettings, wish),
      app_id: appId,
      account: owner.value ?? account.authId,
      main_account: account.main,
      created_at: now,
    }),
  );
  return accepted(appId);
}

export async function changeApplication(
  deps: CommandDeps,
  account: RequestAccount,
  appId: string,
  wish: ApplicationChanges,
): Promise<Result<undefined>> {
  const owner = await wantedOwner(deps, account, wish.subaccount);
  return deps.database.transact(async (write) => {
    const before = await deps.store.read(write, account, appId);
    if (before === undefined) return refused(notFound('application', appId));
    if (!owner.ok) return owner;
    const next = owner.value ?? before.account;
    // What moves to another account does not become its default by that alone.
    const kept =
      next === before.account
        ? before
        : { ...before, default_number_app: false, default_endpoint_app: false };
    await deps.store.save(write, before, { ...before, ...changedSettings(kept, wish), account: next });
    return accepted(undefined);
  });
}

export async function removeApplication(
  deps: CommandDeps,
  account: RequestAccount,
  appId: string,
  wish: ApplicationRemoval,
): Promise<Result<undefined>> {
  const { store, endpoints } = deps;
  const cascade = readBoolean(wish.cascade) ?? false;
  const replacement = wish.new_endpoint_application;
  return deps.database.transact(async (write) => {
    const application = await store.read(write, account, appId);
    if (application === undefined) return refused(notFound('application', appId));
    if (replacement !== undefined) {
      if (cascade) return refused(endpointsGoOrStay);
      if (replacement === appId || (await store.read(write, account, replacement)) === undefined) {
        const allowed = 'the identifier of another of your applications';
        return refused(invalidParameter('new_endpoint_application', replacement, allowed));
      }
    }
    await store.remove(write, application);
    if (cascade) await endpoints.remove(write, account, appId);
    // Also after a cascade: a main account may have attached it to endpoints that its subaccount does not see.
    await reattach(deps, write, [appId], replacement ?? null);
    return accepted(undefined);
  });
}

/** A replacement is for endpoints: numbers lose their application. */
async function reattach(
  { endpoints, detachNumbers }: Pick<CommandDeps, 'endpoints' | 'detachNumbers'>,
  write: Write,
  gone: readonly string[],
  to: string | null,
): Promise<void> {
  await endpoints.reattach(write, gone, to);
  await detachNumbers?.(write, gone);
}

// Databases limit the parameters of a statement.
const detachedAtOnce = 500;

/** When a subaccount goes with everything it owns. */
export async function removeApplicationsOf(
  deps: Pick<CommandDeps, 'store' | 'endpoints' | 'detachNumbers'>,
  write: Write,
  subaccount: string,
): Promise<void> {
  const gone = await deps.store.removeAll(write, subaccount);
  for (let at = 0; at < gone.length; at += detachedAtOnce) {
    await reattach(deps, write, gone.slice(at, at + detachedAtOnce), null);
  }
}

const endpointsGoOrStay = problem(
  'invalid-parameter',
  'new_endpoint_application cannot be given with cascade=true, which deletes the endpoints',
);

async function wantedOwner(
  { isWithin }: CommandDeps,
  account: RequestAccount,
  subaccount: string | undefined,
): Promise<Result<string | undefined>> {
  if (subaccount === undefined) return accepted(undefined);
  const isOwn = subaccount !== account.main && (await isWithin(subaccount, account.authId));
  if (isOwn) return accepted(subaccount);
  return refused(invalidParameter('subaccount', subaccount, 'the auth_id of one of your subaccounts'));
}
