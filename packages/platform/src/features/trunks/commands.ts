import { isIP } from 'node:net';
import {
  type CredentialChanges,
  type NewAddressList,
  type NewCredential,
  type NewOriginationUri,
  readBoolean,
  readInteger,
} from '@jackfield/contract';
import type { Instant, Secrets } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import { newUuid } from '../../kernel/ids.ts';
import { invalidParameter, notFound, type Problem, problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { noPreviousPassword, previousPassword, storedPassword } from './access/digests.ts';
import { type DeletionDeps, thingOf } from './deletion-commands.ts';
import { addressProblem } from './domain/address-list.ts';
import type { CredentialRow, OriginationUriRow, TrunkingRow } from './tables.ts';

export interface CommandDeps extends DeletionDeps {
  readonly secrets: Secrets;
  readonly realm: string;
}

/** docs/interface/trunks.md#required-parameters: 422, and not the 400 of other resources. */
export function missing(parameter: string): Problem {
  return { ...problem('missing-trunk-parameter', `${parameter} parameter is missing`), parameter };
}

function newOwned(
  { secrets }: CommandDeps,
  account: RequestAccount,
  name: string | undefined,
  now: Instant,
): TrunkingRow {
  return {
    id: newUuid(secrets),
    account: account.authId,
    main_account: account.main,
    name: name ?? '',
    created_at: now,
  };
}

export async function createCredential(
  deps: CommandDeps,
  account: RequestAccount,
  spec: NewCredential,
  now: Instant,
): Promise<Result<string>> {
  const { username, password } = spec;
  if (username === undefined) return refused(missing('username'));
  if (password === undefined) return refused(missing('password'));
  const row: CredentialRow = {
    ...newOwned(deps, account, spec.name, now),
    ...storedPassword(deps.secrets, username, deps.realm, password),
    ...noPreviousPassword,
  };
  await deps.database.transact((write) => deps.store.credentials.insert(write, row));
  return accepted(row.id);
}

export async function changeCredential(
  deps: CommandDeps,
  account: RequestAccount,
  id: string,
  spec: CredentialChanges,
  now: Instant,
): Promise<Result<undefined>> {
  const { credentials } = deps.store;
  const overlap = readInteger(spec.password_overlap) ?? 0;
  return deps.database.transact(async (write) => {
    const before = await credentials.read(write, account, id);
    if (before === undefined) return refused(notFound(thingOf('credentials'), id));
    const username = spec.username ?? before.username;
    const isRotated = spec.password !== undefined || username !== before.username;
    if (!isRotated && overlap > 0) return refused(missing('password'));
    const password =
      spec.password ?? (before.password_sealed && deps.secrets.decrypt(before.password_sealed));
    if (isRotated && password === null) return refused(usernameNeedsPassword);
    await credentials.change(write, id, {
      ...(spec.name === undefined ? {} : { name: spec.name }),
      ...(!isRotated || password === null
        ? {}
        : {
            ...storedPassword(deps.secrets, username, deps.realm, password),
            ...(overlap === 0 ? noPreviousPassword : previousPassword(before, now + overlap * 1000)),
          }),
    });
    return accepted(undefined);
  });
}

/** RFC 7616 §3.4.2: HA1 is made of username and password; credentials of older versions were kept without the password. */
const usernameNeedsPassword: Problem = {
  ...problem(
    'missing-trunk-parameter',
    'password parameter is missing: this credential was created by an older version, which kept only digests of username and password',
  ),
  parameter: 'password',
};

export async function createAddressList(
  deps: CommandDeps,
  account: RequestAccount,
  spec: NewAddressList,
  now: Instant,
): Promise<Result<string>> {
  if (spec.ip_addresses === undefined) return refused(missing('ip_addresses'));
  const problem = addressesProblem(spec.ip_addresses);
  if (problem !== undefined) return refused(problem);
  const row = { ...newOwned(deps, account, spec.name, now), addresses: spec.ip_addresses.join(' ') };
  await deps.database.transact((write) => deps.store.addressLists.insert(write, row));
  return accepted(row.id);
}

export async function changeAddressList(
  deps: CommandDeps,
  account: RequestAccount,
  id: string,
  spec: NewAddressList,
): Promise<Result<undefined>> {
  const { addressLists } = deps.store;
  const problem = addressesProblem(spec.ip_addresses ?? []);
  return deps.database.transact(async (write) => {
    if ((await addressLists.read(write, account, id)) === undefined) {
      return refused(notFound(thingOf('addressLists'), id));
    }
    if (problem !== undefined) return refused(problem);
    await addressLists.change(write, id, {
      ...(spec.name === undefined ? {} : { name: spec.name }),
      ...(spec.ip_addresses === undefined ? {} : { addresses: spec.ip_addresses.join(' ') }),
    });
    return accepted(undefined);
  });
}

function addressesProblem(entries: readonly string[]): Problem | undefined {
  for (const entry of entries) {
    const wrong = addressProblem(entry);
    if (wrong !== undefined)
      return invalidParameter('ip_addresses', entry, `a list of which each is ${wrong}`);
  }
  return undefined;
}

export async function createOriginationUri(
  deps: CommandDeps,
  account: RequestAccount,
  spec: NewOriginationUri,
  now: Instant,
): Promise<Result<string>> {
  if (spec.uri === undefined) return refused(missing('uri'));
  const problem = uriProblem(spec.uri);
  if (problem !== undefined) return refused(problem);
  const settings = settingsOf(deps, spec, newUri);
  if (!settings.ok) return settings;
  const row = { ...newOwned(deps, account, spec.name, now), ...newUri, ...settings.value, uri: spec.uri };
  await deps.database.transact((write) => deps.store.uris.insert(write, row));
  return accepted(row.id);
}

export async function changeOriginationUri(
  deps: CommandDeps,
  account: RequestAccount,
  id: string,
  spec: NewOriginationUri,
): Promise<Result<undefined>> {
  const { uris } = deps.store;
  return deps.database.transact(async (write) => {
    const before = await uris.read(write, account, id);
    if (before === undefined) return refused(notFound(thingOf('uris'), id));
    const problem = spec.uri === undefined ? undefined : uriProblem(spec.uri);
    if (problem !== undefined) return refused(problem);
    const settings = settingsOf(deps, spec, before);
    if (!settings.ok) return settings;
    await uris.change(write, id, {
      ...(spec.name === undefined ? {} : { name: spec.name }),
      ...(spec.uri === undefined ? {} : { uri: spec.uri }),
      ...settings.value,
    });
    return accepted(undefined);
  });
}

/** The schema checks the rest; here, that brackets hold an IPv6 address. */
function uriProblem(uri: string): Problem | undefined {
  const bracketed = /\[([^\]]*)\]/.exec(uri)?.[1];
  if (bracketed === undefined || isIP(bracketed) === 6) return undefined;
  return invalidParameter(
    'uri',
    uri,
    'a URI with an IPv6 address in its brackets, such as [2001:db8::1]:5060',
  );
}

type Authentication = Pick<OriginationUriRow, 'authentication_needed' | 'username' | 'password_sealed'>;

const newUri: Authentication = { authentication_needed: 0, username: null, password_sealed: null };

/** Without authentication neither part is kept; with it both are needed, given now or before. */
function settingsOf(
  { secrets }: CommandDeps,
  spec: NewOriginationUri,
  before: Authentication,
): Result<Authentication> {
  const isNeeded = readBoolean(spec.authentication_needed) ?? before.authentication_needed === 1;
  if (!isNeeded) return accepted(newUri);
  const username = spec.username ?? before.username;
  const sealed = spec.password === undefined ? before.password_sealed : secrets.encrypt(spec.password);
  if (username === null) return refused(missing('username'));
  if (sealed === null) return refused(missing('password'));
  return accepted({ authentication_needed: 1, username, password_sealed: sealed });
}
