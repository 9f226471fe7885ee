import {
  type ApplicationChanges,
  type ApplicationRemoval,
  type NewApplication,
  readBoolean,
} from '@jackfield/contract';
import type { Database, Instant, Secrets, UnitOptions, Write } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import { newDigits } from '../../kernel/ids.ts';
import { invalidParameter, notFound, problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { changedSettings, initialSettings } from './parameters.ts';
import type { ApplicationStore } from './store.ts';

/** What becomes of endpoints when their application is deleted; runs in the transaction of the deletion. */
export interface AttachedEndpoints {
  /** Deletes the attached endpoints that the account sees. */
  remove(write: Write, account: RequestAccount, applicationId: string): Promise<void>;
  /** Attaches all endpoints to another application, or with `null` to none. */
  reattach(write: Write, applicationIds: readonly string[], to: string | null): Promise<void>;
}

export interface CommandDeps {
  readonly database: Database;
  readonly store: ApplicationStore;
  readonly secrets: Pick<Secrets, 'randomBytes'>;
  readonly endpoints: AttachedEndpoints;
  /** Detaches the numbers of deleted applications; absent where there are no numbers. */
  readonly detachNumbers?: (write: Write, applicationIds: readonly string[]) => Promise<void>;
  /** True when `account` is `owner` or a subaccount of it. */
  readonly isWithin: (account: string, owner: string) => Promise<boolean>;
}

// conventions of the interface: an application is named by 17 digits.
const idLength = 17;

export async function createApplication(
  deps: CommandDeps,
  account: RequestAccount,
  spec: NewApplication,
  now: Instant,
): Promise<Result<string>> {
  const owner = await requestedOwner(deps, account, spec.subaccount);
  if (!owner.ok) return owner;
  const appId = newDigits(idLength, deps.secrets);
  await deps.database.transact((write) =>
    deps.store.insert(write, {
      ...changedSettings(initialSettings, spec),
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
  spec: ApplicationChanges,
): Promise<Result<undefined>> {
  const owner = await requestedOwner(deps, account, spec.subaccount);
  return deps.database.transact(async (write) => {
    const before = await deps.store.read(write, account, appId);
    if (before === undefined) return refused(notFound('application', appId));
    if (!owner.ok) return owner;
    const next = owner.value ?? before.account;
    // An application that moves to another account does not become its default.
    const kept =
      next === before.account
        ? before
        : { ...before, default_number_app: false, default_endpoint_app: false };
    await deps.store.save(write, before, { ...before, ...changedSettings(kept, spec), account: next });
    return accepted(undefined);
  });
}

export async function removeApplication(
  deps: CommandDeps,
  account: RequestAccount,
  appId: string,
  spec: ApplicationRemoval,
): Promise<Result<undefined>> {
  const { store, endpoints } = deps;
  const cascade = readBoolean(spec.cascade) ?? false;
  const replacement = spec.new_endpoint_application;
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
  }, withoutRegisters);
}

/** REGISTERs lock their endpoint. */
const withoutRegisters: UnitOptions = { excluding: ['sip_endpoints'] };

/** A replacement is for endpoints only: numbers lose their application. */
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

/** Deletes the applications of a deleted subaccount. */
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

async function requestedOwner(
  { isWithin }: CommandDeps,
  account: RequestAccount,
  subaccount: string | undefined,
): Promise<Result<string | undefined>> {
  if (subaccount === undefined) return accepted(undefined);
  const isOwn = subaccount !== account.main && (await isWithin(subaccount, account.authId));
  if (isOwn) return accepted(subaccount);
  return refused(invalidParameter('subaccount', subaccount, 'the auth_id of one of your subaccounts'));
}
