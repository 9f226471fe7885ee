import { type NewTrunk, readBoolean, readOneOf, trunkDirections, trunkStatuses } from '@jackfield/contract';
import type { Instant, Write } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import { newDigits } from '../../kernel/ids.ts';
import { invalidParameter, notFound, type Problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { type CommandDeps, missing } from './commands.ts';
import { thingOf } from './deletion-commands.ts';
import type { TrunkStore } from './store.ts';
import type { TrunkReferences, TrunkRow } from './tables.ts';

/** docs/interface/trunks.md#identifiers allows 14 to 18; 17 digits cannot be guessed. */
const idLength = 17;

const referred = {
  credential_uuid: 'credentials',
  ipacl_uuid: 'addressLists',
  primary_uri_uuid: 'uris',
  fallback_uri_uuid: 'uris',
} as const satisfies Record<keyof TrunkReferences, keyof TrunkStore>;
// In one order, so that two transactions that lock what they attach do not wait for each other.
const referenceNames = Object.keys(referred) as readonly (keyof TrunkReferences)[];

type Settings = TrunkReferences &
  Pick<TrunkRow, 'name' | 'trunk_direction' | 'trunk_status' | 'secure' | 'lost_credential_uuid'>;

export async function createTrunk(
  deps: CommandDeps,
  account: RequestAccount,
  spec: NewTrunk,
  now: Instant,
): Promise<Result<string>> {
  const direction = readOneOf(trunkDirections, spec.trunk_direction);
  if (direction === undefined) return refused(missing('trunk_direction'));
  const settings = changedSettings({ ...newTrunk, trunk_direction: direction }, spec);
  const lacking = lackingOf(settings);
  if (lacking !== undefined) return refused(lacking);
  return deps.database.transact(async (write) => {
    const unknown = await unknownReference(deps, write, account, spec);
    if (unknown !== undefined) return refused(unknown);
    const row: TrunkRow = {
      ...settings,
      id: newDigits(idLength, deps.secrets),
      account: account.authId,
      main_account: account.main,
      created_at: now,
    };
    await deps.store.trunks.insert(write, row);
    return accepted(row.id);
  });
}

export async function changeTrunk(
  deps: CommandDeps,
  account: RequestAccount,
  trunkId: string,
  spec: NewTrunk,
): Promise<Result<undefined>> {
  const { trunks } = deps.store;
  return deps.database.transact(async (write) => {
    // Its parts first: a deletion locks the part, and then the trunks.
    const unknown = await unknownReference(deps, write, account, spec);
    const before = await trunks.read(write, account, trunkId);
    if (before === undefined) return refused(notFound('trunk', trunkId));
    if (unknown !== undefined) return refused(unknown);
    const { id, account: owner, main_account, created_at, ...settings } = before;
    const after = changedSettings(settings, spec);
    // A trunk that has lost its credential can still be renamed or disabled.
    const isTouched = [spec.trunk_direction, ...referenceNames.map((name) => spec[name])].some(
      (value) => value !== undefined,
    );
    const lacking = isTouched ? lackingOf(after) : undefined;
    if (lacking !== undefined) return refused(lacking);
    await trunks.change(write, id, after);
    return accepted(undefined);
  });
}

const newTrunk: Omit<Settings, 'trunk_direction'> = {
  name: '',
  trunk_status: 'enabled',
  secure: 0,
  ipacl_uuid: null,
  credential_uuid: null,
  primary_uri_uuid: null,
  fallback_uri_uuid: null,
  lost_credential_uuid: null,
};

function changedSettings(before: Settings, spec: NewTrunk): Settings {
  const secure = readBoolean(spec.secure);
  const changed = Object.fromEntries(
    referenceNames.flatMap((name) =>
      spec[name] === undefined ? [] : [[name, spec[name]?.toLowerCase() || null]],
    ),
  ) as Partial<TrunkReferences>;
  return {
    ...before,
    ...changed,
    name: spec.name ?? before.name,
    trunk_direction: readOneOf(trunkDirections, spec.trunk_direction) ?? before.trunk_direction,
    trunk_status: readOneOf(trunkStatuses, spec.trunk_status) ?? before.trunk_status,
    secure: secure === undefined ? before.secure : secure ? 1 : 0,
    // A request that sets or removes the credential ends the loss.
    lost_credential_uuid: spec.credential_uuid === undefined ? before.lost_credential_uuid : null,
  };
}

function lackingOf({ trunk_direction, credential_uuid, ipacl_uuid, primary_uri_uuid }: Settings) {
  if (trunk_direction === 'inbound')
    return primary_uri_uuid === null ? missing('primary_uri_uuid') : undefined;
  return credential_uuid === null && ipacl_uuid === null
    ? missing('credential_uuid or ipacl_uuid')
    : undefined;
}

async function unknownReference(
  { store }: CommandDeps,
  write: Write,
  account: RequestAccount,
  spec: NewTrunk,
): Promise<Problem | undefined> {
  for (const name of referenceNames) {
    const id = spec[name];
    if (!id) continue;
    const part = referred[name];
    if ((await store[part].read(write, account, id)) === undefined) {
      return invalidParameter(name, id, `the identifier of one of your ${thingOf(part)}s`);
    }
  }
  return undefined;
}
