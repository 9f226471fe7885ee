import type { NewNumber, NumberChanges } from '@jackfield/contract';
import type { Database, Instant, Write } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import { invalidParameter, notFound, problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { NumberStore } from './store.ts';
import type { NumberRow } from './tables.ts';

export interface AttachableApplications {
  exists(write: Write, account: RequestAccount, id: string): Promise<boolean>;
  /** Those of the attached applications that the account sees. */
  seenAmong(
    account: RequestAccount,
    attached: readonly (string | null)[],
  ): Promise<ReadonlySet<string | null>>;
}

export interface CommandDeps {
  readonly database: Database;
  readonly store: NumberStore;
  readonly applications: AttachableApplications;
  /** Read in the transaction that attaches it, as the application is. */
  readonly inboundTrunks: { exists(write: Write, account: RequestAccount, id: string): Promise<boolean> };
  /** True when `account` is `owner` or a subaccount of it. */
  readonly isWithin: (account: string, owner: string) => Promise<boolean>;
}

/** E.164 with its +. */
export function canonical(number: string): string {
  return number.startsWith('+') ? number : `+${number}`;
}

export async function addNumber(
  deps: CommandDeps,
  account: RequestAccount,
  spec: NewNumber,
  now: Instant,
): Promise<Result<string>> {
  if (account.isSubaccount) return refused(onlyMain);
  const holder = await requestedHolder(deps, account, spec.subaccount);
  if (!holder.ok) return holder;
  const number = canonical(spec.number);
  return deps.database.transact(async (write) => {
    const row: NumberRow = {
      number,
      account: holder.value ?? account.authId,
      main_account: account.main,
      alias: spec.alias ?? '',
      app_id: null,
      trunk_id: null,
      created_at: now,
    };
    const settled = await attached(deps, write, account, row, spec);
    if (!settled.ok) return settled;
    if (await deps.store.insert(write, settled.value)) return accepted(number);
    return refused(problem('conflict', `the number ${number} is there already`));
  });
}

export async function changeNumber(
  deps: CommandDeps,
  account: RequestAccount,
  number: string,
  spec: NumberChanges,
): Promise<Result<undefined>> {
  if (spec.subaccount !== undefined && account.isSubaccount) return refused(onlyMain);
  const holder = await requestedHolder(deps, account, spec.subaccount);
  return deps.database.transact(async (write) => {
    const before = await deps.store.read(write, account, canonical(number));
    if (before === undefined) return refused(notFound('number', number));
    if (!holder.ok) return holder;
    const holds = holder.value ?? before.account;
    // The new owner does not see the old destination.
    const kept = holds === before.account ? before : { ...before, app_id: null, trunk_id: null };
    const moved = { ...kept, alias: spec.alias ?? before.alias, account: holds };
    const after = await attached(deps, write, account, moved, spec);
    if (!after.ok) return after;
    await deps.store.save(write, before, after.value);
    return accepted(undefined);
  });
}

export async function removeNumber(
  { database, store }: CommandDeps,
  account: RequestAccount,
  number: string,
): Promise<Result<undefined>> {
  return database.transact(async (write) => {
    const row = await store.read(write, account, canonical(number));
    if (row === undefined) return refused(notFound('number', number));
    if (account.isSubaccount) return refused(onlyMain);
    await store.remove(write, row);
    return accepted(undefined);
  });
}

/** Adding a number claims the calls to it: the operator decides that. */
const onlyMain = problem(
  'invalid-parameter',
  'numbers are added, given to subaccounts and removed by the main account',
);

const oneDestination = problem(
  'invalid-parameter',
  'app_id and trunk_id cannot be given together: a number has one destination',
);

/** The number with its requested destination; one destination replaces the other. */
async function attached(
  deps: CommandDeps,
  write: Write,
  account: RequestAccount,
  row: NumberRow,
  { app_id, trunk_id }: NumberChanges,
): Promise<Result<NumberRow>> {
  if (app_id && trunk_id) return refused(oneDestination);
  if (app_id && !(await deps.applications.exists(write, account, app_id))) {
    return refused(invalidParameter('app_id', app_id, 'the identifier of one of your applications'));
  }
  if (trunk_id && !(await deps.inboundTrunks.exists(write, account, trunk_id))) {
    return refused(invalidParameter('trunk_id', trunk_id, 'the identifier of one of your inbound trunks'));
  }
  if (app_id) return accepted({ ...row, app_id, trunk_id: null });
  if (trunk_id) return accepted({ ...row, app_id: null, trunk_id });
  return accepted({
    ...row,
    app_id: app_id === undefined ? row.app_id : null,
    trunk_id: trunk_id === undefined ? row.trunk_id : null,
  });
}

async function requestedHolder(
  { isWithin }: CommandDeps,
  account: RequestAccount,
  subaccount: string | undefined,
): Promise<Result<string | undefined>> {
  if (subaccount === undefined || (await isWithin(subaccount, account.authId))) return accepted(subaccount);
  return refused(invalidParameter('subaccount', subaccount, 'the auth_id of one of your subaccounts'));
}
